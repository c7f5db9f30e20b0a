package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/** A bare tensor as a value of one field. */
final class SingleSchema implements Schema<Tensor> {

    private final List<String> names;
    private final TensorDecoder decoder = new TensorDecoder(1);

    SingleSchema(String name) {
        this.names = List.of(Objects.requireNonNull(name, "name"));
    }

    @Override
    public List<String> names() {
        return names;
    }

    @Override
    public List<Tensor> flatten(Tensor value) {
        return List.of(value);
    }

    @Override
    public Tensor unflatten(List<Tensor> tensors) {
        return tensors.get(0);
    }

    @Override
    public Tensor decode(ByteBuffer bytes) {
        return decoder.decode(bytes).get(0);
    }
}
