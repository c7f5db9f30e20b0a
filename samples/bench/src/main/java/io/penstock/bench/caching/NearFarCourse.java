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
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Runs of several epochs over near and over far pictures, with an empty cache on disk or none. */
final class NearFarCourse implements Course {

    private static final String SECONDS = "epoch time [s]";
    private static final String WARM = "warm epoch time [s]";
    private static final String CACHED = " with a cache on disk";
    private static final List<String> PLACES = List.of("near", "far");
    private static final Training TRAINING = Training.STANDARD;
    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final int AT_ONCE = 64;
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_EPOCHS = 20; // one takes less than a tenth of a second: too short to tell 2 % by
    private static final double MOST_APART = 2;

    private final String name;
    private final Pictures pictures;
    private final NearFar.Size size;
    private @Nullable FarPictures served;
    private @Nullable Dataset<Tensor> near;
    private @Nullable Dataset<Tensor> far;
    private @Nullable Path scratch;

    NearFarCourse(String name, Pictures pictures, NearFar.Size size) {
        this.name = name;
        this.pictures = pictures;
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put("pictures", pictures.described());
        words.put("far", "one such picture %d ms away".formatted(LATENCY.toMillis()));
        words.put("training", TRAINING.described());
        words.put("epochs", Integer.toString(size.epochs()));
        words.put("workers", size.workers().toString());
        return words;
    }

    @Override
    public List<String> explained() {
        return List.of(
                "A worker has one load on its way at a time: it reads or asks for a file, waits, decodes. A step of training waits as for a device.",
                "Each run begins with an empty cache on disk that has room for all decoded samples, or with none.",
                "Far and near with a warm cache are compared by %d more epochs of each, in turn."
                        .formatted(WARM_EPOCHS),
                MARKERS);
    }

    @Override
    public int rounds() {
        return size.rounds();
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (int workers : size.workers()) {
            for (String place : PLACES) {
                for (boolean cached : List.of(false, true)) {
                    String series = series(place, cached, workers);
                    trials.add(new Trial(series, round -> measured(place, cached, workers, round)));
                }
            }
            trials.add(new Trial("warm by " + workers, round -> warm(workers, round)));
        }
        return trials;
    }

    private static String series(String place, boolean cached, int workers) {
        return place + (cached ? CACHED : "") + " by " + workers;
    }

    @Override
    public void prepare(Path folder, Consumer<String> progress) {
        scratch = folder;
        FarPictures server = FarPictures.serve(LATENCY, AT_ONCE);
        served = server;
        near = pictures.decoded(pictures.in(folder, progress));
        far = server.decoded(pictures.count());
    }

    @Override
    public void warmUp() {
        int most = size.workers().get(size.workers().size() - 1);
        PLACES.forEach(place -> measured(place, true, most, size.rounds()));
    }

    private List<Measured> measured(String place, boolean cached, int workers, int round) {
        Dataset<Tensor> samples = samples(place);
        String series = series(place, cached, workers);
        return by(
                workers,
                execution ->
                        cached ? kept(series, samples, round, execution) : epochs(series, samples, round, execution));
    }

    private Dataset<Tensor> samples(String place) {
        return Objects.requireNonNull(place.equals("near") ? near : far, "prepared");
    }

    private List<Measured> kept(String series, Dataset<Tensor> samples, int round, Execution execution) {
        return withCache(cache -> epochs(series, samples.cache(cache, Training.SCHEMA), round, execution));
    }

    /** Near and far samples in one cache, an epoch of each in turn, so that what else the machine does weighs on both alike. */
    private List<Measured> warm(int workers, int round) {
        return withCache(cache -> {
            List<Dataset<Tensor>> kept = PLACES.stream()
                    .map(place -> samples(place).cache(cache, Training.SCHEMA))
                    .toList();
            return by(workers, execution -> warmEpochs(kept, workers, round, execution));
        });
    }

    private static List<Measured> warmEpochs(List<Dataset<Tensor>> kept, int workers, int round, Execution execution) {
        List<Measured> measured = new ArrayList<>();
        for (int epoch = 0; epoch <= WARM_EPOCHS; epoch++) {
            for (int place = 0; place < kept.size(); place++) {
                double seconds = TRAINING.seconds(kept.get(place), round, epoch, execution);
                if (epoch > 0) { // the first fills the cache
                    measured.add(new Measured(WARM, series(PLACES.get(place), true, workers), epoch, seconds));
                }
            }
        }
        return measured;
    }

    /** With an empty cache that has room for the samples of both places. */
    private List<Measured> withCache(Function<Tier, List<Measured>> run) {
        Path folder = Objects.requireNonNull(scratch, "prepared").resolve("cache");
        long room = PLACES.size() * (pictures.count() * ENTRY_BYTES * 2 + (64L << 20));
        try (Tier cache = ChronicleTier.at(folder).maxBytes(room).open()) {
            return run.apply(cache);
        } finally {
            ScratchFolder.delete(folder);
        }
    }

    private static List<Measured> by(int workers, Function<Execution, List<Measured>> run) {
        Scheduler pool = Schedulers.newParallel("workers", workers);
        try {
            return run.apply(Execution.standard().workers(pool, workers).inFlight(workers));
        } finally {
            pool.dispose();
        }
    }

    private List<Measured> epochs(String series, Dataset<Tensor> samples, int round, Execution execution) {
        return IntStream.range(0, size.epochs())
                .mapToObj(epoch ->
                        new Measured(SECONDS, series, epoch + 1, TRAINING.seconds(samples, round, epoch, execution)))
                .toList();
    }

    @Override
    public List<Chart> charts(Results results) {
        List<String> epochs = IntStream.rangeClosed(1, size.epochs())
                .mapToObj(Integer::toString)
                .toList();
        return size.workers().stream()
                .map(workers -> new Chart(
                        "workers-" + workers,
                        "Time of each epoch, %d worker%s".formatted(workers, workers == 1 ? "" : "s"),
                        Chart.Axis.named("epoch", epochs),
                        Chart.Axis.linear("time of the epoch [s]"),
                        lines(results, workers)))
                .toList();
    }

    private static List<Chart.Line> lines(Results results, int workers) {
        List<Chart.Line> lines = new ArrayList<>();
        for (String place : List.of("far", "near")) {
            for (boolean cached : List.of(false, true)) {
                lines.add(results.line(
                        place + (cached ? CACHED : " without a cache"), SECONDS, series(place, cached, workers)));
            }
        }
        return lines;
    }

    @Override
    public List<Finding> findings(Results results) {
        List<Finding> findings = new ArrayList<>();
        for (int workers : size.workers()) {
            double[] farCold = results.values(SECONDS, series("far", false, workers), size.epochs());
            double[] farWarm = results.values(SECONDS, series("far", true, workers), size.epochs());
            String by = "%d worker%s: ".formatted(workers, workers == 1 ? "" : "s");
            findings.add(Finding.of(
                    name,
                    by + "far without a cache over far with a warm one",
                    Spread.ratio(farCold, farWarm),
                    "times"));
            findings.add(Finding.of(
                            name,
                            by + "far with a warm cache over near with one",
                            100 * apart(results, workers) - 100,
                            "%")
                    .atMost(0, MOST_APART));
        }
        return findings;
    }

    /** The median of all pairs' ratios. */
    private static double apart(Results results, int workers) {
        double[] ratios = IntStream.rangeClosed(1, WARM_EPOCHS)
                .mapToObj(epoch -> {
                    double[] nearWarm = results.values(WARM, series("near", true, workers), epoch);
                    double[] farWarm = results.values(WARM, series("far", true, workers), epoch);
                    return IntStream.range(0, nearWarm.length).mapToDouble(round -> farWarm[round] / nearWarm[round]);
                })
                .flatMapToDouble(pairs -> pairs)
                .toArray();
        return Spread.of(ratios).median();
    }

    @Override
    public void close() {
        if (served != null) {
            served.close();
        }
    }
}
