package io.penstock.bench.suite;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.BareLoop;
import io.penstock.bench.Bench;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Rounds;
import io.penstock.bench.Seconds;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/** Warm, shuffled epochs from the RAM tier, from draw to closed batch. */
public final class WarmEpochs {

    /**
     * The whole heap is resident from the start, so that a collector that uses more of it does not look like a leak.
     */
    public static final List<String> FLAT_HEAP = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

    private static final List<Integer> STAGES = List.of(0, 1, 4, 8);
    private static final int STAGED_BYTES = 64;

    private static final int FLAT_BYTES = 16_384;
    private static final List<Integer> FLAT_EPOCHS = List.of(10, 100);
    private static final double MIB = 1 << 20;
    private static final int COLLECTIONS = 3; // a later one frees the direct buffers whose cleaners an earlier one ran

    private WarmEpochs() {}

    private static Tier tier(MeasuredEpoch epoch) {
        return RamTier.ofBytes((long) epoch.samples() * (epoch.sampleBytes() + 256));
    }

    /**
     * Against a bare loop that copies the same samples in the same order. The limit is the loop over the tier's own
     * memory. The loop over one plain direct buffer shows that the tier's layout does not slow the limit down.
     */
    public static void ram(Bench bench) {
        ram(MeasuredEpoch.large(bench), 85, bench);
        ram(MeasuredEpoch.small(bench), 50, bench);
    }

    private static void ram(MeasuredEpoch epoch, double mustReach, Bench bench) {
        try (Tier tier = tier(epoch)) {
            Dataset<Tensor> cached = epoch.records().cache(tier, MeasuredEpoch.SCHEMA);
            bench.progress("filling the cache with " + epoch);
            ByteBuffer[] views = new ByteBuffer[epoch.samples()];
            for (int i = 0; i < views.length; i++) {
                cached.get(i).block();
                views[i] = Objects.requireNonNull(tier.get(cached.id(i).key()).block(), "what was just stored");
            }
            BareLoop plain = BareLoop.overOneBuffer(epoch);
            BareLoop own = BareLoop.overViews(views, epoch);
            Rounds rounds = epoch.against(List.of(plain, own), cached, bench);
            bench.found(epoch + ": bare loop, tier's memory", epoch.gigabytes(rounds.median(2)), "GB/s");
            bench.found(epoch + ": bare loop, plain buffer", epoch.gigabytes(rounds.median(1)), "GB/s");
            bench.found(epoch + ": of the loop over a plain buffer", 100 * rounds.medianRatio(1, 0), "%");
            bench.atLeast(
                    mustReach, epoch + ": of the loop over the tier's memory", 100 * rounds.medianRatio(2, 0), "%");
        }
    }

    /** The cost of an empty stage behind a hit. */
    public static void stages(Bench bench) {
        int samples = bench.choose(200_000, 20_000);
        MeasuredEpoch epoch = new MeasuredEpoch(samples, STAGED_BYTES, 1);
        try (Tier tier = tier(epoch)) {
            Dataset<Tensor> staged = epoch.records().cache(tier, MeasuredEpoch.SCHEMA);
            List<DoubleSupplier> contestants = new ArrayList<>();
            int last = STAGES.get(STAGES.size() - 1);
            for (int stage = 0; stage <= last; stage++) {
                Dataset<Tensor> whole = staged;
                if (STAGES.contains(stage)) {
                    contestants.add(() ->
                            Seconds.of(() -> whole.stream(Sampler.shuffled(42)).blockLast()) * 1e9 / samples);
                }
                staged = staged.map("empty " + stage, tensor -> tensor);
            }
            Rounds rounds = bench.rounds("stage", 5, bench.choose(15, 7), contestants);
            for (int i = 0; i < STAGES.size(); i++) {
                bench.found(STAGES.get(i) + " empty stages: a sample", rounds.median(i), "ns");
            }
            bench.found("each stage adds", (rounds.median(STAGES.size() - 1) - rounds.median(0)) / last, "ns");
        }
    }

    /** The heap after 10 and after 100 warm epochs of one stream. */
    public static void flat(Bench bench) {
        int samples = bench.choose(8_000, 2_000);
        List<Double> heap = new ArrayList<>();
        try (Tier tier = RamTier.ofBytes((long) samples * (FLAT_BYTES + 256))) {
            new MeasuredEpoch(samples, FLAT_BYTES, 64)
                    .records().cache(tier, MeasuredEpoch.SCHEMA).stream(
                                    Sampler.shuffled(42).epochs(FLAT_EPOCHS.get(1)))
                            .transform(Batches.of(64, MeasuredEpoch.SCHEMA))
                            .doOnNext(Batch::close)
                            .filter(Batch::endsEpoch)
                            .map(batch -> (int) batch.epoch() + 1)
                            .doOnNext(ended -> bench.progress("flat: epoch %d", ended))
                            .filter(FLAT_EPOCHS::contains)
                            .doOnNext(ended -> {
                                for (int i = 0; i < COLLECTIONS; i++) {
                                    System.gc();
                                }
                                var used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
                                heap.add(used.getUsed() / MIB);
                            })
                            .blockLast();
        }
        for (int i = 0; i < 2; i++) {
            bench.found("heap after epoch " + FLAT_EPOCHS.get(i), heap.get(i), "MiB");
        }
        bench.found("heap grew by", heap.get(1) - heap.get(0), "MiB");
    }
}
