package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Trial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Draws and look-ups as the data set grows, and warm epochs as the number of ranks grows. */
public final class Scale extends Experiment {

    private static final List<Long> SAMPLES =
            List.of(1_000L, 10_000L, 100_000L, 1_000_000L, 10_000_000L, 100_000_000L, 1_000_000_000L);
    private static final String NANOS = "time [ns]";
    private static final String BYTES = "memory [B]";
    private static final String RATE = "throughput [samples/s]";
    private static final String ORDER = "a shuffled draw";
    private static final String SHARD = "a draw of rank 3 of 8";
    private static final String RESUME = "resuming";
    private static final String ARITHMETIC = "arithmetic of draws";
    private static final String INDEX = "index of the RAM tier";
    private static final String LOOK_UP = "a look-up in the RAM tier";
    private static final String RANKS = "ranks";
    private static final int PERMUTATION_BYTES = 8;
    private static final int INDEX_BYTES = 24;
    private static final int INDEX_ROW = 9;
    private static final int DRAW_ROW = 10;
    private static final double MAX_NANOS = 50;

    /**
     * How much to measure.
     *
     * @param samples    of the data sets that draws are of
     * @param draws      of each
     * @param maxIndexed the largest data set that is put into an index
     * @param ranks      that run at once
     * @param load       of the ranks
     * @param rounds     of repetitions
     */
    record Size(
            List<Long> samples, int draws, long maxIndexed, List<Integer> ranks, RankProcess.Load load, int rounds) {}

    private final Size size;
    private final Map<Long, IndexedTier> indexed = new TreeMap<>();

    public Scale(BenchOptions options) {
        this(
                options.quick()
                        ? new Size(
                                SAMPLES,
                                200_000,
                                100_000,
                                List.of(1, 2, 4),
                                new RankProcess.Load(640, 150_528, 64, 3, 5),
                                3)
                        : new Size(
                                SAMPLES,
                                2_000_000,
                                10_000_000,
                                List.of(1, 2, 3, 4, 6, 8),
                                new RankProcess.Load(2_560, 150_528, 64, 8, 24),
                                5));
    }

    Scale(Size size) {
        super(size.rounds());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        RankProcess.Load load = size.load();
        Map<String, String> words = new LinkedHashMap<>();
        words.put("draws", size.draws() + " of each size");
        words.put("index", "filled up to %d samples".formatted(size.maxIndexed()));
        words.put(
                "ranks",
                "%s, processes that share a cache on disk of %d samples of %d B, batches of %d, %d epochs before and %d measured"
                        .formatted(
                                size.ranks(),
                                load.samples(),
                                load.sampleBytes(),
                                load.batch(),
                                load.before(),
                                load.epochs()));
        return words;
    }

    @Override
    public List<String> explained() {
        return List.of(
                "An order is arithmetic, so draws of 10^9 samples need no data. An index needs its keys: "
                        + "the RAM tier is filled with values of 16 B up to the size shown, and the line is continued"
                        + " from there.",
                "Memory of order, shard and resume is all that the thread allocates to begin each and to take its"
                        + " first draw. A framework that shuffles by a permutation holds 8 B a sample.",
                "Ranks are processes that share one cache on disk, in the page cache: they fill it together, wait for each "
                        + "other, and run warm epochs in batches until the last one has done. "
                        + "More ranks than processors cannot be faster.",
                MARKERS);
    }

    private List<Long> indexedSizes() {
        return size.samples().stream()
                .filter(samples -> samples <= size.maxIndexed())
                .toList();
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        size.samples().forEach(samples -> trials.add(new Trial("draws of " + samples, round -> drawn(samples))));
        indexedSizes().forEach(samples -> trials.add(new Trial("index of " + samples, round -> lookedUp(samples))));
        size.ranks().forEach(ranks -> trials.add(new Trial("ranks " + ranks, round -> throughput(ranks, size.load()))));
        return trials;
    }

    @Override
    protected void prepare(Path folder, Consumer<String> progress) {
        for (long samples : indexedSizes()) {
            progress.accept("filling an index of %d".formatted(samples));
            indexed.put(samples, IndexedTier.of(samples));
        }
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < 3; time++) {
            size.samples().forEach(this::drawn);
            indexedSizes().forEach(this::lookedUp);
        }
    }

    private List<Measurement> drawn(long samples) {
        DrawTimes times = new DrawTimes(samples, size.draws(), 8);
        return List.of(
                new Measurement(NANOS, ORDER, samples, times.order()),
                new Measurement(NANOS, SHARD, samples, times.shard()),
                new Measurement(NANOS, RESUME, samples, times.resume()),
                new Measurement(BYTES, ARITHMETIC, samples, times.bytes()));
    }

    private List<Measurement> lookedUp(long samples) {
        IndexedTier index = Objects.requireNonNull(indexed.get(samples), "prepared");
        return List.of(
                new Measurement(NANOS, LOOK_UP, samples, index.nanos(size.draws())),
                new Measurement(BYTES, INDEX, samples, index.bytes()));
    }

    private List<Measurement> throughput(int ranks, RankProcess.Load load) {
        double rate = inFolder(folder -> RankProcess.samplesPerSecond(folder, ranks, load));
        return List.of(new Measurement(RATE, RANKS, ranks, rate));
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        Chart.Axis samples = Chart.Axis.logarithmic("samples of the data set");
        return List.of(
                new Chart(
                        "time",
                        "What a draw, a resumed run and a look-up take",
                        samples,
                        Chart.Axis.linear("time [ns]"),
                        List.of(
                                measurements.line(ORDER, NANOS, ORDER),
                                measurements.line(SHARD, NANOS, SHARD),
                                measurements.line(RESUME, NANOS, RESUME),
                                measurements.line(LOOK_UP, NANOS, LOOK_UP))),
                new Chart(
                        "memory",
                        "What an order and an index hold in memory",
                        samples,
                        Chart.Axis.logarithmic("memory [B]"),
                        List.of(
                                measurements.line("order, shard, resume", BYTES, ARITHMETIC),
                                measurements.line(INDEX, BYTES, INDEX),
                                proportional("at most %d B a sample".formatted(INDEX_BYTES), INDEX_BYTES),
                                proportional(
                                        "permutation: %d B a sample".formatted(PERMUTATION_BYTES), PERMUTATION_BYTES))),
                new Chart(
                        "ranks",
                        "Warm throughput of all ranks of this machine",
                        Chart.Axis.counted(
                                "ranks", size.ranks().get(size.ranks().size() - 1)),
                        Chart.Axis.linear("throughput of all ranks [samples/s]"),
                        List.of(measurements.line(
                                "samples of %,d B".formatted(size.load().sampleBytes()), RATE, RANKS))));
    }

    private Chart.Line proportional(String line, int bytes) {
        return Chart.Line.theory(
                line,
                size.samples().stream()
                        .map(samples -> Chart.Dot.of(samples, (double) samples * bytes))
                        .toList());
    }

    @Override
    public List<Result> results(Measurements measurements) {
        double max = size.samples().get(size.samples().size() - 1);
        double min = size.samples().get(0);
        List<Result> results = new ArrayList<>();
        for (String series : List.of(ORDER, SHARD)) {
            results.add(Result.of("%s of %,.0f".formatted(series, max), measurements.median(NANOS, series, max), "ns")
                    .atMost(DRAW_ROW, MAX_NANOS));
        }
        results.add(Result.of("resuming in %,.0f".formatted(max), measurements.median(NANOS, RESUME, max), "ns"));
        results.add(Result.of(
                        "memory of order, shard and resume of %,.0f over that of %,.0f".formatted(max, min),
                        measurements.median(BYTES, ARITHMETIC, max) - measurements.median(BYTES, ARITHMETIC, min),
                        "B")
                .atMost(DRAW_ROW, 0));
        List<Double> sizes = measurements.places(BYTES, INDEX);
        double largest = sizes.get(sizes.size() - 1);
        results.add(Result.of(
                        "index of %,.0f samples, each".formatted(largest),
                        measurements.median(BYTES, INDEX, largest) / largest,
                        "B")
                .atMost(INDEX_ROW, INDEX_BYTES));
        double alone = measurements.median(RATE, RANKS, size.ranks().get(0));
        for (int ranks : size.ranks()) {
            double rate = measurements.median(RATE, RANKS, ranks);
            results.add(Result.of("%d ranks: all of them".formatted(ranks), rate, "samples/s"));
            results.add(Result.of("%d ranks: over one".formatted(ranks), rate / alone, "times"));
        }
        return results;
    }

    @Override
    public void close() {
        indexed.values().forEach(IndexedTier::close);
    }
}
