package io.penstock.cache.redis.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A process of this node, told from a later one that got its number.
 *
 * @param number  that the system gave it
 * @param started when it was started, in milliseconds; 0 where the system does not tell
 */
public record ServerProcess(long number, long started) {

    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    static ServerProcess of(long number) {
        return new ServerProcess(
                number, ProcessHandle.of(number).map(ServerProcess::startOf).orElse(0L));
    }

    private static long startOf(ProcessHandle handle) {
        return handle.info().startInstant().orElse(Instant.EPOCH).toEpochMilli();
    }

    /** Whether it runs: one that has ended and whose parent has not noticed yet has no command any more. */
    public boolean isAlive() {
        return ProcessHandle.of(number)
                .filter(handle -> startOf(handle) == started)
                .flatMap(handle -> handle.info().command())
                .isPresent();
    }

    /** Kills it if it runs, and waits a while for its end. */
    void kill(Duration patience) {
        if (isAlive()) {
            ProcessHandle.of(number).ifPresent(ProcessHandle::destroyForcibly);
            awaitEnd(patience);
        }
    }

    /** Blocks until it has ended, but no longer than this. */
    void awaitEnd(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (isAlive() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(PAUSE);
        }
    }
}
