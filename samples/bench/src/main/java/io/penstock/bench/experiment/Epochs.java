package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.Measured;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.Seconds;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The time of each epoch with a cache and without, after Bagua: decoding JPEG files, shuffled, and training. Each run
 * begins with an empty cache or with none, and its first epoch fills the cache. The time of opening it counts to that
 * epoch.
 */
public final class Epochs {

    private static final List<String> CASES = List.of("no cache", "cache in RAM", "cache on disk");
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_UPS = 8; // until then the first epoch with a cache is mostly its compilation
    private static final double MAX_OVERHEAD = 1.5;

    private Epochs() {}

    public static void run(Bench bench, TrainingStep training) {
        run(bench, training, bench.choose(3840, 320), bench.choose(4, 3), bench.choose(7, 3));
    }

    static Measured run(Bench bench, TrainingStep training, int size, int epochs, int rounds) {
        Measured measured = new Measured();
        ScratchFolder.with(folder -> {
            Job job = new Job(Pictures.of(bench, size).decoded(folder, bench), training, epochs);
            Map<String, IntConsumer> trials = new LinkedHashMap<>();
            for (String one : CASES) {
                trials.put(one, round -> {
                    List<Double> seconds = job.seconds(one, folder.resolve("cache"), round);
                    for (int epoch = 0; epoch < epochs; epoch++) {
                        measured.add(one, epoch + 1, seconds.get(epoch));
                    }
                });
            }
            bench.progress("epochs: warming up");
            for (int time = 0; time < WARM_UPS; time++) {
                trials.values().forEach(trial -> trial.accept(rounds));
            }
            measured.clear();
            bench.inTurn(rounds, trials);
        });
        for (String one : CASES.subList(1, 3)) {
            double first = measured.ratio(one, CASES.get(0), 1);
            bench.atMost(MAX_OVERHEAD, one + ": first epoch's time over no cache", 100 * first - 100, "%");
            double last = measured.ratio(one, CASES.get(0), epochs);
            bench.found(one + ": last epoch's time of no cache's", 100 * last, "%");
        }
        bench.draw(new Chart(
                "time",
                "Time of each epoch",
                Chart.Axis.counted("epoch", epochs),
                Chart.Axis.linear("time of the epoch [s]"),
                CASES.stream().map(one -> measured.line(one, one)).toList()));
        return measured;
    }

    private record Job(Dataset<Tensor> samples, TrainingStep training, int epochs) {

        List<Double> seconds(String one, Path folder, int seed) {
            long room = samples.size() * ENTRY_BYTES + (64L << 20);
            long began = System.nanoTime();
            if (one.equals(CASES.get(0))) {
                return seconds(samples, seed, began);
            }
            boolean onDisk = one.equals(CASES.get(2));
            try (Tier cache =
                    onDisk ? ChronicleTier.at(folder).maxBytes(room * 2).open() : RamTier.ofBytes(room)) {
                return seconds(samples.cache(cache, TrainingStep.SCHEMA), seed, began);
            } finally {
                ScratchFolder.delete(folder);
            }
        }

        private List<Double> seconds(Dataset<Tensor> data, int seed, long began) {
            double opening = Seconds.since(began);
            return IntStream.range(0, epochs)
                    .mapToObj(epoch ->
                            (epoch == 0 ? opening : 0) + training.seconds(data, seed, epoch, Execution.standard()))
                    .toList();
        }
    }
}
