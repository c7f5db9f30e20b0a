package io.penstock.store;

import java.util.List;
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

    /** The size and the version as words for people. */
    public List<String> state() {
        return List.of("size " + size, "version %016x".formatted(version));
    }
}
