package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.LateDataset;
import io.penstock.bench.Measured;
import io.penstock.bench.MeasuredEpoch;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.cache.redis.NodeServer;
import io.penstock.cache.redis.RedisTier;
import io.penstock.cache.redis.internal.Programs;
import io.penstock.cache.slot.SharedSlots;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Codec;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * The time of a hit and of a miss in each tier, and of shuffled epochs with each tier and without, as BiLevelCache's
 * plan has it. One thread looks keys up one at a time, in shuffled order. A hit ends when the last byte is copied into
 * a direct buffer, a miss when the tier has said so. Without a cache each sample comes late; with one every sample is a
 * hit.
 */
public final class Latency {

    private static final String NONE = "no cache";
    private static final String RAM = "RAM";
    private static final String SHARED = "shared memory";
    private static final String DISK = "disk";
    private static final String REDIS = "Redis";
    private static final List<Double> PERCENTILES = List.of(0.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9);
    private static final Duration FAR = Duration.ofMillis(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int IN_FLIGHT = 64;
    private static final int WARM_UPS = 3;
    private static final Fingerprint ABSENT = Fingerprint.of("absent");
    private static final double ROUNDING = 1e-9; // of percentiles that binary fractions do not hit
    private static final long OVERHEAD = 512; // max of the headers and the index of a sample
    private static final long SPARE = 64L << 20;

    /** A tier that holds a whole data set. */
    private record Filled(Tier tier, Codec<Tensor> codec, Runnable closing) {

        Dataset<Tensor> over(Dataset<Tensor> samples) {
            return samples.cache(tier, codec);
        }
    }

    private final Bench bench;
    private final List<MeasuredEpoch> works;
    private final Measured measured = new Measured();
    private final Map<String, Filled> filled = new LinkedHashMap<>();
    private final List<String> kinds =
            Programs.find("redis-server", "valkey-server").isPresent()
                    ? List.of(NONE, RAM, SHARED, DISK, REDIS)
                    : List.of(NONE, RAM, SHARED, DISK);

    private Latency(Bench bench, List<MeasuredEpoch> works) {
        this.bench = bench;
        this.works = works;
    }

    public static void run(Bench bench) {
        run(
                bench,
                List.of(
                        new MeasuredEpoch(bench.choose(20_000, 4_000), 1024, 256),
                        new MeasuredEpoch(bench.choose(3_000, 1_000), 150_528, 64)),
                bench.choose(9, 3));
    }

    static Measured run(Bench bench, List<MeasuredEpoch> works, int rounds) {
        Latency experiment = new Latency(bench, works);
        ScratchFolder.with(folder -> {
            try {
                experiment.measure(folder, rounds);
            } finally {
                experiment.filled.values().forEach(full -> full.closing.run());
            }
        });
        works.forEach(experiment::report);
        experiment.draw();
        return experiment.measured;
    }

    private void measure(Path folder, int rounds) {
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        for (MeasuredEpoch work : works) {
            for (String kind : kinds) {
                String place = kind + " " + work.kilobytes();
                if (!kind.equals(NONE)) {
                    bench.progress("filling %s", place);
                    filled.put(place, fill(kind, folder.resolve(place.replace(' ', '-')), work));
                }
                trials.put(place, round -> measure(kind, work, round));
            }
        }
        for (int time = 1; time <= WARM_UPS; time++) {
            int round = -time;
            trials.values().forEach(trial -> trial.accept(round));
        }
        measured.clear();
        bench.inTurn(rounds, trials);
    }

    private Filled fill(String kind, Path folder, MeasuredEpoch work) {
        Dataset<Tensor> samples = work.records();
        long room = work.samples() * (work.sampleBytes() + OVERHEAD) + SPARE;
        Filled full = switch (kind) {
            case RAM -> filled(RamTier.ofBytes(room));
            case SHARED -> {
                SharedSlots slots = SharedSlots.at(folder).open(work.samples(), DType.U8, work.sampleBytes());
                Tier tier = slots.tier(samples, slots.codec());
                yield new Filled(tier, slots.codec(), () -> {
                    tier.close();
                    slots.close();
                });
            }
            case DISK -> filled(ChronicleTier.at(folder).maxBytes(2 * room).open());
            default ->
                filled(RedisTier.in(NodeServer.ofBytes(2 * room).directory(folder))
                        .timeout(TIMEOUT)
                        .open());
        };
        full.over(samples).stream(Sampler.sequential()).blockLast();
        if (full.tier instanceof ChronicleTier disk) {
            disk.flush().block();
        }
        if (full.tier instanceof RedisTier redis) {
            redis.flush().block();
        }
        if (full.tier.statistics().samples() != work.samples()) {
            throw new IllegalStateException("%s holds %d of %d samples"
                    .formatted(kind, full.tier.statistics().samples(), work.samples()));
        }
        return full;
    }

    private static Filled filled(Tier tier) {
        return new Filled(tier, TrainingStep.SCHEMA, tier::close);
    }

    private void measure(String kind, MeasuredEpoch work, int round) {
        Filled tier = filled.get(kind + " " + work.kilobytes());
        Dataset<Tensor> far = LateDataset.of(work.records(), FAR);
        if (tier != null) {
            Dataset<Tensor> cached = tier.over(work.records());
            List<SampleKey> keys = LongStream.range(0, work.samples())
                    .mapToObj(index -> cached.id(index).key())
                    .toList();
            double[] hits = micros(tier.tier, keys, work, round, true);
            double[] misses =
                    micros(tier.tier, keys.stream().map(key -> key.with(ABSENT)).toList(), work, round, false);
            for (double percentile : PERCENTILES) {
                measured.add(hit(kind, work), percentile, percentile(hits, percentile));
                measured.add(miss(kind, work), percentile, percentile(misses, percentile));
            }
        }
        double seconds = TrainingStep.none(work.batch())
                .seconds(
                        tier == null ? far : tier.over(far),
                        round,
                        0,
                        Execution.standard().inFlight(IN_FLIGHT));
        measured.add("epoch of " + work.kilobytes(), 1 + kinds.indexOf(kind), seconds * 1e6 / work.samples());
    }

    static String hit(String kind, MeasuredEpoch work) {
        return "hit in %s %s".formatted(kind, work.kilobytes());
    }

    static String miss(String kind, MeasuredEpoch work) {
        return "miss in %s %s".formatted(kind, work.kilobytes());
    }

    /** Microseconds of each look-up, from the shortest to the longest, all of them hits or all of them misses. */
    private static double[] micros(Tier tier, List<SampleKey> keys, MeasuredEpoch work, long seed, boolean hits) {
        List<SampleKey> order = new ArrayList<>(keys);
        Collections.shuffle(order, new Random(seed));
        ByteBuffer target = ByteBuffer.allocateDirect(work.sampleBytes());
        double[] micros = new double[order.size()];
        for (int i = 0; i < micros.length; i++) {
            SampleKey key = order.get(i);
            long began = System.nanoTime();
            ByteBuffer found = tier.get(key).block();
            if (found != null) {
                target.put(0, found, found.position(), Math.min(found.remaining(), target.capacity()));
            }
            micros[i] = (System.nanoTime() - began) / 1e3;
            if (found == null == hits) {
                throw new IllegalStateException("tier \"%s\" should %s".formatted(tier.name(), hits ? "hit" : "miss"));
            }
        }
        Arrays.sort(micros);
        return micros;
    }

    /** The value that this share of the sorted ones does not exceed. */
    static double percentile(double[] sorted, double percentile) {
        int rank = (int) Math.ceil(percentile * sorted.length / 100 - ROUNDING);
        return sorted[Math.max(0, rank - 1)];
    }

    private List<String> tiers() {
        return kinds.subList(1, kinds.size());
    }

    private void report(MeasuredEpoch work) {
        for (String kind : tiers()) {
            String what = "%s, %s: ".formatted(kind, work.kilobytes());
            for (double percentile : List.of(50.0, 99.9)) {
                String part = percentile == 50 ? ", median" : ", p99.9";
                bench.found(what + "a hit" + part, measured.median(hit(kind, work), percentile), "us");
                bench.found(what + "a miss" + part, measured.median(miss(kind, work), percentile), "us");
            }
            String epochs = "epoch of " + work.kilobytes();
            double[] with = measured.values(epochs, 1 + kinds.indexOf(kind));
            double times = Rounds.quantile(Rounds.ratios(measured.values(epochs, 1), with), 0.5);
            bench.found(what + "an epoch without a cache over one with", times, "times");
        }
        percentiles(
                "hit-" + work.sampleBytes(),
                "A hit in each tier, samples of " + work.kilobytes(),
                kind -> hit(kind, work));
    }

    private void draw() {
        MeasuredEpoch first = works.get(0);
        percentiles("miss", "A miss in each tier, samples of " + first.kilobytes(), kind -> miss(kind, first));
        bench.draw(new Chart(
                "epoch",
                "Time of an epoch with all samples in a tier, and without a cache",
                Chart.Axis.named("cache", kinds),
                Chart.Axis.logarithmic("time of the epoch per sample [µs]"),
                works.stream()
                        .map(work -> measured.line("samples of " + work.kilobytes(), "epoch of " + work.kilobytes())
                                .apart())
                        .toList()));
    }

    private void percentiles(String file, String title, UnaryOperator<String> series) {
        List<String> names = PERCENTILES.stream().map(Object::toString).toList();
        bench.draw(new Chart(
                file,
                title,
                Chart.Axis.named("percentile", names),
                Chart.Axis.logarithmic("time of the look-up [µs]"),
                tiers().stream()
                        .map(kind -> measured.line(kind, series.apply(kind), x -> 1 + PERCENTILES.indexOf(x)))
                        .toList()));
    }
}
