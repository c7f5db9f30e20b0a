package io.penstock.bench;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One figure that a benchmark found.
 *
 * @param what  was measured
 * @param value the figure
 * @param unit  of the figure
 * @param limit it must reach, or must not exceed; null for none
 * @param sense which of the two
 */
public record Result(
        String what, double value, String unit, @Nullable Double limit, Sense sense) {

    /** Which side of a limit is good. */
    public enum Sense {
        AT_LEAST,
        AT_MOST
    }

    /** Whether the limit was reached; null if there is none. */
    public @Nullable Boolean reached() {
        return limit == null ? null : Boolean.valueOf(sense == Sense.AT_LEAST ? value >= limit : value <= limit);
    }

    public static String text(double value) {
        double size = Math.abs(value);
        int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
