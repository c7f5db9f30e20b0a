package io.penstock.zarr;

import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** A range of what lies under a key. */
record Part(StoreEntry entry, long offset, long length) {

    Part slice(long from, long count) {
        return new Part(entry, offset + from, count);
    }

    Mono<ByteBuffer> read(Store store, long from, int count) {
        return store.read(entry, offset + from, count);
    }
}
