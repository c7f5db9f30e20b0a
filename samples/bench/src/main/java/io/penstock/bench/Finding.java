package io.penstock.bench;

import org.jspecify.annotations.Nullable;

/**
 * One figure.
 *
 * @param benchmark that found it
 * @param row       of the requirements' table it answers, counted from 1; 0 if none
 * @param what      was measured
 * @param value     the figure
 * @param unit      of the figure
 * @param limit     it must reach, or must not exceed; null where there is none
 * @param sense     which of the two
 */
public record Finding(
        String benchmark,
        int row,
        String what,
        double value,
        String unit,
        @Nullable Double limit,
        Sense sense) {

    /** Which side of a limit is good. */
    public enum Sense {
        AT_LEAST,
        AT_MOST
    }

    /** A figure without a limit. */
    public static Finding of(String benchmark, String what, double value, String unit) {
        return new Finding(benchmark, 0, what, value, unit, null, Sense.AT_LEAST);
    }

    /** The same with a limit that it must reach. */
    public Finding atLeast(int answeredRow, double wanted) {
        return new Finding(benchmark, answeredRow, what, value, unit, wanted, Sense.AT_LEAST);
    }

    /** The same with a limit that it must not exceed. */
    public Finding atMost(int answeredRow, double wanted) {
        return new Finding(benchmark, answeredRow, what, value, unit, wanted, Sense.AT_MOST);
    }

    /** Whether the limit was reached; null where there is none. */
    public @Nullable Boolean reached() {
        return limit == null ? null : Boolean.valueOf(sense == Sense.AT_LEAST ? value >= limit : value <= limit);
    }
}
