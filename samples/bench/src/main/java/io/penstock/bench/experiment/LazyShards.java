package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.ChildProcess;
import io.penstock.bench.LateDataset;
import io.penstock.bench.Measured;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
import io.penstock.cache.Cache;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.lazy.LazyShard;
import io.penstock.cache.ram.RamTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.Topology;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * What lazy shards hold, load and take in each mode as the number of ranks grows, after BiLevelCache. Ranks are
 * processes of one node, each with its own cache in RAM, over one cache on disk. Caches begin empty. The ranks begin an
 * epoch together, and it ends with the last of them. Each sample is to be loaded once, and nothing from the second
 * epoch on.
 */
public final class LazyShards {

    private static final Duration LATENCY = Duration.ofMillis(5);
    private static final int IN_FLIGHT = 16;
    private static final int SAMPLES = 20_000;
    private static final int SAMPLE_BYTES = 16_384;
    private static final int BESIDE = 64; // what a schema adds to a sample, and RAM to a value
    private static final int EPOCHS = 3;
    private static final String REACHED = "reached";

    /** Caches of one size: of each rank, and of the node. */
    record Caches(int memoryKiB, int diskKiB) {

        @Override
        public String toString() {
            return "%d + %d MiB".formatted(memoryKiB / 1024, diskKiB / 1024);
        }
    }

    /** Which ranks have a shard of their own, as {@code --lazy-shard} names it. */
    private static final Map<String, Function<Topology, LazyShard>> MODES = new TreeMap<>(Map.of(
            "rank", LazyShard::ofRanks,
            "node", LazyShard::ofNodes,
            "disk", LazyShard::ofDisks));

    private LazyShards() {}

    public static void run(Bench bench) {
        run(
                bench,
                SAMPLES,
                bench.choose(
                        List.of(new Caches(4_096, 32_768), new Caches(8_192, 65_536)),
                        List.of(new Caches(2_048, 24_576))),
                bench.choose(List.of(1, 2, 4, 8), List.of(1, 2, 4)));
    }

    static Measured run(Bench bench, int samples, List<Caches> sizes, List<Integer> ranks) {
        Measured measured = new Measured();
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        ScratchFolder.with(folder -> {
            for (String mode : MODES.keySet()) {
                for (Caches caches : sizes) {
                    for (int number : ranks) {
                        trials.put(
                                "mode %s of %d %s".formatted(mode, number, caches),
                                round -> measure(folder.resolve("cache"), samples, mode, caches, number, measured));
                    }
                }
            }
            bench.inTurn(1, trials);
        });
        for (String mode : MODES.keySet()) {
            for (Caches caches : sizes) {
                ranks.forEach(number -> report(bench, mode, caches, number, measured));
            }
        }
        draw(bench, sizes, ranks, measured);
        return measured;
    }

    static String series(String figure, String mode, Caches caches) {
        return "%s, %s %s".formatted(figure, mode, caches);
    }

    static String loads(int epoch) {
        return "loads of epoch " + epoch;
    }

    private static String seconds(int epoch) {
        return "seconds of epoch " + epoch;
    }

    /** The epochs of this number of ranks with empty caches. */
    private static void measure(Path folder, int samples, String mode, Caches caches, int ranks, Measured measured) {
        List<ChildProcess> processes = new ArrayList<>();
        try {
            for (int rank = 0; rank < ranks; rank++) {
                processes.add(ChildProcess.start(
                        List.of(),
                        LazyShards.class,
                        rank,
                        ranks,
                        folder,
                        mode,
                        samples,
                        caches.memoryKiB,
                        caches.diskKiB));
            }
            processes.forEach(process -> process.await(REACHED));
            for (int epoch = 0; epoch < EPOCHS; epoch++) {
                long began = System.nanoTime();
                processes.forEach(ChildProcess::release);
                long drawn = 0;
                long loaded = 0;
                for (ChildProcess process : processes) {
                    String[] counts = process.await(REACHED).split(" ", -1);
                    drawn += Long.parseLong(counts[0]);
                    loaded += Long.parseLong(counts[1]);
                }
                measured.add(series(seconds(epoch), mode, caches), ranks, Seconds.since(began));
                measured.add(series(loads(epoch), mode, caches), ranks, (double) loaded);
                if (epoch == 0) {
                    measured.add(series("samples", mode, caches), ranks, (double) drawn);
                }
            }
            processes.forEach(ChildProcess::release);
            processes.forEach(ChildProcess::join);
        } finally {
            processes.forEach(ChildProcess::close);
            ScratchFolder.delete(folder);
        }
    }

    /**
     * A rank: its number, that of all ranks, the folder of the cache, the mode, the samples, and KiB of RAM and disk.
     */
    public static void main(String[] words) throws IOException {
        int rank = Integer.parseInt(words[0]);
        int ranks = Integer.parseInt(words[1]);
        int samples = Integer.parseInt(words[4]);
        long memoryBytes = Long.parseLong(words[5]) << 10;
        long diskBytes = Long.parseLong(words[6]) << 10;
        LazyShard shard = Objects.requireNonNull(MODES.get(words[3]), "a mode")
                .apply(Topology.of(Shard.of(rank, ranks), new Topology.Place(0, 1, rank, ranks)))
                .memoryBytes(memoryBytes)
                .diskBytes(diskBytes);
        Sampler sampler = shard.apply(
                Sampler.shuffled(42).remainder(Remainder.KEEP), shard.samples(samples, SAMPLE_BYTES + BESIDE));
        AtomicLong loads = new AtomicLong();
        Dataset<Tensor> source = MemoryDataset.generate("lazy", samples, index -> {
            loads.incrementAndGet();
            return Tensor.ofBytes(new byte[SAMPLE_BYTES]);
        });
        try (Cache cache = Cache.of(
                RamTier.ofBytes(memoryBytes),
                ChronicleTier.at(Path.of(words[2])).maxBytes(diskBytes).open())) {
            Dataset<Tensor> cached = LateDataset.of(source, LATENCY).cache(cache, TrainingStep.SCHEMA);
            String counts = "";
            for (int epoch = 0; ChildProcess.reached(REACHED, counts) && epoch < EPOCHS; epoch++) {
                long before = loads.get();
                Sampler one = sampler.epochs(epoch + 1).resumeAt(new Position(epoch, 0));
                Long drawn = cached.stream(one, Execution.standard().inFlight(IN_FLIGHT))
                        .count()
                        .block();
                counts = drawn + " " + (loads.get() - before);
            }
        }
    }

    private static void report(Bench bench, String mode, Caches caches, int ranks, Measured measured) {
        String what = "mode %s of %d %s: ".formatted(mode, ranks, caches);
        double samples = measured.median(series("samples", mode, caches), ranks);
        double later = IntStream.range(1, EPOCHS)
                .mapToDouble(epoch -> measured.median(series(loads(epoch), mode, caches), ranks))
                .max()
                .orElseThrow();
        double[] seconds = IntStream.range(1, EPOCHS)
                .mapToDouble(epoch -> measured.median(series(seconds(epoch), mode, caches), ranks))
                .toArray();
        bench.atMost(samples, what + "loads, first epoch", measured.median(series(loads(0), mode, caches), ranks), "");
        bench.atMost(0, what + "loads, each later epoch", later, "");
        bench.found(what + "first epoch", measured.median(series(seconds(0), mode, caches), ranks), "s");
        bench.found(what + "later epochs", Rounds.quantile(seconds, 0.5), "s");
    }

    private static void draw(Bench bench, List<Caches> sizes, List<Integer> ranks, Measured measured) {
        Caches largest = sizes.get(sizes.size() - 1);
        List<Chart.Line> times = new ArrayList<>();
        for (String mode : MODES.keySet()) {
            times.add(measured.line(mode + ", first epoch", series(seconds(0), mode, largest)));
            times.add(measured.line(mode + ", last epoch", series(seconds(EPOCHS - 1), mode, largest)));
        }
        Chart.Axis axis = Chart.Axis.counted("ranks of the node", ranks.get(ranks.size() - 1));
        bench.draw(new Chart(
                "time",
                "Time of an epoch, caches of " + largest,
                axis,
                Chart.Axis.logarithmic("time of an epoch [s]"),
                times));
    }
}
