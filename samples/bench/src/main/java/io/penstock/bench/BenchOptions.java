package io.penstock.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How much a benchmark does, and with which files.
 *
 * @param quick    less, so that all of them take about a minute
 * @param pictures a folder of JPEG files to use instead of generated ones, if any
 * @param out      a folder for files; null for the benchmark's own
 * @param progress receives what the benchmark is doing
 */
public record BenchOptions(
        boolean quick, @Nullable Path pictures, @Nullable Path out, Consumer<String> progress) {

    /**
     * Rounds of these contestants, which the progress names.
     * @param warmUp rounds that are not counted
     */
    public Rounds rounds(String what, int warmUp, int rounds, List<DoubleSupplier> contestants) {
        return Rounds.of(
                warmUp, rounds, round -> progress.accept("%s, round %d".formatted(what, round + 1)), contestants);
    }

    /** The second number for a quick run, else the first. */
    public int choose(int full, int quickly) {
        return quick ? quickly : full;
    }
}
