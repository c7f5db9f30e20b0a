package io.penstock.cli;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.ThreadLocalRandom;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/** A real server that outlives the runs of a test. */
public record TestRedis(RedisServer server, int port) implements AutoCloseable {

    /** Starts it. */
    public static TestRedis in(Path directory, String... settings) throws IOException {
        Path program = ExecutableProvider.newJarResourceProvider(directory.toFile())
                .get()
                .toPath();
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        int port = freePort();
        var builder = RedisServer.newRedisServer()
                .executableProvider(program::toFile)
                .port(port)
                .bind("127.0.0.1")
                .setting("save \"\"")
                .setting("dir " + directory);
        for (String setting : settings) {
            builder = builder.setting(setting);
        }
        RedisServer server = builder.build();
        server.start();
        return new TestRedis(server, port);
    }

    /** A port where nothing listens. Systems do not give it to another process meanwhile: theirs are higher. */
    public static int freePort() throws IOException {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException e) {
                // in use: another one
            }
        }
    }

    public String uri() {
        return "redis://127.0.0.1:%d?name=test&timeout=60s".formatted(port);
    }

    @Override
    public void close() throws IOException {
        server.stop();
    }
}
