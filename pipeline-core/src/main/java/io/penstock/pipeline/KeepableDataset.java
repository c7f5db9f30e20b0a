package io.penstock.pipeline;

import io.penstock.cache.WithOrigin;
import io.penstock.order.Draw;
import io.penstock.stream.internal.OrderedMerge;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A dataset whose samples a cache may keep in place of what stages make of them. */
final class KeepableDataset<T> extends Stage<T> implements Dataset<T> {

    private final Stage<T> input;
    private final Codec<T> codec;

    KeepableDataset(Stage<T> input, Codec<T> codec) {
        super(input.fingerprint(), input);
        this.input = input;
        this.codec = codec;
    }

    @Override
    Object begin(Draw draw) {
        return input.begin(draw);
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        input.beginAll(draws, begun);
    }

    @Override
    OrderedMerge.@Nullable Lending lending() {
        return input.lending();
    }

    @Override
    Stage<WithOrigin<T>> withOrigin() {
        return new FunctionStage<>(input, new StageFunction.Keeping<>(codec));
    }

    @Override
    T made(ByteBuffer origin, Draw draw) {
        return WithOrigin.decode(origin, codec);
    }

    @Override
    @Nullable Schema<?> schema() {
        return input.schema();
    }

    @Override
    public String toString() {
        return input.toString();
    }
}
