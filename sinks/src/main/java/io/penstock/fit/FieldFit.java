package io.penstock.fit;

import io.penstock.internal.Arguments;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The statistics of one field of a dataset. Of a text they are those of its length in bytes, but for {@code distinct} and
 * {@code classes}. Without values they are {@code NaN}.
 *
 * @param text        whether it is text or bytes, {@code u8[n]}
 * @param values      that were found, the missing and infinite ones included
 * @param missing     of them: {@code NaN}, and empty texts
 * @param infinite    of them: of 1e150 and more; they are in no other statistic
 * @param deviation   the square root of the mean squared difference from the mean
 * @param percentiles 101, from the smallest to the largest: the nearest value below each, exact where there are
 *                    {@code classes}, else within 0.2 % of it; none without values
 * @param distinct    different values: exact where there are {@code classes}, else about 1.2 % off
 * @param classes     how often each value occurs, in the order of the numbers or texts; empty if they are more than 1,024
 *                    numbers or 10,000 texts, or a text has more than 256 bytes
 */
public record FieldFit(
        boolean text,
        long values,
        long missing,
        long infinite,
        double mean,
        double deviation,
        double min,
        double max,
        List<Double> percentiles,
        long distinct,
        Map<String, Long> classes) {

    static final int PERCENTILES = 101;

    public FieldFit {
        Arguments.refuse(
                values < 0 || missing < 0 || infinite < 0 || missing + infinite > values,
                "there cannot be %d missing and %d infinite of %d values",
                missing,
                infinite,
                values);
        int found = percentiles.size();
        Arguments.refuse(
                found > 0 && found != PERCENTILES, "there must be %d percentiles or none, were %d", PERCENTILES, found);
        percentiles = List.copyOf(percentiles);
        classes = Collections.unmodifiableMap(new LinkedHashMap<>(classes));
    }

    /** The share of the values that are missing. */
    public double missingShare() {
        return values == 0 ? 0 : (double) missing / values;
    }

    /**
     * The value below which a share of the values is, by the nearest percentile.
     * @throws IllegalArgumentException if the share is not in [0, 1], or there are no values
     */
    public double quantile(double share) {
        Arguments.refuse(percentiles.isEmpty(), "there are no values");
        Arguments.refuse(!(share >= 0 && share <= 1), "a share must be in [0, 1], was %s", share);
        return percentiles.get((int) Math.round(share * (percentiles.size() - 1)));
    }

    /** The share of the values up to this one, by the percentiles. */
    double shareUpTo(double value) {
        long below = percentiles.stream().filter(each -> each <= value).count();
        return (double) below / percentiles.size();
    }

    /** The share of a class among the values that are there. */
    double shareOf(String name) {
        return (double) classes.getOrDefault(name, 0L) / Math.max(1, values - missing);
    }

    /** A number as the name of a class. */
    static String word(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1L << 53
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
