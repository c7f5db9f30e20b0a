package io.penstock.zarr;

import io.penstock.store.Store;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A store, and where what was read from it is decoded: on a scheduler, or without one wherever the store does such work.
 */
record Stored(Store store, @Nullable Scheduler decoding) {

    <R> Mono<R> find(String key, int most, Function<ByteBuffer, R> decode) {
        return decoding == null
                ? store.find(key, most, decode)
                : store.find(key, most).publishOn(decoding).map(decode);
    }

    <R> Mono<R> read(Part part, long from, int count, Function<ByteBuffer, R> decode) {
        long offset = part.offset() + from;
        return decoding == null
                ? store.read(part.entry(), offset, count, decode)
                : store.read(part.entry(), offset, count).publishOn(decoding).map(decode);
    }
}
