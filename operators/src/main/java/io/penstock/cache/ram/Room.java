package io.penstock.cache.ram;

import io.penstock.tensor.Encoded;
import java.io.IOException;

/** Room for one value, which no other put has. */
record Room(Slab slab, long location, int bytes) {

    /** @throws IOException if the system has no memory for it */
    void fill(Encoded value) throws IOException {
        Places.write(slab, location, value);
    }
}
