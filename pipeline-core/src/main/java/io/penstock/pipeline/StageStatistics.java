package io.penstock.pipeline;

import java.time.Duration;

/**
 * What one stage did in one epoch.
 *
 * @param name    of the stage
 * @param kind    whether the time is a worker's or spent waiting for the source
 * @param samples that went through
 * @param time    summed over the samples, so that it exceeds the wall's where they overlap
 */
public record StageStatistics(String name, Kind kind, long samples, Duration time) {

    /** The time is extrapolated from some of the samples, and so may seem to have fallen. */
    StageStatistics since(StageStatistics earlier) {
        Duration later = time.minus(earlier.time);
        return new StageStatistics(name, kind, samples - earlier.samples, later.isNegative() ? Duration.ZERO : later);
    }

    /** Whose time it is. */
    public enum Kind {
        /** From asking the source for a sample until it came. */
        SOURCE,
        /** Spent in a stage on a worker. */
        STAGE
    }
}
