package io.penstock.annotation;

import io.penstock.kit.WrappedStore;
import io.penstock.store.Store;
import io.penstock.store.StoreEntry;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** Knows its entries, and lets none be read. */
final class Unreadable extends WrappedStore {

    Unreadable(Store store) {
        super(store);
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry) {
        return Mono.error(new AssertionError("read " + entry));
    }

    @Override
    public Mono<ByteBuffer> read(StoreEntry entry, long offset, int length) {
        return read(entry);
    }
}
