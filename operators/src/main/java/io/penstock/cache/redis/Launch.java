package io.penstock.cache.redis;

import io.penstock.pipeline.StoreException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The start of a server. What it is told, the password among it, is in a file that its owner alone may read. It makes
 * itself independent of the process that starts it, so that no signal to that one's terminal ends it for the others.
 */
final class Launch {

    private static final int ATTEMPTS = 5; // a port that is free may be taken a moment later
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int PASSWORD_BYTES = 24;

    private final Path program;
    private final Path home;
    private final long bytes;
    private final String listen;
    private final int port;
    private final Secret password;

    Launch(Path program, Path home, long bytes, String listen, int port, Secret wanted) {
        this.program = program;
        this.home = home;
        this.bytes = bytes;
        this.listen = listen;
        this.port = port;
        this.password = wanted.isNone() ? random() : wanted;
    }

    private static Secret random() {
        byte[] noise = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(noise);
        return Secret.of(HexFormat.of().formatHex(noise));
    }

    /** Starts it and waits until it answers. */
    Registration run() throws IOException {
        String said = "";
        for (int attempt = 0; attempt < (port == 0 ? ATTEMPTS : 1); attempt++) {
            int chosen = port == 0 ? freePort() : port;
            Registration server = start(chosen);
            if (server != null) {
                server.write(home);
                return server;
            }
            said = lastWords();
        }
        throw new StoreException("%s in %s does not start: %s".formatted(program, home, said));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private @Nullable Registration start(int chosen) throws IOException {
        Path file = home.resolve("redis.conf");
        Files.deleteIfExists(file);
        Files.deleteIfExists(log());
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, configuration(chosen));
        Process process = new ProcessBuilder(program.toString(), file.toString())
                .redirectInput(
                        ProcessBuilder.Redirect.from(file.resolveSibling("turn").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            try (PlainClient client = PlainClient.connect(chosen, password)) {
                long id = client.processId();
                long started = ProcessHandle.of(id).map(Registration::startOf).orElse(0L);
                return new Registration(chosen, id, started, bytes, password);
            } catch (IOException e) {
                if (!process.isAlive() && (process.exitValue() != 0 || hasFailed())) {
                    return null;
                }
                LockSupport.parkNanos(PAUSE);
            }
        }
        return null;
    }

    private List<String> configuration(int chosen) {
        boolean beyond = !listen.equals("127.0.0.1") && !listen.equals("localhost");
        boolean everywhere = listen.equals("0.0.0.0") || listen.equals("*");
        return List.of(
                "bind " + (everywhere ? "0.0.0.0" : beyond ? "127.0.0.1 " + listen : "127.0.0.1"),
                "port " + chosen,
                "protected-mode yes",
                "requirepass " + quoted(password.reveal()),
                "maxmemory " + bytes,
                "maxmemory-policy noeviction",
                "save \"\"",
                "appendonly no",
                "databases 1",
                "daemonize yes",
                "dir " + quoted(home.toString()),
                "pidfile " + quoted(home.resolve("redis.pid").toString()),
                "logfile " + quoted(log().toString()));
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

    private boolean hasFailed() throws IOException {
        return Files.exists(log())
                && Files.readString(log(), StandardCharsets.ISO_8859_1).contains("Failed listening");
    }

    private String lastWords() throws IOException {
        if (!Files.exists(log())) {
            return "it said nothing";
        }
        List<String> lines = Files.readAllLines(log(), StandardCharsets.ISO_8859_1);
        return lines.isEmpty() ? "it said nothing" : lines.get(lines.size() - 1).strip();
    }
}
