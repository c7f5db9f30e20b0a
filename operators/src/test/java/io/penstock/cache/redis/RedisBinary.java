package io.penstock.cache.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import redis.embedded.core.ExecutableProvider;

/** The server that comes in a jar, so that a machine needs none of its own. */
final class RedisBinary {

    private RedisBinary() {}

    /** Its file, in this directory. */
    static Path in(Path directory) {
        Path file = directory.resolve("redis-server");
        if (!Files.exists(file)) {
            try {
                Path made = ExecutableProvider.newJarResourceProvider(
                                Files.createDirectories(directory.resolve("unpacked"))
                                        .toFile())
                        .get()
                        .toPath();
                Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
                Files.createLink(file, made);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return file;
    }
}
