package io.penstock.train;

import java.util.concurrent.TimeUnit;

/** An epoch, added up as its batches come. Times are without the test. */
final class TrainingEpoch {

    long number;
    long samples;
    double testAccuracy;
    long loads; // from the start of the run

    private long batches;
    private double loss;
    private long correct;
    private long learningNanos;
    private long waitingNanos;

    void batch(int size, Learner.Outcome outcome, long nanos) {
        batches++;
        samples += size;
        loss += outcome.loss();
        correct += outcome.correct();
        learningNanos += nanos;
    }

    void waited(long nanos) {
        waitingNanos += nanos;
    }

    /** Mean over its batches, of each before it was learned from. */
    double loss() {
        return loss / batches;
    }

    /** The share of the samples recognised, before they were learned from. */
    double accuracy() {
        return (double) correct / samples;
    }

    double seconds() {
        return (double) (learningNanos + waitingNanos) / TimeUnit.SECONDS.toNanos(1);
    }

    double waitingShare() {
        return (double) waitingNanos / (learningNanos + waitingNanos);
    }
}
