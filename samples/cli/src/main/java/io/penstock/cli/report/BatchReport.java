package io.penstock.cli.report;

import io.penstock.resume.ResumeToken;
import org.jspecify.annotations.Nullable;

/**
 * One batch that was received.
 *
 * @param step    counted from 0 at the start of the run
 * @param epoch   of its samples
 * @param samples in it
 * @param content the sum of its samples' hashes, null unless digests were asked for
 * @param resume  where a run goes on that has received it
 */
public record BatchReport(
        long step, long epoch, int samples, @Nullable Long content, ResumeToken resume) {}
