package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.Programs;
import java.nio.file.Path;
import java.util.Optional;

/** The {@code valkey-server} of this machine, if it has one. */
public final class ValkeyProgram {

    /** Why tests of it are skipped. */
    public static final String MISSING = "this machine has no valkey-server; install the package valkey";

    private ValkeyProgram() {}

    static Optional<Path> find() {
        return Programs.find("valkey-server");
    }

    public static boolean isInstalled() {
        return find().isPresent();
    }

    /** Starts one. */
    public static TestServer start(Path directory) {
        return TestServer.start(find().orElseThrow(), directory);
    }
}
