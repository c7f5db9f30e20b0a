package io.penstock.bench.caching;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.DistantFiles;
import io.penstock.bench.Result;
import io.penstock.bench.experiment.Chart;
import io.penstock.bench.experiment.Experiment;
import io.penstock.bench.experiment.Measurement;
import io.penstock.bench.experiment.Measurements;
import io.penstock.bench.experiment.TrainingStep;
import io.penstock.bench.experiment.Trial;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
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
import org.jspecify.annotations.Nullable;

/**
 * The time of an epoch by the share of the data that is cached, near and far, after stocaching: the first epoch fills
 * the cache, the second is measured. With g the time of a fully cached epoch, m without a cache and c the share that is
 * held, theory says max(g, (1 - c) m).
 */
public final class Sweep extends Experiment {

    private static final String NEAR = "local files";
    private static final String FAR = "remote files";
    private static final String SECONDS = "epoch time [s]";
    private static final String HELD = "share held";
    private static final TrainingStep TRAINING = TrainingStep.STANDARD;
    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final int AT_ONCE = 12;
    private static final int FAR_IN_FLIGHT = 512;
    private static final int WARM_UPS = 3;
    private static final long ENTRY_BYTES = Pictures.BYTES + 128; // with its header and its place in the index
    private static final double MAX_OFF = 5;

    /**
     * How much to measure.
     *
     * @param samples of an epoch; the first batch and the last step, which theory ignores, should be a small part of it
     * @param shares  of them that are cached, in percent, from 0 to 100
     * @param rounds  of repetitions
     */
    record Size(int samples, List<Integer> shares, int rounds) {}

    private final Pictures pictures;
    private final Size size;
    private final Execution nearby = Execution.standard();
    private final Execution farAway = nearby.inFlight(FAR_IN_FLIGHT);
    private @Nullable DistantFiles far;
    private @Nullable Dataset<Tensor> nearSamples;
    private @Nullable Dataset<Tensor> farSamples;

    public Sweep(BenchOptions options) {
        this(
                options,
                options.quick()
                        ? new Size(256, List.of(0, 25, 50, 75, 100), 3)
                        : new Size(5120, List.of(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), 5));
    }

    Sweep(BenchOptions options, Size size) {
        super(size.rounds());
        this.pictures = Pictures.of(options, size.samples());
        this.size = size;
    }

    @Override
    public Map<String, String> settings() {
        return words(
                "pictures", pictures.described(),
                "remote", "one such picture %d ms away and %d answers at once".formatted(LATENCY.toMillis(), AT_ONCE),
                "in flight", "%d and remote %d".formatted(nearby.inFlight(), farAway.inFlight()),
                "training", TRAINING.described(),
                "shares", size.shares().toString());
    }

    @Override
    public List<String> explained() {
        return List.of(
                "The first epoch fills a RAM cache that has room for a share c of the samples, the second is measured:"
                        + " shuffled, to the end of the last training step, which waits as for a device.",
                "Theory: max(g, (1 − c) · m), where m is the epoch without a cache and g the one that is wholly"
                        + " cached, both measured; c is what the cache held.",
                MARKERS);
    }

    @Override
    public List<Trial> trials() {
        List<Trial> trials = new ArrayList<>();
        for (int share : size.shares()) {
            trials.add(new Trial(
                    "%s %d %%".formatted(NEAR, share), round -> measured(NEAR, nearSamples, nearby, share, round)));
            trials.add(new Trial(
                    "%s %d %%".formatted(FAR, share), round -> measured(FAR, farSamples, farAway, share, round)));
        }
        return trials;
    }

    @Override
    protected void prepare(Path scratch, Consumer<String> progress) {
        DistantFiles served = Pictures.distant(LATENCY, AT_ONCE);
        far = served;
        nearSamples = pictures.decoded(pictures.in(scratch, progress));
        farSamples = Pictures.decoded(served, pictures.count());
    }

    @Override
    public void warmUp() {
        for (int time = 0; time < WARM_UPS; time++) {
            for (int share : List.of(0, 50, 100)) {
                measured(NEAR, nearSamples, nearby, share, rounds());
            }
            measured(FAR, farSamples, farAway, 50, rounds());
        }
    }

    private List<Measurement> measured(
            String series, @Nullable Dataset<Tensor> dataset, Execution execution, int share, int round) {
        Dataset<Tensor> samples = Objects.requireNonNull(dataset, "prepared");
        if (share == 0) {
            return measured(series, share, 0, second(samples, execution, round));
        }
        long room = Math.round(samples.size() * share / 100.0);
        long spare = share == 100 ? room / 10 + 64 : 0; // for rounding to pages
        try (Tier tier = RamTier.ofBytes((room + spare) * ENTRY_BYTES)) {
            double seconds = second(samples.cache(tier, TrainingStep.SCHEMA), execution, round);
            double held = (double) tier.statistics().samples() / samples.size();
            return measured(series, share, held, seconds);
        }
    }

    /** Runs a first epoch without a cache, too, so that all measured code is equally compiled. */
    private double second(Dataset<Tensor> samples, Execution execution, int round) {
        new TrainingStep(TRAINING.batch(), Duration.ZERO).seconds(samples, round, 0, execution);
        return TRAINING.seconds(samples, round, 1, execution);
    }

    private static List<Measurement> measured(String series, int share, double held, double seconds) {
        return List.of(new Measurement(SECONDS, series, share, seconds), new Measurement(HELD, series, share, held));
    }

    @Override
    public List<Chart> charts(Measurements measurements) {
        List<Chart.Line> times = new ArrayList<>();
        List<Chart.Line> gains = new ArrayList<>();
        for (String series : List.of(FAR, NEAR)) {
            SweepTheory theory = new SweepTheory(measurements, series, SECONDS, HELD);
            times.add(measurements.line(series, SECONDS, series));
            times.add(Chart.Line.theory(series + ", max(g, (1 − c) · m)", theory.times()));
            gains.add(new Chart.Line(series, Chart.Kind.MEASURED, theory.measuredGains()));
            gains.add(Chart.Line.theory(series + ", m / max(g, (1 − c) · m)", theory.gains()));
        }
        Chart.Axis share = Chart.Axis.linear("share of the samples that the cache has room for [%]");
        return List.of(
                new Chart("time", "Time of an epoch", share, Chart.Axis.linear("time of an epoch [s]"), times),
                new Chart(
                        "speed-up",
                        "Speed-up over no cache",
                        share,
                        Chart.Axis.linear("speed-up over no cache [times]"),
                        gains));
    }

    @Override
    public List<Result> results(Measurements measurements) {
        List<Result> results = new ArrayList<>();
        for (String series : List.of(NEAR, FAR)) {
            SweepTheory theory = new SweepTheory(measurements, series, SECONDS, HELD);
            results.add(Result.of(series + ": speed-up with all cached", theory.maxGain(), "times"));
            results.add(Result.of(series + ": speed-up, farthest off theory", theory.maxError(), "%")
                    .atMost(0, MAX_OFF));
        }
        return results;
    }

    @Override
    public void close() {
        if (far != null) {
            far.close();
        }
    }
}
