package io.penstock.bench.scaling;

import io.penstock.bench.Finding;
import io.penstock.bench.ScratchFolder;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Course;
import io.penstock.bench.experiment.Measured;
import io.penstock.bench.experiment.Results;
import io.penstock.bench.experiment.Trial;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Draws and look-ups of data sets of growing size, and warm epochs by more and more ranks. */
final class ScaleCourse implements Course {

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
    private static final double MOST_NANOS = 50;

    private final String name;
    private final Scale.Size size;
    private final Map<Long, Indexed> indexed = new TreeMap<>();
    private @Nullable Path scratch;

    ScaleCourse(String name, Scale.Size size) {
        this.name = name;
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        Ranks.Load load = size.load();
        Map<String, String> words = new LinkedHashMap<>();
        words.put("draws", size.draws() + " of each size");
        words.put("index", "filled up to %d samples".formatted(size.mostIndexed()));
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
                "An order is arithmetic, so draws of a thousand million samples are taken for real, without any data. An index needs its keys: the RAM tier is filled with values of 16 B as far as said below, and the line of its promise goes on.",
                "Memory of order, shard and resume is all that the thread allocates to begin each and to take its first draw. A framework that shuffles by a permutation holds 8 B a sample.",
                "Ranks are processes that share one cache on disk, in the page cache: they fill it together, wait for each other, and run warm epochs in batches until the last one has done. More ranks than processors cannot be faster.",
                MARKERS);
    }

    @Override
    public int rounds() {
        return size.rounds();
    }

    private List<Long> indexedSizes() {
        return size.samples().stream()
                .filter(samples -> samples <= size.mostIndexed())
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
    public void prepare(Path folder, Consumer<String> progress) {
        scratch = folder;
        for (long samples : indexedSizes()) {
            progress.accept("%s: filling an index of %d".formatted(name, samples));
            indexed.put(samples, Indexed.of(samples));
        }
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < 3; time++) {
            size.samples().forEach(this::drawn);
            indexedSizes().forEach(this::lookedUp);
        }
    }

    private List<Measured> drawn(long samples) {
        DrawTimes times = new DrawTimes(samples, size.draws());
        return List.of(
                new Measured(NANOS, ORDER, samples, times.order()),
                new Measured(NANOS, SHARD, samples, times.shard()),
                new Measured(NANOS, RESUME, samples, times.resume()),
                new Measured(BYTES, ARITHMETIC, samples, times.bytes()));
    }

    private List<Measured> lookedUp(long samples) {
        Indexed index = Objects.requireNonNull(indexed.get(samples), "prepared");
        return List.of(
                new Measured(NANOS, LOOK_UP, samples, index.nanos(size.draws())),
                new Measured(BYTES, INDEX, samples, index.bytes()));
    }

    private List<Measured> throughput(int ranks, Ranks.Load load) {
        Path folder = Objects.requireNonNull(scratch, "prepared").resolve("cache");
        double rate = Ranks.samplesPerSecond(folder, ranks, load);
        ScratchFolder.delete(folder);
        return List.of(new Measured(RATE, RANKS, ranks, rate));
    }

    @Override
    public List<Chart> charts(Results results) {
        Chart.Axis samples = Chart.Axis.logarithmic("samples of the data set");
        return List.of(
                new Chart(
                        "time",
                        "What a draw, a resumed run and a look-up take",
                        samples,
                        Chart.Axis.linear("time [ns]"),
                        List.of(
                                results.line(ORDER, NANOS, ORDER),
                                results.line(SHARD, NANOS, SHARD),
                                results.line(RESUME, NANOS, RESUME),
                                results.line(LOOK_UP, NANOS, LOOK_UP))),
                new Chart(
                        "memory",
                        "What an order and an index hold in memory",
                        samples,
                        Chart.Axis.logarithmic("memory [B]"),
                        List.of(
                                results.line("order, shard, resume", BYTES, ARITHMETIC),
                                results.line(INDEX, BYTES, INDEX),
                                proportional("at most %d B a sample".formatted(INDEX_BYTES), INDEX_BYTES),
                                proportional(
                                        "permutation: %d B a sample".formatted(PERMUTATION_BYTES), PERMUTATION_BYTES))),
                new Chart(
                        "ranks",
                        "Warm throughput of all ranks of this machine",
                        Chart.Axis.named("ranks", upTo(size.ranks())),
                        Chart.Axis.linear("throughput of all ranks [samples/s]"),
                        List.of(results.line(
                                "samples of %,d B".formatted(size.load().sampleBytes()), RATE, RANKS))));
    }

    private static List<String> upTo(List<Integer> ranks) {
        return IntStream.rangeClosed(1, ranks.get(ranks.size() - 1))
                .mapToObj(Integer::toString)
                .toList();
    }

    private Chart.Line proportional(String line, int bytes) {
        return Chart.Line.theory(
                line,
                size.samples().stream()
                        .map(samples -> Chart.Dot.of(samples, (double) samples * bytes))
                        .toList());
    }

    @Override
    public List<Finding> findings(Results results) {
        double most = size.samples().get(size.samples().size() - 1);
        double least = size.samples().get(0);
        List<Finding> findings = new ArrayList<>();
        for (String series : List.of(ORDER, SHARD)) {
            findings.add(
                    Finding.of(name, "%s of %,.0f".formatted(series, most), results.median(NANOS, series, most), "ns")
                            .atMost(DRAW_ROW, MOST_NANOS));
        }
        findings.add(Finding.of(name, "resuming in %,.0f".formatted(most), results.median(NANOS, RESUME, most), "ns"));
        findings.add(Finding.of(
                        name,
                        "memory of order, shard and resume of %,.0f over that of %,.0f".formatted(most, least),
                        results.median(BYTES, ARITHMETIC, most) - results.median(BYTES, ARITHMETIC, least),
                        "B")
                .atMost(DRAW_ROW, 0));
        List<Double> sizes = results.places(BYTES, INDEX);
        double largest = sizes.get(sizes.size() - 1);
        findings.add(Finding.of(
                        name,
                        "index of %,.0f samples, each".formatted(largest),
                        results.median(BYTES, INDEX, largest) / largest,
                        "B")
                .atMost(INDEX_ROW, INDEX_BYTES));
        double alone = results.median(RATE, RANKS, size.ranks().get(0));
        for (int ranks : size.ranks()) {
            double rate = results.median(RATE, RANKS, ranks);
            findings.add(Finding.of(name, "%d ranks: all of them".formatted(ranks), rate, "samples/s"));
            findings.add(Finding.of(name, "%d ranks: over one".formatted(ranks), rate / alone, "times"));
        }
        return findings;
    }

    @Override
    public void close() {
        indexed.values().forEach(Indexed::close);
    }
}
