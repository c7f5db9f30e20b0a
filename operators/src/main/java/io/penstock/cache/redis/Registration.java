package io.penstock.cache.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Where a node's server is, in a file that its owner alone may read.
 *
 * @param port     it listens on, on 127.0.0.1 at least
 * @param process  its id
 * @param started  when the process was, by which it is told from a later one with its id
 * @param bytes    it may hold
 * @param password by which all its clients come
 */
record Registration(int port, long process, long started, long bytes, Secret password) {

    private static final String FILE = "server";
    private static final long MOST_BYTES = 4096;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    static @Nullable Registration read(Path home) throws IOException {
        Path file = home.resolve(FILE);
        try {
            if (Files.size(file) > MOST_BYTES) {
                return null;
            }
            List<String> lines = Files.readAllLines(file);
            return lines.size() != 5
                    ? null
                    : new Registration(
                            Integer.parseInt(lines.get(0)),
                            Long.parseLong(lines.get(1)),
                            Long.parseLong(lines.get(2)),
                            Long.parseLong(lines.get(3)),
                            Secret.of(lines.get(4)));
        } catch (NoSuchFileException | NumberFormatException | java.nio.charset.CharacterCodingException e) {
            return null;
        }
    }

    void write(Path home) throws IOException {
        Path file = home.resolve(FILE + ".new");
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(file, List.of("" + port, "" + process, "" + started, "" + bytes, password.reveal()));
        Files.move(file, home.resolve(FILE), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Whether this very server listens there. */
    boolean answers() {
        try (PlainClient client = PlainClient.connect(port, password)) {
            return client.processId() == process;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends it, kindly if it answers, and forgets it; another process that got its id meanwhile is left alone. */
    void end(Path home) throws IOException {
        try (PlainClient client = PlainClient.connect(port, password)) {
            if (client.processId() == process) {
                client.shutDown();
            }
        } catch (IOException e) {
            // it does not answer: what runs of it is ended below
        }
        Optional<ProcessHandle> running = ProcessHandle.of(process).filter(handle -> started == startOf(handle));
        if (running.isPresent() && !hasEnded(running.get())) {
            running.get().destroyForcibly();
            hasEnded(running.get());
        }
        Files.deleteIfExists(home.resolve(FILE));
    }

    private static boolean hasEnded(ProcessHandle handle) {
        try {
            handle.onExit().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** When a process was started, as far as the system tells. */
    static long startOf(ProcessHandle handle) {
        return handle.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
    }
}
