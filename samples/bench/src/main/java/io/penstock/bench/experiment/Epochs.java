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
 * The time of each epoch with a cache and without, after Bagua: decoding JPEG files, shuffled, and training, where a
 * step waits as for a device. Each run begins with an empty cache or with none, and its first epoch fills the cache.
 * The time of opening it counts to that epoch.
 */
public final class Epochs {

    private static final List<String> CASES = List.of("no cache", "cache in RAM", "cache on disk");
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_UPS = 8; // until then the first epoch with a cache is mostly its compilation
    private static final double MAX_OVERHEAD = 1.5;

    private Epochs() {}

    public static void run(Bench bench) {
        run(bench, bench.choose(3840, 320), bench.choose(4, 3), bench.choose(7, 3));
    }

    static Measured run(Bench bench, int size, int epochs, int rounds) {
        Measured measured = new Measured();
        ScratchFolder.with(folder -> {
            Dataset<Tensor> samples = Pictures.of(bench, size).decoded(folder, bench);
            Map<String, IntConsumer> trials = new LinkedHashMap<>();
            for (String one : CASES) {
                trials.put(one, round -> {
                    List<Double> seconds = seconds(samples, one, folder.resolve("cache"), epochs, round);
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

    private static List<Double> seconds(Dataset<Tensor> samples, String one, Path folder, int epochs, int seed) {
        long room = samples.size() * ENTRY_BYTES + (64L << 20);
        long began = System.nanoTime();
        if (one.equals(CASES.get(0))) {
            return seconds(samples, epochs, seed, began);
        }
        boolean onDisk = one.equals(CASES.get(2));
        try (Tier cache = onDisk ? ChronicleTier.at(folder).maxBytes(room * 2).open() : RamTier.ofBytes(room)) {
            return seconds(samples.cache(cache, TrainingStep.SCHEMA), epochs, seed, began);
        } finally {
            ScratchFolder.delete(folder);
        }
    }

    private static List<Double> seconds(Dataset<Tensor> samples, int epochs, int seed, long began) {
        double opening = Seconds.since(began);
        return IntStream.range(0, epochs)
                .mapToObj(epoch -> (epoch == 0 ? opening : 0)
                        + TrainingStep.STANDARD.seconds(samples, seed, epoch, Execution.standard()))
                .toList();
    }
}
