package io.penstock.bench.scaling;

import io.penstock.bench.Finding;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Measured;
import io.penstock.bench.experiment.Results;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.Training;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.memory.MemoryDataset;
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
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Look-ups in each tier one at a time, and shuffled epochs by each and without. */
final class LatencyCourse implements Course {

    private static final String HIT = "hit [us]";
    private static final String MISS = "miss [us]";
    private static final String EPOCH = "epoch per sample [us]";
    private static final String NONE = "no cache";
    private static final List<Double> PERCENTILES = List.of(0.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9);
    private static final Duration FAR = Duration.ofMillis(5);
    private static final int IN_FLIGHT = 64;
    private static final Fingerprint ABSENT = Fingerprint.of("absent");

    private final String name;
    private final Latency.Size size;
    private final List<String> kinds = Shelf.kinds();
    private final Map<String, Shelf> shelves = new LinkedHashMap<>();

    LatencyCourse(String name, Latency.Size size) {
        this.name = name;
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(
                "samples",
                String.join(
                        " and ",
                        size.works().stream()
                                .map(work -> "%d of %d B".formatted(work.samples(), work.sampleBytes()))
                                .toList()));
        words.put("tiers", kinds.toString());
        words.put("source", "%d ms away with %d in flight".formatted(FAR.toMillis(), IN_FLIGHT));
        return words;
    }

    @Override
    public List<String> explained() {
        List<String> words = new ArrayList<>(List.of(
                "One thread looks keys up one at a time, in shuffled order. A hit ends when the last byte is copied into a direct buffer, a miss when the tier has said so. Files of the tier on disk are in the page cache.",
                "An epoch is shuffled and ends with its last batch. Without a cache each sample comes %d ms late, with %d on their way; with one every sample is a hit."
                        .formatted(FAR.toMillis(), IN_FLIGHT),
                "Markers are medians of the repetitions' percentiles, strokes through them span all repetitions."));
        if (!kinds.contains(Shelf.REDIS)) {
            words.add("Redis was not measured: there is no redis-server on the path.");
        }
        return words;
    }

    @Override
    public int rounds() {
        return size.rounds();
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (Latency.Work work : size.works()) {
            trials.add(new Trial("%s %s".formatted(NONE, work), round -> List.of(epoch(work, NONE, round))));
            for (String kind : kinds) {
                trials.add(new Trial("%s %s".formatted(kind, work), round -> measured(work, kind, round)));
            }
        }
        return trials;
    }

    @Override
    public void prepare(Path scratch, Consumer<String> progress) {
        for (Latency.Work work : size.works()) {
            for (String kind : kinds) {
                progress.accept("%s: filling %s with %s".formatted(name, kind, work));
                String place = series(kind, work);
                Path folder = scratch.resolve(place.replace(' ', '-'));
                shelves.put(place, Shelf.filled(kind, folder, samples(work), work.sampleBytes()));
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

    private static String series(String kind, Latency.Work work) {
        return kind + " " + work;
    }

    private static Dataset<Tensor> samples(Latency.Work work) {
        byte[] pattern = new byte[work.sampleBytes()];
        new SplittableRandom(1).nextBytes(pattern);
        return MemoryDataset.generate("latency " + work, work.samples(), index -> {
            byte[] bytes = pattern.clone();
            ByteBuffer.wrap(bytes).putLong(index);
            return Tensor.ofBytes(bytes);
        });
    }

    private List<Measured> measured(Latency.Work work, String kind, int round) {
        Shelf shelf = Objects.requireNonNull(shelves.get(series(kind, work)), "prepared");
        Dataset<Tensor> cached = shelf.over(samples(work));
        List<SampleKey> keys =
                LongStream.range(0, work.samples()).mapToObj(cached::key).toList();
        List<SampleKey> absent = keys.stream().map(key -> key.with(ABSENT)).toList();
        ByteBuffer target = ByteBuffer.allocateDirect(work.sampleBytes());
        List<Measured> found = new ArrayList<>();
        double[] hits = new LookUps(shelf.tier(), keys, target).micros(round, true);
        double[] misses = new LookUps(shelf.tier(), absent, target).micros(round, false);
        for (double percentile : PERCENTILES) {
            found.add(new Measured(HIT, series(kind, work), percentile, LookUps.percentile(hits, percentile)));
            found.add(new Measured(MISS, series(kind, work), percentile, LookUps.percentile(misses, percentile)));
        }
        found.add(epoch(work, kind, round));
        return found;
    }

    private Measured epoch(Latency.Work work, String kind, int round) {
        Dataset<Tensor> far = new Late(samples(work), FAR);
        Shelf shelf = shelves.get(series(kind, work));
        double seconds = new Training(work.batch(), Duration.ZERO)
                .seconds(
                        shelf == null ? far : shelf.over(far),
                        round,
                        0,
                        Execution.standard().inFlight(IN_FLIGHT));
        return new Measured(EPOCH, work.toString(), 1 + caches().indexOf(kind), seconds * 1e6 / work.samples());
    }

    private List<String> caches() {
        List<String> caches = new ArrayList<>(List.of(NONE));
        caches.addAll(kinds);
        return caches;
    }

    @Override
    public List<Chart> charts(Results results) {
        List<Chart> charts = new ArrayList<>();
        for (Latency.Work work : size.works()) {
            charts.add(percentiles("hit-", "A hit in each tier, samples of " + work, HIT, work, results));
        }
        Latency.Work first = size.works().get(0);
        charts.add(percentiles("miss-", "A miss in each tier, samples of " + first, MISS, first, results));
        charts.add(new Chart(
                "epoch",
                "Time of an epoch with all samples in a tier, and without a cache",
                Chart.Axis.named("cache", caches()),
                Chart.Axis.logarithmic("time of the epoch per sample [µs]"),
                size.works().stream()
                        .map(work -> results.line("samples of " + work, EPOCH, work.toString())
                                .apart())
                        .toList()));
        return charts;
    }

    private Chart percentiles(String file, String title, String figure, Latency.Work work, Results results) {
        List<Chart.Line> lines = new ArrayList<>();
        for (String kind : kinds) {
            String series = series(kind, work);
            List<Chart.Dot> dots = results.places(figure, series).stream()
                    .map(place -> new Chart.Dot(Chart.Axis.tail(place), results.spread(figure, series, place)))
                    .toList();
            lines.add(new Chart.Line(kind, Chart.Kind.MEASURED, dots));
        }
        return new Chart(
                file + work.sampleBytes(),
                title,
                Chart.Axis.percentiles("percentile of the look-ups"),
                Chart.Axis.logarithmic("time of the look-up [µs]"),
                lines);
    }

    @Override
    public List<Finding> findings(Results results) {
        List<Finding> findings = new ArrayList<>();
        for (Latency.Work work : size.works()) {
            for (String kind : kinds) {
                String series = series(kind, work);
                String what = kind + ", " + work + ": ";
                findings.add(Finding.of(name, what + "a hit, median", results.median(HIT, series, 50), "us"));
                findings.add(Finding.of(name, what + "a hit, p99.9", results.median(HIT, series, 99.9), "us"));
                findings.add(Finding.of(name, what + "a miss, median", results.median(MISS, series, 50), "us"));
                findings.add(Finding.of(name, what + "a miss, p99.9", results.median(MISS, series, 99.9), "us"));
                double[] with = results.values(EPOCH, work.toString(), 1 + caches().indexOf(kind));
                double[] without = results.values(EPOCH, work.toString(), 1);
                findings.add(Finding.of(
                        name, what + "an epoch without a cache over one with", Spread.ratio(without, with), "times"));
            }
        }
        return findings;
    }

    @Override
    public void close() {
        shelves.values().forEach(Shelf::close);
    }
}
