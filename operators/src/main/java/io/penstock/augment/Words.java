package io.penstock.augment;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;

/** How numbers are written in names: the shortest form, the same everywhere. */
final class Words {

    private Words() {}

    static String number(double value) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : Double.toString(value);
    }

    static String numbers(double[] values, String separator) {
        return Arrays.stream(values).mapToObj(Words::number).collect(Collectors.joining(separator));
    }

    static String range(double low, double high) {
        return number(low) + ".." + number(high);
    }
}
