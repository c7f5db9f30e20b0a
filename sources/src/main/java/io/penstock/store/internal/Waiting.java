package io.penstock.store.internal;

import io.penstock.fault.StoreException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Blocks the caller's thread for what opening needs, such as a list. */
public final class Waiting {

    private Waiting() {}

    /**
     * The value of a source that always has one. Interrupting the caller cancels it.
     * @throws StoreException if it fails, its own where that is what it fails with, or if the caller was interrupted
     * @throws IllegalStateException on a thread that must not block
     */
    public static <T> T forValue(Mono<T> source) {
        return Objects.requireNonNull(on(source), "a source that always has a value");
    }

    /** The value of a source, or {@code null} where it has none; as {@link #forValue}. */
    static <T> @Nullable T on(Mono<T> source) {
        return on(source.toFuture());
    }

    /** As {@link #on(Mono)}, for what is under way already. */
    static <T> @Nullable T on(CompletableFuture<T> future) {
        if (Schedulers.isInNonBlockingThread()) {
            throw new IllegalStateException("opening blocks, which thread %s must not; use Schedulers.boundedElastic()"
                    .formatted(Thread.currentThread().getName()));
        }
        try {
            return future.get();
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreException("interrupted while opening", e);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            if (cause instanceof RuntimeException known) {
                throw known;
            }
            throw new CompletionException(cause);
        }
    }
}
