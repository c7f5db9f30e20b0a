package io.penstock.zarr;

import io.penstock.store.StoreEntry;

/** A range of what lies under a key. */
record Part(StoreEntry entry, long offset, long length) {

    Part slice(long from, long count) {
        return new Part(entry, offset + from, count);
    }
}
