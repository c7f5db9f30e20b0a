package io.penstock.store;

import io.penstock.pipeline.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Waits for a store, for what blocks while it opens data. */
final class Waiting {

    private Waiting() {}

    /** The value, or {@code null} where there is none; fails as the store does. */
    static <T> @Nullable T on(Mono<T> value) {
        return on(value.toFuture());
    }

    static <T> @Nullable T on(CompletableFuture<T> value) {
        try {
            return value.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new StoreException("cannot read: " + e.getCause(), e);
        } catch (InterruptedException e) {
            value.cancel(true);
            Thread.currentThread().interrupt();
            throw new StoreException("cannot read: interrupted", e);
        }
    }
}
