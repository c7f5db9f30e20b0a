package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.DistantFiles;
import io.penstock.bench.Measured;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The time of an epoch by the share of the data that is cached, near and far, after stocaching. The first epoch fills a
 * cache in RAM, the second is measured: shuffled, to the end of the last training step.
 */
public final class Sweep {

    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final int AT_ONCE = 12;
    private static final int FAR_IN_FLIGHT = 512;
    private static final int WARM_UPS = 3;
    private static final long ENTRY_BYTES = Pictures.BYTES + 128; // with its header and its place in the index
    private static final double MAX_OFF = 5;

    private record Side(String series, Dataset<Tensor> samples, Execution execution, TrainingStep training) {

        void measure(int share, int round, Measured measured) {
            if (share == 0) {
                measured.add(series, 0, second(samples, round));
                measured.add(SweepTheory.held(series), 0, 0);
                return;
            }
            long room = Math.round(samples.size() * share / 100.0);
            long spare = share == 100 ? room / 10 + 64 : 0; // for rounding to pages
            try (Tier tier = RamTier.ofBytes((room + spare) * ENTRY_BYTES)) {
                measured.add(series, share, second(samples.cache(tier, TrainingStep.SCHEMA), round));
                double held = (double) tier.statistics().samples() / samples.size();
                measured.add(SweepTheory.held(series), share, held);
            }
        }

        /** Runs a first epoch without a cache, too, so that all measured code is equally compiled. */
        private double second(Dataset<Tensor> data, int round) {
            TrainingStep.none(training.batch()).seconds(data, round, 0, execution);
            return training.seconds(data, round, 1, execution);
        }
    }

    private Sweep() {}

    public static void run(Bench bench, TrainingStep training) {
        run(
                bench,
                training,
                bench.choose(5120, 256),
                bench.choose(List.of(0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100), List.of(0, 25, 50, 75, 100)),
                bench.choose(5, 3));
    }

    /**
     * @param size   samples of an epoch; the first batch and the last step, which theory ignores, should be a small
     * part
     * @param shares of them that are cached, in percent, from 0 to 100
     */
    static Measured run(Bench bench, TrainingStep training, int size, List<Integer> shares, int rounds) {
        Pictures pictures = Pictures.of(bench, size);
        Measured measured = new Measured();
        try (DistantFiles server = Pictures.distant(LATENCY, AT_ONCE)) {
            ScratchFolder.with(folder -> {
                Execution near = Execution.standard();
                Execution far = near.inFlight(FAR_IN_FLIGHT);
                List<Side> sides = List.of(
                        new Side("local files", pictures.decoded(folder, bench), near, training),
                        new Side("remote files", pictures.decoded(server), far, training));
                Map<String, IntConsumer> trials = new LinkedHashMap<>();
                for (int share : shares) {
                    for (Side side : sides) {
                        trials.put(
                                "%s %d %%".formatted(side.series, share),
                                round -> side.measure(share, round, measured));
                    }
                }
                bench.progress("sweep: warming up");
                for (int time = 0; time < WARM_UPS; time++) {
                    for (int share : List.of(0, 50, 100)) {
                        sides.get(0).measure(share, rounds, measured);
                    }
                    sides.get(1).measure(50, rounds, measured);
                }
                measured.clear();
                bench.inTurn(rounds, trials);
            });
        }
        report(bench, measured, training);
        return measured;
    }

    private static void report(Bench bench, Measured measured, TrainingStep training) {
        List<Chart.Line> times = new ArrayList<>();
        List<Chart.Line> gains = new ArrayList<>();
        for (String series : List.of("remote files", "local files")) {
            SweepTheory theory = new SweepTheory(measured, series);
            bench.found(series + ": speed-up with all cached", theory.gain(100), "times");
            String off = series + ": speed-up, farthest off theory";
            if (training.equals(TrainingStep.TIMED)) { // theory has no step that takes processor time
                bench.atMost(MAX_OFF, off, theory.maxError(), "%");
            } else {
                bench.found(off, theory.maxError(), "%");
            }
            IntStream curve = IntStream.rangeClosed(0, 100);
            times.add(measured.line(series, series));
            times.add(Chart.Line.theory(series + ", max(g, (1 − c) · m)", curve, theory::time));
            gains.add(theory.gains());
            gains.add(Chart.Line.theory(
                    series + ", m / max(g, (1 − c) · m)",
                    IntStream.rangeClosed(0, 100),
                    share -> theory.time(0) / theory.time(share)));
        }
        Chart.Axis share = Chart.Axis.linear("share of the samples that the cache has room for [%]");
        bench.draw(new Chart("time", "Time of an epoch", share, Chart.Axis.linear("time of an epoch [s]"), times));
        Chart.Axis speedUp = Chart.Axis.linear("speed-up over no cache [times]");
        bench.draw(new Chart("speed-up", "Speed-up over no cache", share, speedUp, gains));
    }
}
