package io.penstock.bench.scaling;

import io.penstock.bench.LateDataset;
import io.penstock.bench.experiment.TrainingStep;
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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A rank of one node that draws from a lazy shard over a distant source. The ranks begin each epoch together. */
final class LazyRank {

    static final Duration LATENCY = Duration.ofMillis(5);
    static final int IN_FLIGHT = 16;

    private static final String REACHED = "reached";
    private static final int BESIDE = 64; // what a schema adds to a sample, and RAM to a value

    private LazyRank() {}

    /** Who has a shard of its own, as {@code --lazy-shard} names it. */
    enum Mode {
        RANK,
        NODE,
        DISK;

        private LazyShard of(Topology topology) {
            return switch (this) {
                case RANK -> LazyShard.ofRanks(topology);
                case NODE -> LazyShard.ofNodes(topology);
                case DISK -> LazyShard.ofDisks(topology);
            };
        }
    }

    /**
     * The data and the caches.
     *
     * @param samples     of the data set
     * @param sampleBytes of each
     * @param memoryKiB   of each rank
     * @param diskKiB     of the node
     * @param epochs      to draw
     */
    record Load(int samples, int sampleBytes, int memoryKiB, int diskKiB, int epochs) {

        private Stream<String> words() {
            return IntStream.of(samples, sampleBytes, memoryKiB, diskKiB, epochs)
                    .mapToObj(Integer::toString);
        }

        private static Load parse(List<String> words) {
            int[] numbers = words.stream().mapToInt(Integer::parseInt).toArray();
            return new Load(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    /** An epoch of all ranks: until the last of them is done. */
    record Epoch(long samples, long loads, double seconds) {}

    /** The epochs of this number of ranks with empty caches. */
    static List<Epoch> epochs(Path cache, Mode mode, int ranks, Load load) {
        List<String> words = Stream.concat(Stream.of(cache.toString(), mode.name()), load.words())
                .toList();
        try (RankProcesses processes = new RankProcesses(LazyRank.class, ranks, words)) {
            processes.await(REACHED);
            List<Epoch> epochs = new ArrayList<>();
            for (int epoch = 0; epoch < load.epochs; epoch++) {
                long began = System.nanoTime();
                processes.release();
                List<long[]> counts = processes.await(REACHED).stream()
                        .map(rest -> Arrays.stream(rest.split(" "))
                                .mapToLong(Long::parseLong)
                                .toArray())
                        .toList();
                double seconds = (System.nanoTime() - began) / 1e9;
                epochs.add(new Epoch(
                        counts.stream().mapToLong(count -> count[0]).sum(),
                        counts.stream().mapToLong(count -> count[1]).sum(),
                        seconds));
            }
            processes.end();
            return epochs;
        }
    }

    /** Arguments: the rank, the number of ranks, the folder of the cache, the mode and the load. */
    public static void main(String[] words) throws IOException {
        int rank = Integer.parseInt(words[0]);
        int ranks = Integer.parseInt(words[1]);
        Load load = Load.parse(Arrays.asList(words).subList(4, words.length));
        LazyShard shard = Mode.valueOf(words[3])
                .of(Topology.of(Shard.of(rank, ranks), new Topology.Place(0, 1, rank, ranks)))
                .memoryBytes(load.memoryKiB * 1024L)
                .diskBytes(load.diskKiB * 1024L);
        Sampler sampler = shard.apply(
                Sampler.shuffled(42).remainder(Remainder.KEEP), shard.samples(load.samples, load.sampleBytes + BESIDE));
        AtomicLong loads = new AtomicLong();
        Dataset<Tensor> source = MemoryDataset.generate("lazy", load.samples, index -> {
            loads.incrementAndGet();
            return Tensor.ofBytes(new byte[load.sampleBytes]);
        });
        try (Cache cache = Cache.of(
                RamTier.ofBytes(load.memoryKiB * 1024L),
                ChronicleTier.at(Path.of(words[2]))
                        .maxBytes(load.diskKiB * 1024L)
                        .open())) {
            Dataset<Tensor> cached = new LateDataset(source, LATENCY).cache(cache, TrainingStep.SCHEMA);
            String counts = "";
            for (int epoch = 0; RankProcesses.reached(REACHED, counts) && epoch < load.epochs; epoch++) {
                long before = loads.get();
                long samples = Objects.requireNonNull(
                        cached.stream(
                                        sampler.epochs(epoch + 1).resumeAt(new Position(epoch, 0)),
                                        Execution.standard().inFlight(IN_FLIGHT))
                                .count()
                                .block(),
                        "a count");
                counts = samples + " " + (loads.get() - before);
            }
        }
    }
}
