package io.penstock.internal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs what it is given at once, on the thread that gives it. Nothing to shut down.
 *
 * <p>A {@code FileChannel} is closed for everybody when one thread that uses it is interrupted. An asynchronous one is
 * not, and with this executor it costs the same (1.36 against 1.31 µs to read 1 KiB, 44.7 against 41.7 µs for 150,528
 * bytes, both into new heap buffers).
 */
public final class CallerThread extends AbstractExecutorService {

    public static final ExecutorService INSTANCE = new CallerThread();

    private CallerThread() {}

    /** What a call of a channel on this executor gave; it was done when the call returned, so nothing waits. */
    public static <T> T result(Future<T> call) throws IOException {
        try {
            return call.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }
}
