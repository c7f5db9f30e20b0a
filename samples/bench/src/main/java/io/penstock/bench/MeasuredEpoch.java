package io.penstock.bench;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;

/**
 * A shuffled epoch from draw to closed batch. It is the second of two, measured from the last batch of the first to its
 * own last batch, so that threads and buffers exist and no batch was prepared before the clock started.
 */
public final class MeasuredEpoch {

    private final Schema<Tensor> schema = Schema.tensor("bytes");

    public Schema<Tensor> schema() {
        return schema;
    }

    private static Sampler sampler(int seed) {
        return Sampler.shuffled(seed).epochs(2);
    }

    public double seconds(Dataset<Tensor> cached, int batch, int seed) {
        long[] ends = new long[2];
        cached.stream(sampler(seed))
                .transform(Batches.of(batch, schema))
                .doOnNext(full -> consume(full, ends))
                .blockLast();
        return (ends[1] - ends[0]) / 1e9;
    }

    private static void consume(Batch batch, long[] ends) {
        try (batch) {
            if (batch.endsEpoch()) {
                ends[(int) batch.epoch()] = System.nanoTime();
            }
        }
    }

    /** The order of the measured epoch. */
    public int[] order(int samples, int seed) {
        Draws draws = sampler(seed).draws(samples);
        int[] order = new int[samples];
        for (int i = 0; i < order.length; i++) {
            order[i] = (int) draws.at(samples + i).index();
        }
        return order;
    }
}
