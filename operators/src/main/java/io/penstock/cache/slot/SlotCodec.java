package io.penstock.cache.slot;

import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;

/** Tensors of one dtype and shape as their bare elements: a slot's layout says the rest. */
record SlotCodec(SlotLayout layout) implements Codec<Tensor> {

    @Override
    public String id() {
        return "elements 1 %s%s".formatted(layout.dtype(), layout.shape());
    }

    @Override
    public Encoded encode(Tensor value) {
        if (value.dtype() != layout.dtype() || !value.shape().equals(layout.shape())) {
            throw new IllegalArgumentException("a slot takes %s%s, was %s; convert it first"
                    .formatted(layout.dtype(), layout.shape(), value.type()));
        }
        return Encoded.of(value.data());
    }

    @Override
    public Tensor decode(ByteBuffer bytes) {
        return Tensor.of(layout.dtype(), layout.shape(), bytes);
    }
}
