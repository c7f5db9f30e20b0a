package io.penstock.bench;

import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How much a benchmark should do.
 *
 * @param quick    less, so that all of them take about a minute
 * @param pictures a folder of JPEG files to use instead of made-up ones, if any
 * @param out      a folder for files, for those that leave some; theirs if null
 * @param progress told what is being done
 */
public record Effort(
        boolean quick, @Nullable Path pictures, @Nullable Path out, Consumer<String> progress) {

    /** The first number, or the second where less is to be done. */
    public int of(int full, int quickly) {
        return quick ? quickly : full;
    }
}
