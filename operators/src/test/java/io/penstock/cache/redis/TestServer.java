package io.penstock.cache.redis;

import io.penstock.cache.redis.internal.PlainClient;
import io.penstock.cache.redis.internal.Secret;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** A real server of a test's own, that can be killed and started again at the same port. */
public final class TestServer implements AutoCloseable {

    private final Path program;
    private final Path directory;
    private final List<String> arguments;
    private final int port;
    private Process process;

    private TestServer(Path program, Path directory, int port, List<String> arguments) {
        this.program = program;
        this.directory = directory;
        this.port = port;
        this.arguments = arguments;
        start();
    }

    public static TestServer start(Path directory, String... arguments) {
        return start(RedisBinary.in(directory), directory, arguments);
    }

    /** One of another program that takes the same arguments. */
    static TestServer start(Path program, Path directory, String... arguments) {
        return new TestServer(program, directory, freePort(), List.of(arguments));
    }

    /**
     * A port where nothing listens. It lies below those that systems give out by themselves: no other process gets it
     * before a server listens there. A cluster's node uses the port 10,000 above, too.
     */
    static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException e) {
                // in use: another one
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A sentinel by this file, which it changes. */
    static TestServer sentinel(Path directory, Path file) {
        return start(directory, file.toString(), "--sentinel");
    }

    public void start() {
        boolean sentinel = arguments.contains("--sentinel");
        List<String> command = new ArrayList<>(List.of(program.toString()));
        if (sentinel) {
            command.addAll(arguments);
        }
        command.addAll(List.of("--port", "" + port, "--bind", "127.0.0.1", "--dir", directory.toString()));
        if (!sentinel) {
            command.addAll(List.of("--save", ""));
            command.addAll(arguments);
        }
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("log-" + port).toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        while (!answers()) {
            if (!process.isAlive()) {
                throw new IllegalStateException(program + " has ended: " + words());
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    private String words() {
        try {
            return java.nio.file.Files.readString(directory.resolve("log-" + port));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private boolean answers() {
        try (PlainClient client = PlainClient.connect(port, Secret.NONE)) {
            client.ask("PING");
            return true;
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("NOAUTH");
        }
    }

    public int port() {
        return port;
    }

    public String uri() {
        return "redis://127.0.0.1:" + port;
    }

    /** Says something to it. */
    public String ask(String... words) {
        try (PlainClient client = PlainClient.connect(port, Secret.NONE)) {
            return client.ask(words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Has it stand still, with its connections open, or go on. */
    void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
