package io.penstock.bench.experiment;

import io.penstock.bench.Bench;
import io.penstock.bench.Chart;
import io.penstock.bench.DistantFiles;
import io.penstock.bench.Measured;
import io.penstock.bench.Rounds;
import io.penstock.bench.ScratchFolder;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Near and far files with a cache and without, by one worker and by several, after DataCache. A worker has one load on
 * its way at a time: it reads or asks for a file, waits, decodes. Each run has several epochs and begins with an empty
 * cache on disk that has room for all decoded samples, or with none. Far and near with a warm cache are compared by
 * more epochs of each, in turn.
 */
public final class NearFar {

    private static final Duration LATENCY = Duration.ofMillis(20);
    private static final int AT_ONCE = 64;
    private static final long ENTRY_BYTES = Pictures.BYTES + 512;
    private static final int WARM_EPOCHS = 20; // one takes less than a tenth of a second: too short to tell 2 % by
    private static final double MAX_APART = 2;

    private record Side(String place, Dataset<Tensor> samples) {

        Side cached(Tier cache) {
            return new Side(place, samples.cache(cache, TrainingStep.SCHEMA));
        }
    }

    private static String kept(boolean cached) {
        return cached ? " with a cache on disk" : " without a cache";
    }

    private static String series(String place, boolean cached, int workers) {
        return place + kept(cached) + " by " + workers;
    }

    private static String warm(String place, int workers) {
        return place + " warm by " + workers;
    }

    private final Bench bench;
    private final int epochs;
    private final Measured measured = new Measured();

    private NearFar(Bench bench, int epochs) {
        this.bench = bench;
        this.epochs = epochs;
    }

    public static void run(Bench bench) {
        run(bench, bench.choose(320, 96), bench.choose(4, 3), List.of(1, 4), bench.choose(5, 3));
    }

    static Measured run(Bench bench, int size, int epochs, List<Integer> workers, int rounds) {
        NearFar experiment = new NearFar(bench, epochs);
        Pictures pictures = Pictures.of(bench, size);
        try (DistantFiles server = Pictures.distant(LATENCY, AT_ONCE)) {
            ScratchFolder.with(folder -> experiment.measure(
                    List.of(
                            new Side("near", pictures.decoded(folder, bench)),
                            new Side("far", pictures.decoded(server))),
                    folder.resolve("cache"),
                    workers,
                    rounds));
        }
        workers.forEach(experiment::report);
        return experiment.measured;
    }

    private void measure(List<Side> sides, Path folder, List<Integer> workers, int rounds) {
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        for (int number : workers) {
            for (Side side : sides) {
                String without = series(side.place, false, number);
                trials.put(without, round -> by(number, execution -> epochs(side, without, round, execution)));
                String with = series(side.place, true, number);
                trials.put(
                        with,
                        round -> withCache(
                                folder,
                                side,
                                cache -> by(number, execution -> epochs(side.cached(cache), with, round, execution))));
            }
            trials.put(
                    "warm by " + number,
                    round -> withCache(
                            folder,
                            sides.get(0),
                            cache -> by(
                                    number,
                                    execution -> warm(
                                            sides.stream()
                                                    .map(side -> side.cached(cache))
                                                    .toList(),
                                            number,
                                            round,
                                            execution))));
        }
        int max = workers.get(workers.size() - 1);
        bench.progress("near-far: warming up");
        for (Side side : sides) {
            withCache(
                    folder,
                    side,
                    cache -> by(
                            max,
                            execution -> epochs(side.cached(cache), series(side.place, true, max), rounds, execution)));
        }
        measured.clear();
        bench.inTurn(rounds, trials);
    }

    private void epochs(Side side, String series, int seed, Execution execution) {
        for (int epoch = 0; epoch < epochs; epoch++) {
            measured.add(series, epoch + 1, TrainingStep.TIMED.seconds(side.samples, seed, epoch, execution));
        }
    }

    /** An epoch of each place in turn, so that load on the machine affects both equally. */
    private void warm(List<Side> sides, int workers, int seed, Execution execution) {
        for (int epoch = 0; epoch <= WARM_EPOCHS; epoch++) {
            for (Side side : sides) {
                double seconds = TrainingStep.TIMED.seconds(side.samples, seed, epoch, execution);
                if (epoch > 0) { // the first fills the cache
                    measured.add(warm(side.place, workers), epoch, seconds);
                }
            }
        }
    }

    /** Runs with an empty cache that has room for the samples of both places. */
    private static void withCache(Path folder, Side side, Consumer<Tier> run) {
        long room = 2 * (side.samples.size() * ENTRY_BYTES * 2 + (64L << 20));
        try (Tier cache = ChronicleTier.at(folder).maxBytes(room).open()) {
            run.accept(cache);
        } finally {
            ScratchFolder.delete(folder);
        }
    }

    private static void by(int workers, Consumer<Execution> run) {
        Scheduler pool = Schedulers.newParallel("workers", workers);
        try {
            run.accept(Execution.standard().workers(pool, workers).inFlight(workers));
        } finally {
            pool.dispose();
        }
    }

    private void report(int workers) {
        String by = "%d worker%s".formatted(workers, workers == 1 ? "" : "s");
        double without = measured.ratio(series("far", false, workers), series("far", true, workers), epochs);
        bench.found(by + ": far without a cache over far with a warm one", without, "times");
        double[] apart = IntStream.rangeClosed(1, WARM_EPOCHS)
                .mapToObj(epoch -> Rounds.ratios(
                        measured.values(warm("far", workers), epoch), measured.values(warm("near", workers), epoch)))
                .flatMapToDouble(Arrays::stream)
                .toArray();
        double over = Rounds.quantile(apart, 0.5);
        bench.atMost(MAX_APART, by + ": far with a warm cache over near with one", 100 * over - 100, "%");
        List<Chart.Line> lines = new ArrayList<>();
        for (String place : List.of("far", "near")) {
            for (boolean cached : List.of(false, true)) {
                lines.add(measured.line(place + kept(cached), series(place, cached, workers)));
            }
        }
        bench.draw(new Chart(
                "workers-" + workers,
                "Time of each epoch, " + by,
                Chart.Axis.counted("epoch", epochs),
                Chart.Axis.linear("time of the epoch [s]"),
                lines));
    }
}
