package io.penstock.train;

import java.time.Duration;

/** Adds up an epoch as its batches come. */
final class EpochTally {

    private long batches;
    private long samples;
    private double loss;
    private long correct;
    private long learning;
    private long waiting;

    void batch(int size, Learner.Outcome outcome, long learningNanos) {
        batches++;
        samples += size;
        loss += outcome.loss();
        correct += outcome.correct();
        learning += learningNanos;
    }

    void waited(long nanos) {
        waiting += nanos;
    }

    boolean isEmpty() {
        return batches == 0;
    }

    TrainingEpoch of(long epoch, double testAccuracy, long loads) {
        return new TrainingEpoch(
                epoch,
                samples,
                loss / batches,
                (double) correct / samples,
                testAccuracy,
                loads,
                Duration.ofNanos(learning),
                Duration.ofNanos(waiting));
    }
}
