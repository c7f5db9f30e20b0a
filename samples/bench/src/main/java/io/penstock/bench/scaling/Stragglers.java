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
import io.penstock.stream.Execution;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** How long a trainer waits for the one sample in a hundred that takes a hundred times as long as the others. */
public final class Stragglers extends Experiment {

    private static final String SECONDS = "epoch time [s]";
    private static final TrainingStep TRAINING = new TrainingStep(32, Duration.ofMillis(16));
    private static final Duration USUAL = Duration.ofMillis(2);
    private static final Duration SLOW = USUAL.multipliedBy(100);
    private static final int ONE_IN = 100;
    private static final int NARROW = 32;
    private static final double MAX_STALL = 5;

    /** Loads in flight and the window, 0 for in order. */
    private record Way(String series, int inFlight, int window, boolean slow) {}

    /**
     * How much to measure.
     *
     * @param samples of an epoch
     * @param windows draws that are begun ahead
     * @param rounds  of repetitions
     */
    record Size(int samples, List<Integer> windows, int rounds) {}

    private final Size size;

    public Stragglers(BenchOptions options) {
        this(
                options.quick()
                        ? new Size(4_096, List.of(64, 512), 1)
                        : new Size(16_384, List.of(32, 64, 128, 256, 512, 1_024), 3));
    }

    Stragglers(Size size) {
        super(size.rounds());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        return words(
                "samples", Integer.toString(size.samples()),
                "source", "%d ms away and one in %d samples %d ms".formatted(USUAL.toMillis(), ONE_IN, SLOW.toMillis()),
                "training", TRAINING.described(),
                "windows", size.windows().toString());
    }

    @Override
    public List<String> explained() {
        return List.of(
                "A step of training takes 32 samples each 16 ms. The waiting is an epoch's time over that of an epoch"
                        + " without slow samples, in pairs of the same round.",
                ("In order, a window of so many loads is in flight: a slow sample begins that many draws before its"
                                + " turn, so 400 draws cover its 200 ms. Unordered, %d loads are in flight, and samples"
                                + " are delivered up to the window ahead of their turn.")
                        .formatted(NARROW),
                MARKERS);
    }

    @Override
    public List<Trial> trials() {
        List<Way> ways = new ArrayList<>();
        for (int window : size.windows()) {
            ways.add(new Way("none slow", window, 0, false));
            ways.add(new Way("in order", window, 0, true));
            ways.add(new Way("unordered", NARROW, window, true));
        }
        return ways.stream()
                .map(way -> new Trial(
                        "%s %d".formatted(way.series, Math.max(way.inFlight, way.window)),
                        round -> measured(way, round)))
                .toList();
    }

    private List<Measurement> measured(Way way, int round) {
        LongFunction<Duration> latency = index -> way.slow && index % ONE_IN == 0 ? SLOW : USUAL;
        double seconds = TRAINING.seconds(
                new LateDataset(new MadeRecords(size.samples(), 64), latency),
                round,
                0,
                Execution.standard().inFlight(way.inFlight).window(way.window));
        return List.of(new Measurement(SECONDS, way.series, Math.max(way.inFlight, way.window), seconds));
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        return List.of(new Chart(
                "time",
                "Time of an epoch with slow samples",
                Chart.Axis.logarithmic("window [draws]"),
                Chart.Axis.linear("time of an epoch [s]"),
                List.of(
                        measurements.line("none slow", SECONDS, "none slow"),
                        measurements.line("in order: all of the window in flight", SECONDS, "in order"),
                        measurements.line("unordered: %d in flight".formatted(NARROW), SECONDS, "unordered"))));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        double covering = (double) SLOW.toMillis() / TRAINING.step().toMillis() * TRAINING.batch();
        for (int window : size.windows()) {
            for (String series : List.of("in order", "unordered")) {
                double stall = 100
                                * Spread.ratio(
                                        measurements.values(SECONDS, series, window),
                                        measurements.values(SECONDS, "none slow", window))
                        - 100;
                Result result = Result.of("%s, window of %d: waiting".formatted(series, window), stall, "%");
                results.add(window > covering ? result.atMost(0, MAX_STALL) : result);
            }
        }
        return results;
    }
}
