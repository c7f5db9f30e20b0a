package io.penstock.bench;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * A shuffled epoch from draw to closed batch. It is the second of two, measured from the last batch of the first to its
 * own last batch, so that threads and buffers exist and no batch was prepared before the clock started.
 *
 * @param samples     of the epoch
 * @param sampleBytes of each
 * @param batch       samples of a batch
 */
public record MeasuredEpoch(int samples, int sampleBytes, int batch) {

    public static final Schema<Tensor> SCHEMA = Schema.tensor("bytes");

    private static final int WARM_UP = 3;

    public MadeRecords records() {
        return new MadeRecords(samples, sampleBytes);
    }

    /** Epochs of the pipeline and bare loops in the same order, in turn; the pipeline is the first contestant. */
    public Rounds against(List<BareLoop> loops, Dataset<Tensor> cached, BenchOptions options) {
        int[] seed = {0};
        int[][] order = {{}};
        List<DoubleSupplier> contestants = new ArrayList<>(List.of(() -> seconds(cached, seed[0])));
        loops.forEach(loop -> contestants.add(() -> loop.seconds(order[0])));
        return Rounds.of(
                WARM_UP,
                options.choose(15, 7),
                round -> {
                    options.progress().accept("%s, round %d".formatted(this, round + 1));
                    order[0] = order(++seed[0]);
                },
                contestants);
    }

    /** The throughput and the time a sample of the pipeline in these rounds. */
    public List<Result> results(Rounds rounds) {
        return List.of(
                Result.of(this + ": pipeline", gigabytes(rounds.median(0)), "GB/s"),
                Result.of(this + ": pipeline, a sample", rounds.median(0) / samples * 1e9, "ns"));
    }

    /** Gigabytes a second of an epoch of this time. */
    public double gigabytes(double seconds) {
        return (double) samples * sampleBytes / seconds / 1e9;
    }

    private static Sampler sampler(int seed) {
        return Sampler.shuffled(seed).epochs(2);
    }

    private double seconds(Dataset<Tensor> cached, int seed) {
        return seconds(cached, sampler(seed));
    }

    /** The seconds of the second epoch of a sampler of two. */
    public double seconds(Dataset<Tensor> cached, Sampler sampler) {
        long[] ends = new long[2];
        cached.stream(sampler)
                .transform(Batches.of(batch, SCHEMA))
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

    private int[] order(int seed) {
        Draws draws = sampler(seed).draws(samples);
        int[] order = new int[samples];
        for (int i = 0; i < order.length; i++) {
            order[i] = (int) draws.at(samples + i).index();
        }
        return order;
    }

    @Override
    public String toString() {
        return "%,d x %,d B, batches of %d".formatted(samples, sampleBytes, batch);
    }
}
