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

/** One rank of {@link RankProcesses}: prints when it is ready, waits for a line, runs, and prints when it is done. */
final class RankProcess {

    static final String READY = "ready";
    static final String DONE = "done";

    private RankProcess() {}

    /** Arguments: the folder of the cache, the rank, the world size and the load. */
    public static void main(String[] words) throws IOException {
        Path folder = Path.of(words[0]);
        Shard shard = Shard.of(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        RankProcesses.Load load = RankProcesses.Load.parse(Arrays.asList(words).subList(3, words.length));
        long room = load.samples() * (load.sampleBytes() + 512L) * 2 + (64L << 20);
        try (Tier cache = ChronicleTier.at(folder).maxBytes(room).open()) {
            Dataset<Tensor> samples = MemoryDataset.generate(
                            "ranks", load.samples(), index -> Tensor.ofBytes(new byte[load.sampleBytes()]))
                    .cache(cache, TrainingStep.SCHEMA);
            run(samples, shard, load, 0, load.before());
            say(READY);
            if (System.in.read() < 0) {
                return; // the parent has ended
            }
            run(samples, shard, load, load.before(), load.before() + load.epochs());
            say(DONE);
        }
    }

    private static void run(Dataset<Tensor> samples, Shard shard, RankProcesses.Load load, long from, long to) {
        samples.stream(Sampler.shuffled(42).shard(shard).epochs(to).resumeAt(new Position(from, 0)))
                .transform(Batches.of(load.batch(), TrainingStep.SCHEMA))
                .doOnNext(Batch::close)
                .blockLast();
    }

    @SuppressWarnings("SystemOut") // the parent reads it
    private static void say(String word) {
        System.out.println(word);
    }
}
