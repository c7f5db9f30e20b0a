package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.internal.Arguments;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;

/**
 * A random function of a batch: {@link MixUp}, {@link CutMix}, or one of your own.
 *
 * <p><b>Threads</b>: called from several at once. It must take its randomness from {@code random} alone.
 */
@FunctionalInterface
public interface BatchTransform {

    /**
     * The fields that change, by name. Rows from {@link Batch#size} on are padding and stay as they are.
     * @param memory gives little-endian buffers of a number of bytes, with any content. They are used again once the
     *     batch is closed, so that large fields need no new memory in each batch
     */
    Map<String, Tensor> apply(Batch batch, RandomGenerator random, IntFunction<ByteBuffer> memory);

    /** One of these for each batch, each as often as any other. */
    static BatchTransform oneOf(BatchTransform... transforms) {
        List<BatchTransform> all = List.of(transforms);
        Arguments.refuse(all.isEmpty(), "there is no transform to choose from");
        return (batch, random, memory) ->
                all.get((int) (random.nextDouble() * all.size())).apply(batch, random, memory);
    }
}
