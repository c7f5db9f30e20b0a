package io.penstock.cache.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import redis.embedded.core.ExecutableProvider;

/** The server that comes in a jar, so that a machine needs none of its own. */
final class RedisBinary {

    private RedisBinary() {}

    /** Its file, in this directory. Several threads or processes may ask at once: each unpacks it in its own folder. */
    static Path in(Path directory) {
        Path file = directory.resolve("redis-server");
        if (!Files.exists(file)) {
            try {
                Files.createDirectories(directory);
                Path made = ExecutableProvider.newJarResourceProvider(
                                Files.createTempDirectory(directory, "unpacked").toFile())
                        .get()
                        .toPath();
                Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxr-xr-x"));
                link(file, made);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return file;
    }

    private static void link(Path file, Path made) throws IOException {
        try {
            Files.createLink(file, made);
        } catch (FileAlreadyExistsException e) {
            // another was first, and its file is complete
        }
    }
}
