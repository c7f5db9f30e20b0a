package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.LateDataset;
import io.penstock.bench.MadeRecords;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * The time of a hit and of a miss in each tier, one look-up at a time, and of shuffled epochs with each tier and
 * without.
 */
public final class Latency extends Experiment {

    private static final String HIT = "hit [us]";
    private static final String MISS = "miss [us]";
    private static final String EPOCH = "epoch per sample [us]";
    private static final String NONE = "no cache";
    private static final List<Double> PERCENTILES = List.of(0.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9);
    private static final Duration FAR = Duration.ofMillis(5);
    private static final int IN_FLIGHT = 64;
    private static final Fingerprint ABSENT = Fingerprint.of("absent");

    /**
     * Samples of one size.
     *
     * @param samples     of the data set
     * @param sampleBytes of each
     * @param batch       of an epoch
     */
    record Work(int samples, int sampleBytes, int batch) {
        MadeRecords records() {
            return new MadeRecords(samples, sampleBytes);
        }

        @Override
        public String toString() {
            return sampleBytes < 10_000 ? sampleBytes / 1024 + " KiB" : sampleBytes / 1000 + " KB";
        }
    }

    /**
     * How much to measure.
     *
     * @param works  one for each size of samples
     * @param rounds of repetitions
     */
    record Size(List<Work> works, int rounds) {}

    private final Size size;
    private final List<String> kinds = FilledTier.kinds();
    private final Map<String, FilledTier> filledTiers = new LinkedHashMap<>();

    public Latency(BenchOptions options) {
        this(new Size(
                List.of(
                        new Work(options.choose(20_000, 4_000), 1024, 256),
                        new Work(options.choose(3_000, 1_000), 150_528, 64)),
                options.choose(9, 3)));
    }

    Latency(Size size) {
        super(size.rounds());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        return words(
                "samples",
                size.works().stream()
                        .map(work -> "%d of %d B".formatted(work.samples(), work.sampleBytes()))
                        .collect(Collectors.joining(" and ")),
                "tiers",
                kinds.toString(),
                "source",
                "%d ms away with %d in flight".formatted(FAR.toMillis(), IN_FLIGHT));
    }

    @Override
    public List<String> explained() {
        List<String> words = new ArrayList<>(List.of(
                "One thread looks keys up one at a time, in shuffled order. A hit ends when the last byte is copied"
                        + " into a direct buffer, a miss when the tier has said so. Files of the tier on disk are in the"
                        + " page cache.",
                ("An epoch is shuffled and ends with its last batch. Without a cache each sample comes %d ms late,"
                                + " with %d on their way; with one every sample is a hit.")
                        .formatted(FAR.toMillis(), IN_FLIGHT),
                "Markers are medians of the repetitions' percentiles, strokes through them span all repetitions."));
        if (!kinds.contains(FilledTier.REDIS)) {
            words.add("Redis was not measured: there is no redis-server on the path.");
        }
        return words;
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (Work work : size.works()) {
            trials.add(new Trial("%s %s".formatted(NONE, work), round -> List.of(epoch(work, NONE, round))));
            for (String kind : kinds) {
                trials.add(new Trial("%s %s".formatted(kind, work), round -> measured(work, kind, round)));
            }
        }
        return trials;
    }

    @Override
    protected void prepare(Path scratch, Consumer<String> progress) {
        for (Work work : size.works()) {
            for (String kind : kinds) {
                progress.accept("filling %s with %s".formatted(kind, work));
                String place = series(kind, work);
                Path folder = scratch.resolve(place.replace(' ', '-'));
                filledTiers.put(place, FilledTier.filled(kind, folder, work.records(), work.sampleBytes()));
            }
        }
    }

    @Override
    public void warmUp() {
        for (int round = 1; round <= 3; round++) {
            for (Trial trial : trials()) {
                var unused = trial.run().apply(-round);
            }
        }
    }

    private static String series(String kind, Work work) {
        return kind + " " + work;
    }

    private List<Measurement> measured(Work work, String kind, int round) {
        FilledTier filled = Objects.requireNonNull(filledTiers.get(series(kind, work)), "prepared");
        Dataset<Tensor> cached = filled.over(work.records());
        List<SampleKey> keys = LongStream.range(0, work.samples())
                .mapToObj(index -> cached.id(index).key())
                .toList();
        List<SampleKey> absent = keys.stream().map(key -> key.with(ABSENT)).toList();
        ByteBuffer target = ByteBuffer.allocateDirect(work.sampleBytes());
        List<Measurement> found = new ArrayList<>();
        double[] hits = new LookUps(filled.tier(), keys, target).micros(round, true);
        double[] misses = new LookUps(filled.tier(), absent, target).micros(round, false);
        for (double percentile : PERCENTILES) {
            found.add(new Measurement(HIT, series(kind, work), percentile, LookUps.percentile(hits, percentile)));
            found.add(new Measurement(MISS, series(kind, work), percentile, LookUps.percentile(misses, percentile)));
        }
        found.add(epoch(work, kind, round));
        return found;
    }

    private Measurement epoch(Work work, String kind, int round) {
        Dataset<Tensor> far = new LateDataset(work.records(), FAR);
        FilledTier filled = filledTiers.get(series(kind, work));
        double seconds = new TrainingStep(work.batch(), Duration.ZERO)
                .seconds(
                        filled == null ? far : filled.over(far),
                        round,
                        0,
                        Execution.standard().inFlight(IN_FLIGHT));
        return new Measurement(EPOCH, work.toString(), 1 + caches().indexOf(kind), seconds * 1e6 / work.samples());
    }

    private List<String> caches() {
        List<String> caches = new ArrayList<>(List.of(NONE));
        caches.addAll(kinds);
        return caches;
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        List<Chart> charts = new ArrayList<>();
        for (Work work : size.works()) {
            charts.add(percentiles("hit-", "A hit in each tier, samples of " + work, HIT, work, measurements));
        }
        Work first = size.works().get(0);
        charts.add(percentiles("miss-", "A miss in each tier, samples of " + first, MISS, first, measurements));
        charts.add(new Chart(
                "epoch",
                "Time of an epoch with all samples in a tier, and without a cache",
                Chart.Axis.named("cache", caches()),
                Chart.Axis.logarithmic("time of the epoch per sample [µs]"),
                size.works().stream()
                        .map(work -> measurements
                                .line("samples of " + work, EPOCH, work.toString())
                                .apart())
                        .toList()));
        return charts;
    }

    private Chart percentiles(String file, String title, String figure, Work work, Measurements measurements) {
        List<Chart.Line> lines = new ArrayList<>();
        for (String kind : kinds) {
            lines.add(measurements.line(kind, figure, series(kind, work), Chart.Axis::tail));
        }
        return new Chart(
                file + work.sampleBytes(),
                title,
                Chart.Axis.percentiles("percentile of the look-ups"),
                Chart.Axis.logarithmic("time of the look-up [µs]"),
                lines);
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        for (Work work : size.works()) {
            for (String kind : kinds) {
                String series = series(kind, work);
                String what = kind + ", " + work + ": ";
                results.add(Result.of(what + "a hit, median", measurements.median(HIT, series, 50), "us"));
                results.add(Result.of(what + "a hit, p99.9", measurements.median(HIT, series, 99.9), "us"));
                results.add(Result.of(what + "a miss, median", measurements.median(MISS, series, 50), "us"));
                results.add(Result.of(what + "a miss, p99.9", measurements.median(MISS, series, 99.9), "us"));
                double[] with = measurements.values(EPOCH, work.toString(), 1 + caches().indexOf(kind));
                double[] without = measurements.values(EPOCH, work.toString(), 1);
                results.add(Result.of(
                        what + "an epoch without a cache over one with", Spread.ratio(without, with), "times"));
            }
        }
        return results;
    }

    @Override
    public void close() {
        filledTiers.values().forEach(FilledTier::close);
    }
}
