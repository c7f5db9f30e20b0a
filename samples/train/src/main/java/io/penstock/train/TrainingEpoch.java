package io.penstock.train;

import java.time.Duration;

/**
 * What one epoch showed, of what this process did of it.
 *
 * @param epoch         its number, from 0
 * @param samples       learned from
 * @param loss          mean over its batches, of each before it was learned from
 * @param accuracy      share of the samples recognised, before they were learned from
 * @param testAccuracy  share of the held-back tenth recognised at its end
 * @param loads         samples that had to be loaded and decoded, from the start of the run
 * @param learning      time spent learning
 * @param waiting       time the trainer had nothing to learn from
 */
public record TrainingEpoch(
        long epoch,
        long samples,
        double loss,
        double accuracy,
        double testAccuracy,
        long loads,
        Duration learning,
        Duration waiting) {

    /** Learning and waiting, without the test. */
    public double seconds() {
        return learning.plus(waiting).toNanos() / 1e9;
    }

    public double samplesPerSecond() {
        return samples / seconds();
    }

    /** The share of its time that the trainer waited for data. */
    public double waitingShare() {
        return waiting.toNanos() / 1e9 / seconds();
    }
}
