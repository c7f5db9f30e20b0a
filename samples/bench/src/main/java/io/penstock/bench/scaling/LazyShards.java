package io.penstock.bench.scaling;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.Spread;
import io.penstock.bench.experiment.Trial;
import io.penstock.bench.scaling.LazyRank.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What lazy shards hold, load and take in each mode as the number of ranks grows, after BiLevelCache. */
public final class LazyShards extends Experiment {

    private static final String SAMPLES = "samples of an epoch";
    private static final String LOADS = "loads of an epoch";
    private static final String SECONDS = "epoch time [s]";

    /**
     * How much to measure.
     *
     * @param loads  of the ranks, which differ in the sizes of the caches
     * @param ranks  of the node
     * @param rounds of repetitions
     */
    record Size(List<LazyRank.Load> loads, List<Integer> ranks, int rounds) {

        int epochs() {
            return loads.get(0).epochs();
        }
    }

    private final Size size;

    public LazyShards(BenchOptions options) {
        this(
                options.quick()
                        ? new Size(List.of(new LazyRank.Load(20_000, 16_384, 2_048, 24_576, 3)), List.of(1, 2, 4), 1)
                        : new Size(
                                List.of(
                                        new LazyRank.Load(20_000, 16_384, 4_096, 32_768, 3),
                                        new LazyRank.Load(20_000, 16_384, 8_192, 65_536, 3)),
                                List.of(1, 2, 4, 8),
                                1));
    }

    LazyShards(Size size) {
        super(size.rounds());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        LazyRank.Load load = size.loads().get(0);
        return words(
                "data", "%d samples of %d B".formatted(load.samples(), load.sampleBytes()),
                "source",
                        "%d ms away with %d in flight a rank"
                                .formatted(LazyRank.LATENCY.toMillis(), LazyRank.IN_FLIGHT),
                "caches, RAM a rank and disk",
                        size.loads().stream().map(LazyShards::caches).collect(Collectors.joining(", ")),
                "ranks", size.ranks().toString(),
                "epochs", Integer.toString(size.epochs()));
    }

    @Override
    public List<String> explained() {
        return List.of(
                "Ranks are processes of one node, each with its own cache in RAM, over one cache on disk. Caches begin"
                        + " empty. A lazy shard draws as many samples as its cache holds: of mode rank, each rank has"
                        + " one; of modes node and disk, the ranks divide one again in every epoch.",
                "The ranks begin an epoch together, and it ends with the last of them. Loads are those of all ranks at"
                        + " the source. Each sample is to be loaded once, and nothing from the second epoch on.",
                MARKERS);
    }

    /** One number of ranks over caches of one size. */
    private record Way(Mode mode, LazyRank.Load load, int ranks) {

        /** Where the charts have its line. */
        String line() {
            return "%s %s".formatted(word(mode), caches(load));
        }

        String line(int epoch) {
            return "%s epoch %d".formatted(line(), epoch + 1);
        }

        String series() {
            return "mode %s of %d %s".formatted(word(mode), ranks, caches(load));
        }
    }

    private Stream<Way> ways() {
        return Stream.of(Mode.values())
                .flatMap(mode -> size.loads().stream()
                        .flatMap(load -> size.ranks().stream().map(ranks -> new Way(mode, load, ranks))));
    }

    private static String word(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private static String caches(LazyRank.Load load) {
        return "%d + %d MiB".formatted(load.memoryKiB() / 1024, load.diskKiB() / 1024);
    }

    @Override
    public List<Trial> trials() {
        return ways().map(way -> new Trial(way.series(), round -> measured(way)))
                .toList();
    }

    private List<Measurement> measured(Way way) {
        List<LazyRank.Epoch> epochs = inFolder(folder -> LazyRank.epochs(folder, way.mode, way.ranks, way.load));
        List<Measurement> found = new ArrayList<>();
        found.add(new Measurement(SAMPLES, way.line(), way.ranks, epochs.get(0).samples()));
        for (int epoch = 0; epoch < epochs.size(); epoch++) {
            LazyRank.Epoch one = epochs.get(epoch);
            found.add(new Measurement(LOADS, way.series(), epoch + 1, one.loads()));
            found.add(new Measurement(SECONDS, way.line(epoch), way.ranks, one.seconds()));
        }
        return found;
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        LazyRank.Load largest = size.loads().get(size.loads().size() - 1);
        List<Chart.Line> sizes = new ArrayList<>();
        List<Chart.Line> times = new ArrayList<>();
        ways().filter(way -> way.ranks == size.ranks().get(0)).forEach(way -> {
            sizes.add(measurements.line(way.line(), SAMPLES, way.line()));
            if (way.load.equals(largest)) {
                String mode = word(way.mode);
                times.add(measurements.line(mode + ", first epoch", SECONDS, way.line(0)));
                times.add(measurements.line(mode + ", last epoch", SECONDS, way.line(size.epochs() - 1)));
            }
        });
        Chart.Axis ranks = Chart.Axis.counted(
                "ranks of the node", size.ranks().get(size.ranks().size() - 1));
        return List.of(
                new Chart("size", "Samples of an epoch", ranks, Chart.Axis.linear("samples of all ranks"), sizes),
                new Chart(
                        "time",
                        "Time of an epoch, caches of " + caches(largest),
                        ranks,
                        Chart.Axis.logarithmic("time of an epoch [s]"),
                        times));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        return ways().flatMap(way -> results(way, measurements)).toList();
    }

    private Stream<Result> results(Way way, Measurements measurements) {
        double samples = measurements.median(SAMPLES, way.line(), way.ranks);
        double again = laterEpochs()
                .mapToDouble(epoch ->
                        measurements.spread(LOADS, way.series(), epoch + 1).max())
                .max()
                .orElseThrow();
        double[] later = laterEpochs()
                .mapToDouble(epoch -> measurements.median(SECONDS, way.line(epoch), way.ranks))
                .toArray();
        String series = way.series();
        return Stream.of(
                Result.of(
                                series + ": loads, first epoch",
                                measurements.spread(LOADS, series, 1).max(),
                                "")
                        .atMost(0, samples),
                Result.of(series + ": loads, each later epoch", again, "").atMost(0, 0),
                Result.of(series + ": first epoch", measurements.median(SECONDS, way.line(0), way.ranks), "s"),
                Result.of(series + ": later epochs", Spread.of(later).median(), "s"));
    }

    private IntStream laterEpochs() {
        return IntStream.range(1, size.epochs());
    }
}
