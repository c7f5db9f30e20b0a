package io.penstock.cache.redis.internal;

import io.penstock.internal.AtomicFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a node's server is, in a file of its own that only its owner may read. The server's {@link Watcher} deletes the
 * file before it ends the server.
 *
 * @param id       of the server among all that this directory ever had
 * @param port     it listens on, on 127.0.0.1 at least
 * @param process  of the server
 * @param watcher  the process that ends the server with its last user
 * @param bytes    it may hold
 * @param password of all its clients
 */
public record Registration(
        String id, int port, ServerProcess process, ServerProcess watcher, long bytes, Secret password) {

    private static final String PREFIX = "server-";
    private static final HexFormat HEX = HexFormat.of();
    private static final long MAX_BYTES = 4096;
    static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** All that are registered; more than one only where a watcher was killed. */
    public static List<Registration> all(Path home) throws IOException {
        List<Registration> all = new ArrayList<>();
        try (Stream<Path> files = Files.list(home)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                Registration one = name.startsWith(PREFIX) ? read(file, name.substring(PREFIX.length())) : null;
                if (one != null) {
                    all.add(one);
                }
            }
        } catch (NoSuchFileException e) {
            return List.of(); // no directory yet
        }
        return all;
    }

    private static @Nullable Registration read(Path file, String id) throws IOException {
        try {
            List<String> lines = Files.size(file) > MAX_BYTES ? List.of() : Files.readAllLines(file);
            return lines.size() != 7
                    ? null
                    : new Registration(
                            id,
                            Integer.parseInt(lines.get(0)),
                            new ServerProcess(Long.parseLong(lines.get(1)), Long.parseLong(lines.get(2))),
                            new ServerProcess(Long.parseLong(lines.get(3)), Long.parseLong(lines.get(4))),
                            Long.parseLong(lines.get(5)),
                            Secret.of(new String(HEX.parseHex(lines.get(6)), StandardCharsets.UTF_8)));
        } catch (NoSuchFileException | IllegalArgumentException | CharacterCodingException e) {
            return null;
        }
    }

    public void write(Path home) throws IOException {
        List<String> lines = new ArrayList<>(List.of("" + port));
        for (ServerProcess one : List.of(process, watcher)) {
            lines.add("" + one.number());
            lines.add("" + one.started());
        }
        lines.add("" + bytes);
        lines.add(HEX.formatHex(password.reveal().getBytes(StandardCharsets.UTF_8))); // it may have ends of lines
        AtomicFile.write(home.resolve(PREFIX + id), String.join("\n", lines) + "\n", OWNER_ONLY);
    }

    /** Whether this very server listens there. */
    public boolean answers() {
        try (PlainClient client = PlainClient.connect(port, password)) {
            return client.processId() == process.number();
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends it and forgets it; another process that got its number meanwhile is left alone. */
    public void end(Path home) throws IOException {
        try (PlainClient client = PlainClient.connect(port, password)) {
            if (client.processId() == process.number()) {
                client.shutDown();
                process.awaitEnd(PATIENCE);
            }
        } catch (IOException e) {
            // it does not answer: what runs of it is ended below
        }
        process.kill(PATIENCE);
        Files.deleteIfExists(home.resolve(PREFIX + id));
    }
}
