package io.penstock.zarr;

import io.penstock.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** A decoded chunk, or that there is none and the fill value stands for it. */
record Chunk(@Nullable Tensor tensor) {

    static final Chunk MISSING = new Chunk(null);

    private static final int OVERHEAD = 256;

    long bytes() {
        return OVERHEAD + (tensor == null ? 0L : tensor.byteSize());
    }
}
