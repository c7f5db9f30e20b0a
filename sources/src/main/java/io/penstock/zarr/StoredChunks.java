package io.penstock.zarr;

import io.penstock.fault.StoreException;
import io.penstock.internal.Thrown;
import io.penstock.store.LocalStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The encoded chunks of an array in a store.
 *
 * @param chunks   the states that were listed: no other state is read; without them the present state is read
 * @param decoding decodes the bytes; null for the threads that the store uses
 */
record StoredChunks(
        Store store, ChunkStates chunks, @Nullable Scheduler decoding) {

    /** A range of an entry. */
    record Part(StoreEntry entry, long offset, long length) {

        Part slice(long from, long count) {
            return new Part(entry, offset + from, count);
        }
    }

    /** The chunk under a key; empty if there is none. */
    <R> Mono<R> find(String key, int max, Function<ByteBuffer, R> decode) {
        if (chunks.isKnown()) {
            return entry(key).flatMap(chunk -> read(new Part(chunk, 0, chunk.size()), 0, size(chunk, max), decode));
        }
        return decoding == null
                ? LocalStore.find(store, key, max, decode)
                : store.find(key, max).publishOn(decoding).map(Thrown.function(decode));
    }

    private int size(StoreEntry chunk, int max) {
        if (chunk.size() > max) {
            throw new StoreException("cannot read %s in %s: at most %d bytes are expected, it has %d"
                    .formatted(chunk.key(), store.location(), max, chunk.size()));
        }
        return (int) chunk.size();
    }

    /** Size and version of a chunk; empty if there is none. */
    Mono<StoreEntry> entry(String key) {
        return chunks.isKnown() ? Mono.justOrEmpty(chunks.entry(key)) : store.entry(key);
    }

    <R> Mono<R> read(Part part, long from, int count, Function<ByteBuffer, R> decode) {
        long offset = part.offset() + from;
        return decoding == null
                ? LocalStore.read(store, part.entry(), offset, count, decode)
                : store.read(part.entry(), offset, count).publishOn(decoding).map(Thrown.function(decode));
    }
}
