package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.DistantFiles;
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
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Near and far files with a cache and without, by one worker and by several, after DataCache. Each run has several
 * epochs and begins with an empty cache on disk or with none.
 */
public final class NearFar extends Experiment {

    private static final String SECONDS = "epoch time [s]";
    private static final String WARM = "warm epoch time [s]";
    private static final String CACHED = " with a cache on disk";
    private static final List<String> PLACES = List.of("near", "far");
    private static final TrainingStep TRAINING = TrainingStep.STANDARD;
    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final int AT_ONCE = 64;
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_EPOCHS = 20; // one takes less than a tenth of a second: too short to tell 2 % by
    private static final double MAX_APART = 2;

    /**
     * How much to measure.
     *
     * @param samples of an epoch
     * @param epochs  of a run
     * @param workers of each kind of run
     * @param rounds  of repetitions
     */
    record Size(int samples, int epochs, List<Integer> workers, int rounds) {}

    private final Pictures pictures;
    private final Size size;
    private @Nullable DistantFiles served;
    private @Nullable Dataset<Tensor> near;
    private @Nullable Dataset<Tensor> far;

    public NearFar(BenchOptions options) {
        this(options, options.quick() ? new Size(96, 3, List.of(1, 4), 3) : new Size(320, 4, List.of(1, 4), 5));
    }

    NearFar(BenchOptions options, Size size) {
        super(size.rounds());
        this.pictures = Pictures.of(options, size.samples());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        return words(
                "pictures", pictures.described(),
                "far", "one such picture %d ms away".formatted(LATENCY.toMillis()),
                "training", TRAINING.described(),
                "epochs", Integer.toString(size.epochs()),
                "workers", size.workers().toString());
    }

    @Override
    public List<String> explained() {
        return List.of(
                "A worker has one load on its way at a time: it reads or asks for a file, waits, decodes. A step of"
                        + " training waits as for a device.",
                "Each run begins with an empty cache on disk that has room for all decoded samples, or with none.",
                "Far and near with a warm cache are compared by %d more epochs of each, in turn."
                        .formatted(WARM_EPOCHS),
                MARKERS);
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
    protected void prepare(Path folder, Consumer<String> progress) {
        DistantFiles server = Pictures.distant(LATENCY, AT_ONCE);
        served = server;
        near = pictures.decoded(pictures.in(folder, progress));
        far = Pictures.decoded(server, pictures.count());
    }

    @Override
    public void warmUp() {
        int max = size.workers().get(size.workers().size() - 1);
        PLACES.forEach(place -> measured(place, true, max, rounds()));
    }

    private List<Measurement> measured(String place, boolean cached, int workers, int round) {
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

    private List<Measurement> kept(String series, Dataset<Tensor> samples, int round, Execution execution) {
        return withCache(cache -> epochs(series, samples.cache(cache, TrainingStep.SCHEMA), round, execution));
    }

    /**
     * Near and far samples in one cache, an epoch of each in turn, so that load on the machine affects both equally.
     */
    private List<Measurement> warm(int workers, int round) {
        return withCache(cache -> {
            List<Dataset<Tensor>> kept = PLACES.stream()
                    .map(place -> samples(place).cache(cache, TrainingStep.SCHEMA))
                    .toList();
            return by(workers, execution -> warmEpochs(kept, workers, round, execution));
        });
    }

    private static List<Measurement> warmEpochs(
            List<Dataset<Tensor>> kept, int workers, int round, Execution execution) {
        List<Measurement> measured = new ArrayList<>();
        for (int epoch = 0; epoch <= WARM_EPOCHS; epoch++) {
            for (int place = 0; place < kept.size(); place++) {
                double seconds = TRAINING.seconds(kept.get(place), round, epoch, execution);
                if (epoch > 0) { // the first fills the cache
                    measured.add(new Measurement(WARM, series(PLACES.get(place), true, workers), epoch, seconds));
                }
            }
        }
        return measured;
    }

    /** Runs with an empty cache that has room for the samples of both places. */
    private List<Measurement> withCache(Function<Tier, List<Measurement>> run) {
        long room = PLACES.size() * (pictures.count() * ENTRY_BYTES * 2 + (64L << 20));
        return inFolder(folder -> {
            try (Tier cache = ChronicleTier.at(folder).maxBytes(room).open()) {
                return run.apply(cache);
            }
        });
    }

    private static List<Measurement> by(int workers, Function<Execution, List<Measurement>> run) {
        Scheduler pool = Schedulers.newParallel("workers", workers);
        try {
            return run.apply(Execution.standard().workers(pool, workers).inFlight(workers));
        } finally {
            pool.dispose();
        }
    }

    private List<Measurement> epochs(String series, Dataset<Tensor> samples, int round, Execution execution) {
        return IntStream.range(0, size.epochs())
                .mapToObj(epoch ->
                        new Measurement(SECONDS, series, epoch + 1, TRAINING.seconds(samples, round, epoch, execution)))
                .toList();
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        return size.workers().stream()
                .map(workers -> new Chart(
                        "workers-" + workers,
                        "Time of each epoch, %d worker%s".formatted(workers, workers == 1 ? "" : "s"),
                        Chart.Axis.counted("epoch", size.epochs()),
                        Chart.Axis.linear("time of the epoch [s]"),
                        lines(measurements, workers)))
                .toList();
    }

    private static List<Chart.Line> lines(Measurements measurements, int workers) {
        List<Chart.Line> lines = new ArrayList<>();
        for (String place : List.of("far", "near")) {
            for (boolean cached : List.of(false, true)) {
                lines.add(measurements.line(
                        place + (cached ? CACHED : " without a cache"), SECONDS, series(place, cached, workers)));
            }
        }
        return lines;
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        for (int workers : size.workers()) {
            double[] farCold = measurements.values(SECONDS, series("far", false, workers), size.epochs());
            double[] farWarm = measurements.values(SECONDS, series("far", true, workers), size.epochs());
            String by = "%d worker%s: ".formatted(workers, workers == 1 ? "" : "s");
            results.add(Result.of(
                    by + "far without a cache over far with a warm one", Spread.ratio(farCold, farWarm), "times"));
            results.add(Result.of(
                            by + "far with a warm cache over near with one",
                            100 * apart(measurements, workers) - 100,
                            "%")
                    .atMost(0, MAX_APART));
        }
        return results;
    }

    /** The median of the ratios of all pairs. */
    private static double apart(Measurements measurements, int workers) {
        double[] ratios = IntStream.rangeClosed(1, WARM_EPOCHS)
                .mapToObj(epoch -> {
                    double[] nearWarm = measurements.values(WARM, series("near", true, workers), epoch);
                    double[] farWarm = measurements.values(WARM, series("far", true, workers), epoch);
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
