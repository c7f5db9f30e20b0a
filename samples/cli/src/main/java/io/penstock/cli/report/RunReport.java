package io.penstock.cli.report;

import io.penstock.resume.ResumeToken;
import io.penstock.stream.LoadsInFlight;
import org.jspecify.annotations.Nullable;

/**
 * What a whole run came to.
 *
 * @param epochs  the number of epoch reports before this one
 * @param seconds from the first subscription to the last batch
 * @param resume  where another run goes on
 * @param skipped samples left out in all epochs
 * @param verdict what limits the run and what would change it
 * @param inFlight loads at most at the end, and what decided it
 * @param shard   what the shard mode means for the cache; null where there is one rank or no cache
 * @param advice  whether more cache would help; null where nothing was loaded to judge it by
 */
public record RunReport(
        long epochs,
        double seconds,
        ResumeToken resume,
        long skipped,
        String verdict,
        LoadsInFlight inFlight,
        @Nullable ShardEffect shard,
        @Nullable Advice advice) {}
