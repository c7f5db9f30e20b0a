package io.penstock.bench;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
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

    public static MeasuredEpoch large(Bench bench) {
        return new MeasuredEpoch(bench.choose(4_000, 2_000), 150_528, 64);
    }

    public static MeasuredEpoch small(Bench bench) {
        return new MeasuredEpoch(bench.choose(400_000, 200_000), 1024, 256);
    }

    /** Records of random bytes that are cheap to generate; each begins with its index. */
    public Dataset<Tensor> records() {
        byte[] pattern = new byte[sampleBytes];
        new SplittableRandom(1).nextBytes(pattern);
        return MemoryDataset.generate("made records of " + sampleBytes, samples, index -> {
            ByteBuffer bytes = ByteBuffer.wrap(pattern.clone()).putLong(0, index);
            return Tensor.ofBytes(bytes.array());
        });
    }

    public String kilobytes() {
        return sampleBytes < 10_000 ? sampleBytes / 1024 + " KiB" : sampleBytes / 1000 + " KB";
    }

    /**
     * Epochs of the pipeline and bare loops in the same order, in turn; the pipeline is the first contestant. Adds its
     * throughput, and the time of a sample.
     */
    public Rounds against(List<BareLoop> loops, Dataset<Tensor> cached, Bench bench) {
        int[] seed = {0};
        int[][] order = {{}};
        List<DoubleSupplier> contestants = new ArrayList<>(List.of(() -> seconds(cached, sampler(seed[0]))));
        loops.forEach(loop -> contestants.add(() -> loop.seconds(order[0])));
        Rounds rounds = Rounds.of(
                WARM_UP,
                bench.choose(15, 7),
                round -> {
                    bench.progress("%s, round %d", this, round + 1);
                    order[0] = order(++seed[0]);
                },
                contestants);
        bench.found(this + ": pipeline", gigabytes(rounds.median(0)), "GB/s");
        bench.found(this + ": pipeline, a sample", rounds.median(0) / samples * 1e9, "ns");
        return rounds;
    }

    public double gigabytes(double seconds) {
        return (double) samples * sampleBytes / seconds / 1e9;
    }

    private static Sampler sampler(int seed) {
        return Sampler.shuffled(seed).epochs(2);
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
        Arrays.setAll(order, i -> (int) draws.at(samples + i).index());
        return order;
    }

    @Override
    public String toString() {
        return "%,d x %,d B, batches of %d".formatted(samples, sampleBytes, batch);
    }
}
