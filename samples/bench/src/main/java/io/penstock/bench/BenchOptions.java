package io.penstock.bench;

import java.nio.file.Path;
import java.util.function.Consumer;
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

    /** The second number for a quick run, else the first. */
    public int choose(int full, int quickly) {
        return quick ? quickly : full;
    }
}
