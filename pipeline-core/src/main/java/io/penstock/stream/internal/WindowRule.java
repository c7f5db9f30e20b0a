package io.penstock.stream.internal;

import io.penstock.stream.LoadsInFlight.Bound;
import java.util.Arrays;
import java.util.stream.DoubleStream;

/**
 * Decides how many loads a stream has in flight, from what was measured in steps of some tenths of a second.
 *
 * <p>A draw begins when it is w draws from its turn. At pace R its turn comes after w / R, so it holds the consumer up
 * for (L - w / R)⁺ if it takes L. The rule wants the smallest w with R · E[(L - w / R)⁺] ≤ 0.01: the consumer waits
 * for 1 % of the time.
 *
 * <p>A source that is saturated answers later the more it is asked, and so the rule wants ever more. Therefore each
 * growth is on trial: it is taken back if the consumer still waits and gets no more. A fifth at a time is then given
 * away, as long as the rate stays; and so it is where the window cannot grow. Growth is tried again after a pause,
 * which doubles with each failure.
 */
final class WindowRule {

    private static final double STALL = 0.01;
    private static final double BRIEF_STALL = 0.05;
    private static final double GAIN = 1.05;
    private static final double SAME = 0.97;
    private static final double OTHER = 0.25;
    private static final double FIRST_PAUSE = 2;
    private static final double LONGEST_PAUSE = 16;
    private static final int ROUND_TRIPS = 8; // of a pause at least
    private static final int STEPS = 4;

    /**
     * What was measured since the step before.
     *
     * @param seconds   that it took
     * @param stalled   seconds of these in which the consumer waited for a load
     * @param delivered draws
     * @param latencies seconds of recent loads, at least those of the last second
     * @param share     how many draws of those delivered were loads; the others were at hand
     * @param fit       how many samples the byte budget holds
     */
    @SuppressWarnings("ArrayRecordComponent") // read once, by the rule
    record Step(double seconds, double stalled, long delivered, double[] latencies, double share, int fit) {}

    private final int least;
    private final int most;
    private final double[] active = new double[STEPS];
    private final long[] passed = new long[STEPS];
    private int steps;
    private int window;
    private int wanted; // the largest lately
    private Bound bound = Bound.START;

    private double now;
    private double roundTrip; // the mean of the recent latencies
    private double settled; // when loads begun with this window began to arrive
    private double seconds;
    private double stalled;
    private long delivered;

    private int before; // the window before a growth that is on trial, or 0
    private double rateBefore;
    private double best; // the rate of a saturated source, or 0
    private int good; // the window before a fifth was given away on trial, or 0
    private boolean gives;
    private double pause = FIRST_PAUSE;
    private double retry;

    /** Windows in [least, most], unless the bytes hold fewer. */
    WindowRule(int start, int least, int most) {
        this.window = start;
        this.least = Math.min(start, least);
        this.most = most;
    }

    Bound bound() {
        return bound;
    }

    /** The window from now on. */
    int next(Step step) {
        now += step.seconds;
        active[steps % STEPS] = Math.max(1e-9, step.seconds - step.stalled);
        passed[steps % STEPS] = step.delivered;
        steps++;
        roundTrip = mean(Arrays.stream(step.latencies));
        if (roundTrip > 0 && now - 0.8 * step.seconds >= settled) {
            seconds += step.seconds;
            stalled += step.stalled;
            delivered += step.delivered;
        }
        int max = Math.max(1, Math.min(most, step.fit));
        int decided = window;
        if (seconds >= Math.max(0.2, roundTrip) && delivered > 0) { // a round trip: what began together ends together
            wanted = Math.max(wanted(step, max), wanted - (wanted >> 4));
            decided = decide(delivered / seconds, stalled / seconds, max);
            bound = best > 0 && decided < max
                    ? Bound.SOURCE
                    : wanted < max ? Bound.PACE : step.fit < most ? Bound.BYTES : Bound.MOST;
            seconds = 0;
            stalled = 0;
            delivered = 0;
            if (decided != window) {
                settled = now + roundTrip;
            }
        }
        window = Math.max(1, Math.min(max, decided));
        return window;
    }

    /** The smallest window that the rule allows, at most max. */
    private int wanted(Step step, int max) {
        double pace = Arrays.stream(passed).sum() / Arrays.stream(active).sum();
        int low = 1;
        int high = max;
        while (low < high) {
            int middle = (low + high) >>> 1;
            double ahead = middle / pace;
            double late = mean(Arrays.stream(step.latencies).map(latency -> Math.max(0, latency - ahead)));
            if (pace * step.share * late <= STALL) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private static double mean(DoubleStream values) {
        return values.average().orElse(0);
    }

    private int decide(double rate, double stall, int max) {
        if (before > 0) {
            int from = before;
            before = 0;
            if (stall > BRIEF_STALL && rate < GAIN * rateBefore) {
                best = Math.max(best, Math.max(rate, rateBefore));
                good = 0;
                gives = true;
                retry = now + Math.max(pause, ROUND_TRIPS * roundTrip);
                pause = Math.min(LONGEST_PAUSE, 2 * pause);
                return from;
            }
            best = 0;
        }
        if (best > 0 && (stall < BRIEF_STALL || Math.abs(rate / best - 1) > OTHER)) {
            best = 0;
        }
        if (best == 0 && window == max && stall > BRIEF_STALL) { // it cannot grow, so no growth shows what more brings
            best = rate;
            gives = true;
        }
        if (best > 0) {
            return saturated(rate, max);
        }
        good = 0;
        pause = FIRST_PAUSE;
        if (wanted > window) {
            return grow(rate, Math.min(wanted, 4 * window), max);
        }
        return wanted < 0.9 * window ? less(wanted) : window;
    }

    private int saturated(double rate, int max) {
        int from = good;
        good = 0;
        if (from > 0 && rate < SAME * best) {
            gives = false;
            return from;
        }
        if (now >= retry && wanted > window) {
            return grow(rate, Math.min(wanted, 2 * window), max);
        }
        int less = less(1);
        if (gives && less < window) {
            good = window;
            return less;
        }
        return window;
    }

    /** Four fifths of the window, and no less than this. */
    private int less(int atLeast) {
        return Math.min(window, Math.max(Math.max(least, atLeast), window - Math.max(1, window / 5)));
    }

    private int grow(double rate, int to, int max) {
        int larger = Math.min(max, Math.max(to, window + window / 4));
        if (larger > window) {
            before = window;
            rateBefore = rate;
        }
        return larger;
    }
}
