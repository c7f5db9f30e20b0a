package io.penstock.write;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A file that is complete and has its final name.
 *
 * @param file    where it lies
 * @param samples that are in it
 * @param absent  draws that had no value: skipped, or padding
 * @param bytes   its length
 */
public record Written(Path file, long samples, long absent, long bytes) {

    public Written {
        Objects.requireNonNull(file, "file");
        if (samples < 0 || absent < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "counts must not be negative, were %d, %d and %d".formatted(samples, absent, bytes));
        }
    }
}
