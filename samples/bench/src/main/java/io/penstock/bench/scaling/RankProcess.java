package io.penstock.bench.scaling;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A rank that fills a cache on disk with others, and then runs warm epochs from it. */
final class RankProcess {

    private static final String READY = "ready";
    private static final String DONE = "done";

    private RankProcess() {}

    /**
     * The work of the ranks.
     *
     * @param samples     of an epoch, over all ranks
     * @param sampleBytes of each
     * @param batch       of each rank
     * @param before      epochs that fill the cache and warm up
     * @param epochs      that are measured
     */
    record Load(int samples, int sampleBytes, int batch, int before, int epochs) {

        private Stream<String> words() {
            return IntStream.of(samples, sampleBytes, batch, before, epochs).mapToObj(Integer::toString);
        }

        private static Load parse(List<String> words) {
            int[] numbers = words.stream().mapToInt(Integer::parseInt).toArray();
            return new Load(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
        }
    }

    /** Samples a second of all ranks, from the moment when all are ready until the last is done. */
    static double samplesPerSecond(Path cache, int ranks, Load load) {
        List<String> words =
                Stream.concat(Stream.of(cache.toString()), load.words()).toList();
        try (RankProcesses processes = new RankProcesses(RankProcess.class, ranks, words)) {
            processes.await(READY);
            long began = System.nanoTime();
            processes.release();
            processes.await(DONE);
            double seconds = (System.nanoTime() - began) / 1e9;
            processes.end();
            return load.samples * load.epochs / seconds;
        }
    }

    /** Arguments: the rank, the world size, the folder of the cache and the load. */
    public static void main(String[] words) throws IOException {
        Shard shard = Shard.of(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
        Load load = Load.parse(Arrays.asList(words).subList(3, words.length));
        long room = load.samples * (load.sampleBytes + 512L) * 2 + (64L << 20);
        try (Tier cache = ChronicleTier.at(Path.of(words[2])).maxBytes(room).open()) {
            Dataset<Tensor> samples = MemoryDataset.generate(
                            "ranks", load.samples, index -> Tensor.ofBytes(new byte[load.sampleBytes]))
                    .cache(cache, TrainingStep.SCHEMA);
            run(samples, shard, load, 0, load.before);
            if (RankProcesses.reached(READY, "")) {
                run(samples, shard, load, load.before, load.before + load.epochs);
                RankProcesses.reached(DONE, "");
            }
        }
    }

    private static void run(Dataset<Tensor> samples, Shard shard, Load load, long from, long to) {
        samples.stream(Sampler.shuffled(42).shard(shard).epochs(to).resumeAt(new Position(from, 0)))
                .transform(Batches.of(load.batch, TrainingStep.SCHEMA))
                .doOnNext(Batch::close)
                .blockLast();
    }
}
