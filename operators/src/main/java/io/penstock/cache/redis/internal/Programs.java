package io.penstock.cache.redis.internal;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs on the {@code PATH}, and in the folders where packages put them: a service's {@code PATH} may lack these. */
public final class Programs {

    private static final String USUAL = String.join(
            File.pathSeparator, "/usr/local/bin", "/usr/bin", "/usr/local/sbin", "/usr/sbin", "/opt/homebrew/bin");

    private Programs() {}

    /** The first of these names that there is. */
    public static Optional<Path> find(String... names) {
        return find(List.of(System.getenv().getOrDefault("PATH", ""), USUAL), names);
    }

    /** The first name that is in any folder, those of the first path before those of the next one. */
    static Optional<Path> find(List<String> paths, String... names) {
        return Stream.of(names)
                .flatMap(name -> paths.stream()
                        .flatMap(path -> Stream.of(path.split(File.pathSeparator, -1)))
                        .map(folder -> Path.of(folder, name)))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }
}
