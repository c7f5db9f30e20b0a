package io.penstock.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A run of a benchmark: how much it does, with which files, and what it found. Not thread-safe. */
public final class Bench {

    private final boolean quick;
    private final @Nullable Path pictures;
    private final Consumer<String> progress;
    private final List<Result> results = new ArrayList<>();
    private final List<Chart> charts = new ArrayList<>();

    /**
     * A run that has found nothing yet.
     * @param quick    less, so that all benchmarks take about a minute
     * @param pictures a folder of JPEG files to use instead of generated ones, if any
     * @param progress receives what the benchmark is doing
     */
    public Bench(boolean quick, @Nullable Path pictures, Consumer<String> progress) {
        this.quick = quick;
        this.pictures = pictures;
        this.progress = progress;
    }

    public @Nullable Path pictures() {
        return pictures;
    }

    /** The second for a quick run, else the first. */
    public <T> T choose(T full, T quickly) {
        return quick ? quickly : full;
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotations are not on this class path
    public void progress(String format, Object... words) {
        progress.accept(format.formatted(words));
    }

    public void found(String what, double value, String unit) {
        results.add(new Result(what, value, unit, null, Result.Sense.AT_LEAST));
    }

    public void atLeast(double limit, String what, double value, String unit) {
        results.add(new Result(what, value, unit, limit, Result.Sense.AT_LEAST));
    }

    public void atMost(double limit, String what, double value, String unit) {
        results.add(new Result(what, value, unit, limit, Result.Sense.AT_MOST));
    }

    public void draw(Chart chart) {
        charts.add(quick ? chart.marked(" (quick run, noisy)") : chart);
    }

    public List<Result> results() {
        return List.copyOf(results);
    }

    public List<Chart> charts() {
        return List.copyOf(charts);
    }

    /**
     * Rounds of these contestants, which the progress names.
     * @param warmUp rounds that are not counted
     */
    public Rounds rounds(String what, int warmUp, int rounds, List<DoubleSupplier> contestants) {
        return Rounds.of(warmUp, rounds, round -> progress("%s, round %d", what, round + 1), contestants);
    }

    /**
     * Runs each trial once a round, in turn, so that load on the machine affects all of them. None pays for the garbage
     * of the one before.
     * @param trials by name; each gets the round, counted from 0
     */
    public void inTurn(int rounds, Map<String, IntConsumer> trials) {
        int total = rounds * trials.size();
        int done = 0;
        long began = System.nanoTime();
        for (int round = 0; round < rounds; round++) {
            for (Map.Entry<String, IntConsumer> trial : trials.entrySet()) {
                long left = done == 0 ? 0 : (System.nanoTime() - began) / done * (total - done) / 1_000_000_000;
                progress(
                        "%d %%, round %d of %d: %s%s",
                        100 * done / total,
                        round + 1,
                        rounds,
                        trial.getKey(),
                        done == 0 ? "" : ", ETA %d s".formatted(left));
                Garbage.clear();
                trial.getValue().accept(round);
                done++;
            }
        }
    }
}
