package io.penstock.store;

import io.penstock.internal.Thrown;
import io.penstock.stream.Execution;
import java.nio.ByteBuffer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * A store that reads on threads that may work on the bytes, too. That saves a hand-over a read; the values are those of
 * any other store, so a wrapper may leave this out.
 */
public interface LocalStore extends Store {

    /**
     * A function's result for the bytes of {@link Store#find(String, int)}, for CPU work such as decompressing. Runs on
     * the thread that has read.
     */
    <R> Mono<R> find(String key, int max, Function<? super ByteBuffer, ? extends R> made);

    /** A function's result for a range's bytes; where it runs, see {@link #find(String, int, Function)}. */
    <R> Mono<R> read(StoreEntry entry, long offset, int length, Function<? super ByteBuffer, ? extends R> made);

    /**
     * A function's result for the bytes that any store finds: on the thread that has read where that may do such work,
     * else on the {@linkplain Execution#standard workers} that stages run on.
     */
    static <R> Mono<R> find(Store store, String key, int max, Function<? super ByteBuffer, ? extends R> made) {
        return store instanceof LocalStore local
                ? local.find(key, max, made)
                : store.find(key, max).publishOn(Execution.standard().workers()).map(Thrown.function(made));
    }

    /** The same for a range's bytes. */
    static <R> Mono<R> read(
            Store store, StoreEntry entry, long offset, int length, Function<? super ByteBuffer, ? extends R> made) {
        return store instanceof LocalStore local
                ? local.read(entry, offset, length, made)
                : store.read(entry, offset, length)
                        .publishOn(Execution.standard().workers())
                        .map(Thrown.function(made));
    }
}
