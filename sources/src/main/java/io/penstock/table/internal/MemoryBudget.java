package io.penstock.table.internal;

import io.penstock.fault.FormatException;

/** How many bytes one row group may still take: a few damaged ones could claim any number. For one thread. */
public final class MemoryBudget {

    private final long max;
    private long left;

    public MemoryBudget(long max) {
        this.max = max;
        this.left = max;
    }

    /**
     * Takes some bytes.
     * @throws FormatException if fewer are left
     */
    public void take(long bytes) {
        if (bytes < 0 || bytes > left) {
            throw new FormatException(
                    "more than %d bytes are needed at once; choose fewer columns, or raise maxGroupBytes"
                            .formatted(max));
        }
        left -= bytes;
    }

    /** Gives some of them back. */
    public void give(long bytes) {
        left += bytes;
    }
}
