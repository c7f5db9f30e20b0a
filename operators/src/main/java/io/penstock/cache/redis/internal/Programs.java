package io.penstock.cache.redis.internal;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Programs on the {@code PATH}. */
public final class Programs {

    private Programs() {}

    /** The first of these names that there is. */
    public static Optional<Path> find(String... names) {
        String path = System.getenv().getOrDefault("PATH", "");
        return Stream.of(names)
                .flatMap(name -> Stream.of(path.split(File.pathSeparator, -1)).map(folder -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
