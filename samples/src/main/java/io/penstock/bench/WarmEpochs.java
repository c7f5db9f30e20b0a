package io.penstock.bench;

import io.penstock.batch.Batches;
import io.penstock.cache.RamTier;
import io.penstock.pipeline.Batch;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Draws;
import io.penstock.pipeline.Sampler;
import io.penstock.pipeline.Tier;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A warm, shuffled epoch out of the RAM tier, from draw to closed batch, against the bare loop that only copies the same
 * samples in the same order.
 *
 * <p>The loop over the tier's own memory is the limit. It is run over one plain direct buffer too, to show that the limit
 * was not slowed down by where the samples lie.
 *
 * Each round of the pipeline runs two epochs and measures the second, from the last batch of one to the last of the
 * other, so that threads and buffers are there and nothing was prepared ahead.
 */
final class WarmEpochs implements Benchmark {

    private static final int WARM_UP = 3;

    private final Schema<Tensor> schema = Schema.tensor("bytes");

    private record Work(int row, int samples, int sampleBytes, int batch, double mustReach) {
        @Override
        public String toString() {
            return "%,d x %,d B, batches of %d".formatted(samples, sampleBytes, batch);
        }
    }

    @Override
    public String name() {
        return "warm";
    }

    @Override
    public String about() {
        return "a warm RAM epoch against a bare copying loop";
    }

    @Override
    public List<Finding> run(Effort effort) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(measure(new Work(1, effort.of(4_000, 2_000), 150_528, 64, 85), effort));
        findings.addAll(measure(new Work(2, effort.of(400_000, 200_000), 1024, 256, 50), effort));
        return findings;
    }

    private List<Finding> measure(Work work, Effort effort) {
        MadeRecords records = new MadeRecords(work.samples, work.sampleBytes);
        try (Tier tier = RamTier.ofBytes((long) work.samples * (work.sampleBytes + 256))) {
            Dataset<Tensor> cached = records.cache(tier, schema);
            effort.progress().accept("warm: filling the cache with " + work);
            ByteBuffer[] views = new ByteBuffer[work.samples];
            for (int i = 0; i < work.samples; i++) {
                cached.get(i).block();
                views[i] = Objects.requireNonNull(tier.get(cached.key(i)).block(), "what was just stored");
            }
            BareLoop plain = BareLoop.overOneBuffer(records, work.sampleBytes, work.batch);
            BareLoop own = BareLoop.overViews(views, work.sampleBytes, work.batch);
            int[] round = {0};
            int[][] order = {{}};
            Rounds rounds = Rounds.of(
                    WARM_UP,
                    effort.of(15, 7),
                    number -> {
                        effort.progress().accept("warm: %s, round %d".formatted(work, number + 1));
                        order[0] = order(work, ++round[0]);
                    },
                    List.of(
                            () -> pipelineSeconds(cached, work, round[0]),
                            () -> plain.seconds(order[0]),
                            () -> own.seconds(order[0])));
            return findings(work, rounds);
        }
    }

    private List<Finding> findings(Work work, Rounds rounds) {
        double bytes = (double) work.samples * work.sampleBytes;
        return List.of(
                Finding.of(name(), work + ": pipeline", bytes / rounds.median(0) / 1e9, "GB/s"),
                Finding.of(name(), work + ": pipeline, a sample", rounds.median(0) / work.samples * 1e9, "ns"),
                Finding.of(name(), work + ": bare loop, tier's memory", bytes / rounds.median(2) / 1e9, "GB/s"),
                Finding.of(name(), work + ": bare loop, plain buffer", bytes / rounds.median(1) / 1e9, "GB/s"),
                Finding.of(name(), work + ": of the loop over a plain buffer", 100 * rounds.medianRatio(1, 0), "%"),
                Finding.of(name(), work + ": of the loop over the tier's memory", 100 * rounds.medianRatio(2, 0), "%")
                        .atLeast(work.row, work.mustReach));
    }

    private Sampler sampler(int seed) {
        return Sampler.shuffled(seed).epochs(2);
    }

    private double pipelineSeconds(Dataset<Tensor> cached, Work work, int seed) {
        long[] ends = new long[2];
        cached.stream(sampler(seed))
                .transform(Batches.of(work.batch, schema))
                .doOnNext(batch -> consume(batch, ends))
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

    /** The order of the epoch that is measured. */
    private int[] order(Work work, int seed) {
        Draws draws = sampler(seed).draws(work.samples);
        int[] order = new int[work.samples];
        for (int i = 0; i < order.length; i++) {
            order[i] = (int) draws.at(work.samples + i).index();
        }
        return order;
    }
}
