package io.penstock.cache.ram;

import io.penstock.tensor.Encoded;

/** Room for one value, which no other put has. */
record Room(Slab slab, long location, int bytes) {

    void fill(Encoded value) {
        Places.write(slab.bytes, location, value);
    }
}
