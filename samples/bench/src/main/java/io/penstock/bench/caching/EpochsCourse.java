package io.penstock.bench.caching;

import io.penstock.bench.Finding;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Measured;
import io.penstock.bench.experiment.Results;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.Training;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Runs of several epochs over local pictures, each run with an empty cache or none; the first fills it. */
final class EpochsCourse implements Course {

    private static final String SECONDS = "epoch time [s]";
    private static final String NONE = "no cache";
    private static final String RAM = "cache in RAM";
    private static final String DISK = "cache on disk";
    private static final List<String> CASES = List.of(NONE, RAM, DISK);
    private static final Training TRAINING = Training.STANDARD;
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_UPS = 8; // until then the first epoch with a cache is mostly its compilation
    private static final double MOST_OVERHEAD = 1.5;

    private final String name;
    private final Pictures pictures;
    private final Epochs.Size size;
    private @Nullable Dataset<Tensor> decoded;
    private @Nullable Path scratch;

    EpochsCourse(String name, Pictures pictures, Epochs.Size size) {
        this.name = name;
        this.pictures = pictures;
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("pictures", pictures.described());
        words.put("training", TRAINING.described());
        words.put("epochs", Integer.toString(size.epochs()));
        return words;
    }

    @Override
    public List<String> explained() {
        return List.of(
                "Runs that decode JPEG files, shuffled, and train: a step waits as for a device. Each run begins with an empty cache that has room for all samples, or with none; the time of opening it counts to the first epoch.",
                "What the cache costs is the first epoch's time over that without a cache, in pairs of the same round.",
                MARKERS);
    }

    @Override
    public int rounds() {
        return size.rounds();
    }

    @Override
    public List<Trial> trials() {
        return CASES.stream()
                .map(one -> new Trial(one, round -> measured(one, round)))
                .toList();
    }

    @Override
    public void prepare(Path folder, Consumer<String> progress) {
        scratch = folder;
        decoded = pictures.decoded(pictures.in(folder, progress));
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < WARM_UPS; time++) {
            CASES.forEach(one -> measured(one, size.rounds()));
        }
    }

    private List<Measured> measured(String one, int round) {
        Dataset<Tensor> samples = Objects.requireNonNull(decoded, "prepared");
        Path folder = Objects.requireNonNull(scratch, "prepared").resolve("cache");
        long room = samples.size() * ENTRY_BYTES + (64L << 20);
        long began = System.nanoTime();
        List<Double> seconds = switch (one) {
            case RAM -> epochs(samples, RamTier.ofBytes(room), round, began);
            case DISK ->
                epochs(samples, ChronicleTier.at(folder).maxBytes(room * 2).open(), round, began);
            default -> epochs(samples, round, began);
        };
        if (one.equals(DISK)) {
            ScratchFolder.delete(folder);
        }
        return IntStream.range(0, seconds.size())
                .mapToObj(epoch -> new Measured(SECONDS, one, epoch + 1, seconds.get(epoch)))
                .toList();
    }

    private List<Double> epochs(Dataset<Tensor> samples, Tier cache, int round, long began) {
        try (cache) {
            return epochs(samples.cache(cache, Training.SCHEMA), round, began);
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
    public List<Chart> charts(Results results) {
        List<String> epochs = IntStream.rangeClosed(1, size.epochs())
                .mapToObj(Integer::toString)
                .toList();
        return List.of(new Chart(
                "time",
                "Time of each epoch",
                Chart.Axis.named("epoch", epochs),
                Chart.Axis.linear("time of the epoch [s]"),
                CASES.stream().map(one -> results.line(one, SECONDS, one)).toList()));
    }

    @Override
    public List<Finding> findings(Results results) {
        List<Finding> findings = new ArrayList<>();
        for (String one : List.of(RAM, DISK)) {
            findings.add(Finding.of(
                            name, one + ": first epoch's time over no cache", 100 * ratio(results, one, 1) - 100, "%")
                    .atMost(0, MOST_OVERHEAD));
            findings.add(Finding.of(
                    name, one + ": last epoch's time of no cache's", 100 * ratio(results, one, size.epochs()), "%"));
        }
        return findings;
    }

    private static double ratio(Results results, String one, int epoch) {
        return Spread.ratio(results.values(SECONDS, one, epoch), results.values(SECONDS, NONE, epoch));
    }

    @Override
    public void close() {}
}
