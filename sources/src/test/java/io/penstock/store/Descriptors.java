package io.penstock.store;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The open descriptors of this process. */
public final class Descriptors {

    /** Those that other tests may open meanwhile. */
    public static final int OTHERS = 16;

    private static final Path OPEN = Path.of("/proc/self/fd");

    private Descriptors() {}

    /** How many are sockets. Skips the test where the system does not tell. */
    public static long sockets() throws IOException {
        assumeThat(OPEN).exists();
        try (Stream<Path> all = Files.list(OPEN)) {
            return all.filter(Descriptors::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
