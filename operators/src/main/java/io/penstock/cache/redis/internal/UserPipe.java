package io.penstock.cache.redis.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One use of a node's server: the writing end of the pipe that the server's {@link Watcher} reads. It ends with the
 * process at the latest.
 */
record UserPipe(FileChannel pipe) implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

    /** Makes the pipe of a server that is to be started, and uses it. */
    static UserPipe first(Path home, String id) throws IOException {
        Path pipe = pipe(home, id);
        try {
            int status = new ProcessBuilder("mkfifo", "-m", "600", pipe.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
            if (status != 0) {
                throw new IOException("mkfifo cannot make %s: it ended with %d".formatted(pipe, status));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + pipe + " was made", e);
        }
        return open(pipe);
    }

    static Path pipe(Path home, String id) {
        return home.resolve("users-" + id);
    }

    /** For reading too, since that never waits for another end. */
    private static UserPipe open(Path pipe) throws IOException {
        return new UserPipe(FileChannel.open(pipe, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    /**
     * Uses a server that is registered; null if its watcher has seen its last user go, or is gone itself. A watcher
     * that has answered while this end is open does not see an end of file before this end is closed.
     */
    static @Nullable UserPipe of(Path home, Registration server) throws IOException {
        UserPipe use;
        try {
            use = open(pipe(home, server.id()));
        } catch (NoSuchFileException e) {
            return null;
        }
        try {
            if (use.isSeen(home, server.watcher())) {
                return use;
            }
        } catch (IOException | RuntimeException e) {
            use.close();
            throw e;
        }
        use.close();
        return null;
    }

    private boolean isSeen(Path home, ServerProcess watcher) throws IOException {
        String name = "seen-" + UUID.randomUUID();
        Path seen = home.resolve(name);
        pipe.write(ByteBuffer.wrap((name + "\n").getBytes(StandardCharsets.US_ASCII)));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (watcher.isAlive() && System.nanoTime() < deadline) {
            if (Files.deleteIfExists(seen)) {
                return true;
            }
            LockSupport.parkNanos(PAUSE);
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        pipe.close();
    }
}
