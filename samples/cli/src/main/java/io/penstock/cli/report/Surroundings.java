package io.penstock.cli.report;

import io.penstock.cache.TierStatistics;
import io.penstock.stream.LoadsInFlight;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run ran with, as far as a verdict needs to know it.
 *
 * @param samples      of the whole dataset
 * @param workers      that run stages
 * @param processors   of the machine
 * @param inFlight     loads at most, and what decided it
 * @param bytesForAll  a RAM cache of all samples would need, 0 where nothing could be cached
 * @param freeBytes    of memory that a cache could take
 * @param diskBytes    that the directory of a persisted cache could have, 0 where none was named
 * @param randomStages the names of those that no cache can skip
 * @param cache        how full it is, null if there is none
 * @param connections  of the client that loads, 0 where none does
 * @param processing   the processor time of all Java threads in the epoch, as a multiple of the time; 0 if unknown
 */
public record Surroundings(
        long samples,
        int workers,
        int processors,
        LoadsInFlight inFlight,
        long bytesForAll,
        long freeBytes,
        long diskBytes,
        Set<String> randomStages,
        @Nullable Held cache,
        int connections,
        double processing) {

    /** What a cache of all samples would need, by what it holds if it holds any; 0 where that is not known. */
    long allBytes() {
        long byHeld = cache == null ? 0 : cache.bytesForAll(samples);
        return byHeld > 0 ? byHeld : bytesForAll;
    }

    public record Held(long samples, long bytes) {

        public static Held of(TierStatistics statistics) {
            return new Held(statistics.samples(), statistics.bytes());
        }

        /** What it would take to hold the given number of samples of the size of these, with a little to spare. */
        long bytesForAll(long all) {
            return samples == 0 ? 0 : (long) Math.ceil((double) bytes / samples * all * 1.02);
        }
    }
}
