package io.penstock.store;

import io.penstock.store.internal.StoreInput;
import java.nio.ByteBuffer;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * One file and where it lies.
 *
 * @param store reads it
 * @param entry the file as it was listed
 */
public record StoreFile(Store store, StoreEntry entry) {

    public StoreFile {
        Objects.requireNonNull(store, "store");
        Objects.requireNonNull(entry, "entry");
    }

    /** Bytes in memory, which must not be written to any more, under a name that errors call them by. */
    public static StoreFile inMemory(String location, String key, byte[] bytes) {
        StoreEntry entry = new StoreEntry(key, bytes.length, 0);
        return new StoreFile(MemoryStore.of(location, entry, bytes), entry);
    }

    /** The size in bytes. */
    public long size() {
        return entry.size();
    }

    /** A range of the bytes; see {@link Store#read(StoreEntry, long, int)}. */
    public Mono<ByteBuffer> read(long offset, int length) {
        return store.read(entry, offset, length);
    }

    /** The bytes from the first on, for a scan. */
    public StoreInput input() {
        return StoreInput.of(store, entry);
    }
}
