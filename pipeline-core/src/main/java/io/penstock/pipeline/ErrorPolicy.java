package io.penstock.pipeline;

import io.penstock.fault.SampleException;
import io.penstock.internal.Arguments;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * What happens to a sample that cannot be loaded. Immutable; every method returns a copy.
 *
 * <p>Ranks stay in step under any policy: a skipped sample still takes its place in the stream, as one without a
 * value, so every rank sees as many draws and as many batches as without failures.
 */
public final class ErrorPolicy {

    enum Action {
        FAIL,
        SKIP,
        SUBSTITUTE
    }

    /** No attempt waits longer, however many came before it. */
    static final Duration LONGEST_BACKOFF = Duration.ofDays(1);

    @SuppressWarnings("UnnecessaryLambda") // it is compared with
    private static final Consumer<SampleException> UNWATCHED = failure -> {};

    final Action outcome;
    private final long budget;
    private final double share;
    final int retries;
    final Duration backoff;
    final Consumer<? super SampleException> quarantine;

    private ErrorPolicy(
            Action outcome,
            long budget,
            double share,
            int retries,
            Duration backoff,
            Consumer<? super SampleException> quarantine) {
        this.outcome = outcome;
        this.budget = budget;
        this.share = share;
        this.retries = retries;
        this.backoff = backoff;
        this.quarantine = quarantine;
    }

    private static ErrorPolicy of(Action outcome) {
        return new ErrorPolicy(outcome, Long.MAX_VALUE, 1, 0, Duration.ZERO, UNWATCHED);
    }

    /** The first failure ends the stream. */
    public static ErrorPolicy fail() {
        return of(Action.FAIL);
    }

    /**
     * A sample that fails is left out; its batch is one row shorter, or has one row masked. The first is a warning,
     * unless there is a {@link #quarantine}; all are counted.
     */
    public static ErrorPolicy skip() {
        return of(Action.SKIP);
    }

    /**
     * A sample that fails is replaced by another of the same data, chosen by (seed, epoch, index): the same one on
     * every run, so batches stay full and results reproducible.
     */
    public static ErrorPolicy substitute() {
        return of(Action.SUBSTITUTE);
    }

    /**
     * The max number of different samples that may fail; one more ends the stream.
     * @throws IllegalArgumentException if negative
     */
    public ErrorPolicy budget(long samples) {
        Arguments.refuse(samples < 0, "error budget must not be negative: %s", samples);
        return new ErrorPolicy(outcome, samples, share, retries, backoff, quarantine);
    }

    /**
     * At most this share of the samples may fail, in {@code [0, 1]}.
     * @throws IllegalArgumentException if out of range
     */
    public ErrorPolicy budgetShare(double share) {
        Arguments.refuse(!(share >= 0 && share <= 1), "error budget must be a share in [0, 1], was %s", share);
        return new ErrorPolicy(outcome, budget, share, retries, backoff, quarantine);
    }

    /**
     * Loads a sample again before giving it up. It waits for {@code backoff}, then twice as long each time, with
     * jitter, and at most for a day.
     * @throws IllegalArgumentException if {@code times} is negative, or {@code backoff} is, or is longer than a day
     */
    public ErrorPolicy retry(int times, Duration backoff) {
        Arguments.refuse(
                times < 0 || backoff.isNegative(), "retries and back-off must not be negative: %d, %s", times, backoff);
        Arguments.refuse(backoff.compareTo(LONGEST_BACKOFF) > 0, "back-off must be a day at most, was %s", backoff);
        return new ErrorPolicy(outcome, budget, share, times, backoff, quarantine);
    }

    /**
     * Receives each sample that was given up, once, on a thread that may block, before the stream goes on. Several threads
     * call it at once, in no order.
     */
    public ErrorPolicy quarantine(Consumer<? super SampleException> quarantine) {
        return new ErrorPolicy(outcome, budget, share, retries, backoff, quarantine);
    }

    /** Whether the program receives each sample that is given up. */
    boolean isWatched() {
        return quarantine != UNWATCHED;
    }

    /** How many different samples of {@code size} may fail. */
    long allowed(long size) {
        return Math.min(budget, share == 1 ? Long.MAX_VALUE : (long) Math.floor(share * size));
    }

    /** This policy, for samples that come once and have no number of all. */
    ErrorPolicy withoutReloads() {
        if (outcome == Action.SUBSTITUTE || retries > 0 || share < 1) {
            throw new IllegalArgumentException(
                    ("error policy \"%s\" does not fit a flux, whose samples come once and are not counted beforehand: "
                                    + "use fail() or skip() with budget(n), and retry in the loader")
                            .formatted(this));
        }
        return this;
    }

    @Override
    public String toString() {
        return outcome.name().toLowerCase(Locale.ROOT) + (retries > 0 ? " after " + retries + " retries" : "");
    }
}
