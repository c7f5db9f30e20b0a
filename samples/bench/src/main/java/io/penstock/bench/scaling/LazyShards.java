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
import java.util.stream.IntStream;

/** What lazy shards hold, load and take in each mode as the number of ranks grows, after BiLevelCache. */
public final class LazyShards extends Experiment {

    private static final String SAMPLES = "samples of an epoch";
    private static final String LOADS = "loads of an epoch";
    private static final String SECONDS = "epoch time [s]";

    /**
     * How much to measure.
     *
     * @param load   of the ranks
     * @param ranks  of the node
     * @param rounds of repetitions
     */
    record Size(LazyRank.Load load, List<Integer> ranks, int rounds) {}

    private final Size size;

    public LazyShards(BenchOptions options) {
        this(
                options.quick()
                        ? new Size(new LazyRank.Load(20_000, 16_384, 2_048, 24_576, 3), List.of(1, 2, 4), 1)
                        : new Size(new LazyRank.Load(20_000, 16_384, 8_192, 65_536, 4), List.of(1, 2, 4, 8), 3));
    }

    LazyShards(Size size) {
        super(size.rounds());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        LazyRank.Load load = size.load();
        return words(
                "data", "%d samples of %d B".formatted(load.samples(), load.sampleBytes()),
                "source",
                        "%d ms away with %d in flight a rank"
                                .formatted(LazyRank.LATENCY.toMillis(), LazyRank.IN_FLIGHT),
                "caches", "%d KiB in RAM a rank and %d KiB on disk".formatted(load.memoryKiB(), load.diskKiB()),
                "ranks", size.ranks().toString(),
                "epochs", Integer.toString(load.epochs()));
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

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (int ranks : size.ranks()) {
                trials.add(new Trial(series(mode, ranks), round -> measured(mode, ranks)));
            }
        }
        return trials;
    }

    private static String word(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }

    private static String series(Mode mode, int ranks) {
        return "mode %s of %d".formatted(word(mode), ranks);
    }

    private static String of(Mode mode, int epoch) {
        return "mode %s epoch %d".formatted(word(mode), epoch + 1);
    }

    private List<Measurement> measured(Mode mode, int ranks) {
        List<LazyRank.Epoch> epochs = inFolder(folder -> LazyRank.epochs(folder, mode, ranks, size.load()));
        List<Measurement> found = new ArrayList<>();
        found.add(new Measurement(SAMPLES, word(mode), ranks, epochs.get(0).samples()));
        for (int epoch = 0; epoch < epochs.size(); epoch++) {
            found.add(new Measurement(
                    LOADS, series(mode, ranks), epoch + 1, epochs.get(epoch).loads()));
            found.add(new Measurement(
                    SECONDS, of(mode, epoch), ranks, epochs.get(epoch).seconds()));
        }
        return found;
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        int last = size.load().epochs() - 1;
        List<Chart.Line> sizes = new ArrayList<>();
        List<Chart.Line> times = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            sizes.add(measurements.line(word(mode), SAMPLES, word(mode)));
            times.add(measurements.line(word(mode) + ", first epoch", SECONDS, of(mode, 0)));
            times.add(measurements.line(word(mode) + ", last epoch", SECONDS, of(mode, last)));
        }
        Chart.Axis ranks = Chart.Axis.counted(
                "ranks of the node", size.ranks().get(size.ranks().size() - 1));
        return List.of(
                new Chart("size", "Samples of an epoch", ranks, Chart.Axis.linear("samples of all ranks"), sizes),
                new Chart("time", "Time of an epoch", ranks, Chart.Axis.logarithmic("time of an epoch [s]"), times));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        int epochs = size.load().epochs();
        for (Mode mode : Mode.values()) {
            for (int ranks : size.ranks()) {
                String series = series(mode, ranks);
                double samples = measurements.median(SAMPLES, word(mode), ranks);
                results.add(Result.of(series + ": samples", samples, ""));
                results.add(Result.of(
                                series + ": loads a sample, first epoch",
                                measurements.spread(LOADS, series, 1).max() / samples,
                                "")
                        .atMost(0, 1));
                results.add(Result.of(
                                series + ": loads an epoch from the second on, at most",
                                IntStream.rangeClosed(2, epochs)
                                        .mapToDouble(epoch -> measurements
                                                .spread(LOADS, series, epoch)
                                                .max())
                                        .max()
                                        .orElseThrow(),
                                "")
                        .atMost(0, 0));
                double[] first = measurements.values(SECONDS, of(mode, 0), ranks);
                double[] last = measurements.values(SECONDS, of(mode, epochs - 1), ranks);
                results.add(Result.of(series + ": first epoch over the last", Spread.ratio(first, last), "times"));
            }
        }
        return results;
    }
}
