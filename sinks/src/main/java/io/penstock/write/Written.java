package io.penstock.write;

import java.util.Objects;

/**
 * A file or an object that is complete and has its final name.
 *
 * @param location its path, or its address {@code s3://BUCKET/KEY}
 * @param samples  that are in it
 * @param absent   draws that had no value: skipped, or padding
 * @param bytes    its length
 */
public record Written(String location, long samples, long absent, long bytes) {

    public Written {
        Objects.requireNonNull(location, "location");
        if (samples < 0 || absent < 0 || bytes < 0) {
            throw new IllegalArgumentException(
                    "counts must not be negative, were %d, %d and %d".formatted(samples, absent, bytes));
        }
    }
}
