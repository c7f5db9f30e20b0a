package io.penstock.bench;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How much a benchmark should do.
 *
 * @param quick    less, so that all of them take about a minute
 * @param pictures a folder of JPEG files to use instead of made-up ones, if any
 * @param progress told what is being done
 */
public record Effort(boolean quick, @Nullable Path pictures, Consumer<String> progress) {

    int of(int full, int quickly) {
        return quick ? quickly : full;
    }
}
