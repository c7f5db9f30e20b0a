package io.penstock.cli.report;

import io.penstock.pipeline.RunStatistics;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one epoch, or the part of one that a run saw, delivered.
 *
 * @param epoch             counted from 0
 * @param samples           delivered, without padding and skipped ones
 * @param batches           delivered
 * @param bytes             of the delivered pixels or records; labels, one number a sample, do not count
 * @param seconds           from the last batch of the epoch before, or the start of the run, to this one's last
 * @param firstBatchSeconds from the same moment to its first batch
 * @param consumerSeconds   that receiving its batches took
 * @param statistics        what the pipeline did for it
 * @param digests           null unless they were asked for
 * @param packed            null unless samples are packed or padded texts
 * @param sources           what it delivered of each source; none where there is one
 */
public record EpochReport(
        long epoch,
        long samples,
        long batches,
        long bytes,
        double seconds,
        double firstBatchSeconds,
        double consumerSeconds,
        RunStatistics statistics,
        @Nullable Digests digests,
        @Nullable Packed packed,
        List<OfSource> sources) {

    /** How many cells the rows had, and how many of them were tokens and no padding. */
    public record Packed(long tokens, long cells) {}

    /** What an epoch delivered of one of several sources, and how its samples were found. */
    public record OfSource(String source, long samples, RunStatistics.OfPart found) {}

    /** The order and the content of an epoch as two 64-bit numbers. */
    public record Digests(long order, long content) {}

    public double samplesPerSecond() {
        return seconds > 0 ? samples / seconds : 0;
    }

    double bytesPerSecond() {
        return seconds > 0 ? bytes / seconds : 0;
    }

    public long hits() {
        return statistics.hits().values().stream().mapToLong(Long::longValue).sum();
    }
}
