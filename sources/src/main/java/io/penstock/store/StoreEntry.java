package io.penstock.store;

import java.util.Objects;

/**
 * An entry as a store listed it: a key and the state of its bytes at that moment.
 *
 * @param key     the name within the store, its parts separated by {@code /}
 * @param size    in bytes
 * @param version differs whenever the bytes do, as far as the store knows: a file's modification time in nanoseconds
 *                since 1970
 */
public record StoreEntry(String key, long size, long version) {

    public StoreEntry {
        Objects.requireNonNull(key, "key");
        if (size < 0) {
            throw new IllegalArgumentException("size must not be negative: " + size);
        }
    }
}
