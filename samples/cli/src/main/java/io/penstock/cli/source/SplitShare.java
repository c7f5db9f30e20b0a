package io.penstock.cli.source;

import io.penstock.pipeline.Dataset;
import java.math.BigDecimal;
import java.util.stream.DoubleStream;

/**
 * A part of the samples by a hash of their names, as {@code --split} says it: {@code 0..0.9} and {@code 0.9..1} have no
 * sample in common, on any machine and with any seed.
 */
public record SplitShare(double from, double to) {

    /** Not that of the run: another seed must not move samples from training to validation. */
    static final long SEED = 0;

    private static final String FORM = "a split is FROM..TO in [0, 1], as in 0..0.9 and 0.9..1, was \"%s\"";

    static SplitShare parse(String text) {
        String[] ends = text.split("\\.\\.", -1);
        try {
            double from = Double.parseDouble(ends[0]);
            double to = ends.length == 2 ? Double.parseDouble(ends[1]) : Double.NaN;
            if (from >= 0 && from < to && to <= 1) {
                return new SplitShare(from, to);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(FORM.formatted(text), e);
        }
        throw new IllegalArgumentException(FORM.formatted(text));
    }

    <T> Dataset<T> of(Dataset<T> samples) {
        double[] shares = DoubleStream.of(from, minus(to, from), minus(1, to))
                .filter(share -> share > 0)
                .toArray();
        return samples.split(SEED, shares).get(from > 0 ? 1 : 0);
    }

    String words() {
        return plain(from) + ".." + plain(to);
    }

    private static String plain(double share) {
        return BigDecimal.valueOf(share).stripTrailingZeros().toPlainString();
    }

    /** Of decimals: 1 - 0.8 is 0.2, and {@code explain} shows it. */
    private static double minus(double more, double less) {
        return BigDecimal.valueOf(more).subtract(BigDecimal.valueOf(less)).doubleValue();
    }
}
