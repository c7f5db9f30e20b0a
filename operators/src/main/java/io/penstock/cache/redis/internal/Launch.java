package io.penstock.cache.redis.internal;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts a server. Its configuration, with the password, is in a file that only its owner may read. */
public final class Launch {

    private static final int ATTEMPTS = 5; // a port that is free may be taken a moment later
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int PASSWORD_BYTES = 24;

    private final Supplier<Path> program;
    private final Path home;
    private final long bytes;
    private final String listen;
    private final int port;
    private final Secret password;

    public Launch(Supplier<Path> program, Path home, long bytes, String listen, int port, Secret given) {
        this.program = program;
        this.home = home;
        this.bytes = bytes;
        this.listen = listen;
        this.port = port;
        this.password = given.isNone() ? random() : given;
    }

    static Secret random() {
        byte[] noise = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(noise);
        return Secret.of(HexFormat.of().formatHex(noise));
    }

    /** Finds a server that runs already, or starts one, and uses it. Blocks. */
    public SpawnedServer join() {
        return SpawnedServer.join(home, this);
    }

    /** What the server may hold. */
    long bytes() {
        return bytes;
    }

    /** Starts it and waits until it answers. */
    SpawnedServer run() throws IOException {
        Path executable = program.get();
        sweep();
        for (int attempt = 0; attempt < (port == 0 ? ATTEMPTS : 1); attempt++) {
            SpawnedServer started = start(executable, port == 0 ? freePort() : port);
            if (started != null) {
                return started;
            }
        }
        throw new StoreException("%s in %s does not start: %s".formatted(executable, home, lastWords()));
    }

    /** Deletes what processes that were killed left here. */
    private void sweep() throws IOException {
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (file.getFileName().toString().matches("(users|seen|redis|server)-.*|.*\\.new")) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private @Nullable SpawnedServer start(Path executable, int chosen) throws IOException {
        String id = UUID.randomUUID().toString();
        Path file = home.resolve("redis-" + id + ".conf");
        Files.deleteIfExists(log());
        Files.createFile(file, Registration.OWNER_ONLY);
        Files.write(file, configuration(chosen));
        UserPipe use = UserPipe.first(home, id);
        try {
            Watcher watcher =
                    Watcher.start(home, id, UserPipe.pipe(home, id), List.of(executable.toString(), file.toString()));
            if (answers(chosen, watcher.server())) {
                Registration server =
                        new Registration(id, chosen, watcher.server(), watcher.process(), bytes, password);
                server.write(home);
                return new SpawnedServer(server, use);
            }
        } catch (IOException | RuntimeException e) {
            use.close();
            throw e;
        }
        use.close();
        return null;
    }

    /** Waits until the server answers; false if it ends before, or takes too long. */
    private boolean answers(int chosen, ServerProcess server) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            try (PlainClient client = PlainClient.connect(chosen, password)) {
                return client.processId() == server.number();
            } catch (IOException e) {
                if (!server.isAlive()) {
                    return false;
                }
                LockSupport.parkNanos(PAUSE);
            }
        }
        return false;
    }

    private List<String> configuration(int chosen) {
        boolean beyond = !listen.equals("127.0.0.1") && !listen.equals("localhost");
        boolean everywhere = listen.equals("0.0.0.0") || listen.equals("*");
        return List.of(
                "bind " + (everywhere ? "0.0.0.0" : beyond ? "127.0.0.1 " + listen : "127.0.0.1"),
                "port " + chosen,
                "protected-mode yes",
                "tcp-keepalive 15", // a machine that is gone is off the list of nodes half a minute later
                "requirepass " + quoted(password.reveal()),
                "maxmemory " + bytes,
                "maxmemory-policy noeviction",
                "save \"\"",
                "appendonly no",
                "databases 1",
                "daemonize no", // its watcher's child
                "dir " + quoted(home.toString()));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte letter : text.getBytes(StandardCharsets.UTF_8)) {
            quoted.append("\\x%02x".formatted(letter));
        }
        return quoted.append('"').toString();
    }

    private Path log() {
        return home.resolve("redis.log");
    }

    private String lastWords() throws IOException {
        if (!Files.exists(log())) {
            return "it said nothing";
        }
        List<String> lines = Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
        return lines.isEmpty() ? "it said nothing" : lines.get(lines.size() - 1).strip();
    }
}
