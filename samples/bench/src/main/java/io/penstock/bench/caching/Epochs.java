package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The time of each epoch with a cache and without, after Bagua. Each run begins with an empty cache or with none, and
 * its first epoch fills the cache.
 */
public final class Epochs extends Experiment {

    private static final String SECONDS = "epoch time [s]";
    private static final String NONE = "no cache";
    private static final String RAM = "cache in RAM";
    private static final String DISK = "cache on disk";
    private static final List<String> CASES = List.of(NONE, RAM, DISK);
    private static final TrainingStep TRAINING = TrainingStep.STANDARD;
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_UPS = 8; // until then the first epoch with a cache is mostly its compilation
    private static final double MAX_OVERHEAD = 1.5;

    /**
     * How much to measure.
     *
     * @param samples of an epoch
     * @param epochs  of a run
     * @param rounds  of repetitions
     */
    record Size(int samples, int epochs, int rounds) {}

    private final Pictures pictures;
    private final Size size;
    private @Nullable Dataset<Tensor> decoded;

    public Epochs(BenchOptions options) {
        this(options, options.quick() ? new Size(320, 3, 3) : new Size(3840, 4, 7));
    }

    Epochs(BenchOptions options, Size size) {
        super(size.rounds());
        this.pictures = Pictures.of(options, size.samples());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        return words(
                "pictures", pictures.described(),
                "training", TRAINING.described(),
                "epochs", Integer.toString(size.epochs()));
    }

    @Override
    public List<String> explained() {
        return List.of(
                "Runs that decode JPEG files, shuffled, and train: a step waits as for a device. Each run begins with"
                        + " an empty cache that has room for all samples, or with none; the time of opening it counts to"
                        + " the first epoch.",
                "What the cache costs is the first epoch's time over that without a cache, in pairs of the same round.",
                MARKERS);
    }

    @Override
    public List<Trial> trials() {
        return CASES.stream()
                .map(one -> new Trial(one, round -> measured(one, round)))
                .toList();
    }

    @Override
    protected void prepare(Path folder, Consumer<String> progress) {
        decoded = pictures.decoded(pictures.in(folder, progress));
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < WARM_UPS; time++) {
            CASES.forEach(one -> measured(one, rounds()));
        }
    }

    private List<Measurement> measured(String one, int round) {
        Dataset<Tensor> samples = Objects.requireNonNull(decoded, "prepared");
        long room = samples.size() * ENTRY_BYTES + (64L << 20);
        long began = System.nanoTime();
        List<Double> seconds = switch (one) {
            case RAM -> epochs(samples, RamTier.ofBytes(room), round, began);
            case DISK ->
                inFolder(folder -> epochs(
                        samples, ChronicleTier.at(folder).maxBytes(room * 2).open(), round, began));
            default -> epochs(samples, round, began);
        };
        return IntStream.range(0, seconds.size())
                .mapToObj(epoch -> new Measurement(SECONDS, one, epoch + 1, seconds.get(epoch)))
                .toList();
    }

    private List<Double> epochs(Dataset<Tensor> samples, Tier cache, int round, long began) {
        try (cache) {
            return epochs(samples.cache(cache, TrainingStep.SCHEMA), round, began);
        }
    }

    private List<Double> epochs(Dataset<Tensor> samples, int round, long began) {
        List<Double> seconds = new ArrayList<>();
        for (int epoch = 0; epoch < size.epochs(); epoch++) {
            double opening = epoch == 0 ? (System.nanoTime() - began) / 1e9 : 0;
            seconds.add(opening + TRAINING.seconds(samples, round, epoch, Execution.standard()));
        }
        return seconds;
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        return List.of(new Chart(
                "time",
                "Time of each epoch",
                Chart.Axis.counted("epoch", size.epochs()),
                Chart.Axis.linear("time of the epoch [s]"),
                CASES.stream().map(one -> measurements.line(one, SECONDS, one)).toList()));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        for (String one : List.of(RAM, DISK)) {
            results.add(
                    Result.of(one + ": first epoch's time over no cache", 100 * ratio(measurements, one, 1) - 100, "%")
                            .atMost(0, MAX_OVERHEAD));
            results.add(Result.of(
                    one + ": last epoch's time of no cache's", 100 * ratio(measurements, one, size.epochs()), "%"));
        }
        return results;
    }

    private static double ratio(Measurements measurements, String one, int epoch) {
        return Spread.ratio(measurements.values(SECONDS, one, epoch), measurements.values(SECONDS, NONE, epoch));
    }
}
