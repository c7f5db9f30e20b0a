package io.penstock.cli.flag;

import io.penstock.internal.Arguments;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An amount of memory as it is written on the command line: {@code 1000B}, {@code 512MiB}, {@code 1.5GiB}, or a share
 * of what is free, {@code 50%}.
 *
 * @param bytes the amount; 0 where it is a share
 * @param share of what is free, in {@code (0, 1]}; 0 where it is an amount
 */
public record ByteSize(long bytes, double share) {

    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)([A-Za-z]{1,3}|%)");
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

    public ByteSize {
        if (bytes > 0 == share > 0 || bytes < 0 || share < 0 || share > 1) {
            throw new IllegalArgumentException(
                    "size must be a number of bytes or a share in (0, 1], was %d and %s".formatted(bytes, share));
        }
    }

    static ByteSize ofBytes(long bytes) {
        return new ByteSize(bytes, 0);
    }

    static ByteSize ofShare(double share) {
        return new ByteSize(0, share);
    }

    public boolean isShare() {
        return share > 0;
    }

    /**
     * Reads a size.
     * @throws IllegalArgumentException if it is not one, is 0, or does not fit into 63 bits
     */
    public static ByteSize parse(String text) {
        Matcher matcher = WRITTEN.matcher(text.strip());
        if (!matcher.matches()) {
            throw malformed(text);
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String unit = matcher.group(2);
        Arguments.refuse(number.signum() == 0, "a size must be more than 0, was \"%s\"", text);
        if (unit.equals("%")) {
            if (number.compareTo(BigDecimal.valueOf(100)) > 0) {
                throw new IllegalArgumentException("a share must be at most 100%, was \"" + text + "\"");
            }
            return ofShare(number.movePointLeft(2).doubleValue());
        }
        BigDecimal bytes = number.multiply(factor(unit, text)).setScale(0, RoundingMode.CEILING);
        if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("a size must be less than 8 EiB, was \"" + text + "\"");
        }
        return ofBytes(bytes.longValueExact());
    }

    /** Reads a number of bytes, with a unit or without; 0 for a share. */
    public static long bytes(String text) {
        return text.matches("\\d{1,18}") ? Long.parseLong(text) : parse(text).bytes();
    }

    private static BigDecimal factor(String unit, String text) {
        String lower = unit.toLowerCase(Locale.ROOT);
        for (int power = 0; power < UNITS.length; power++) {
            String binary = UNITS[power].toLowerCase(Locale.ROOT);
            if (lower.equals(binary)) {
                return BigDecimal.valueOf(1024).pow(power);
            }
            if (power > 0 && lower.equals(binary.replace("i", ""))) {
                return BigDecimal.valueOf(1000).pow(power);
            }
        }
        throw malformed(text);
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException(
                "a size is a number and a unit, such as 1000B, 512MiB, 20GiB or 50% of what is free, was \"" + text
                        + "\"");
    }

    /** At least this number of bytes with one decimal at most, as one would write it: {@code 1.2GiB}. */
    public static String roundedUp(long bytes) {
        int power = 0;
        BigDecimal value = BigDecimal.valueOf(Math.max(0, bytes));
        while (power < UNITS.length - 1 && value.compareTo(BigDecimal.valueOf(1000)) >= 0) {
            value = value.divide(BigDecimal.valueOf(1024));
            power++;
        }
        int decimals = value.compareTo(BigDecimal.TEN) < 0 ? 1 : 0;
        BigDecimal rounded = value.setScale(decimals, RoundingMode.CEILING).stripTrailingZeros();
        return rounded.toPlainString() + UNITS[power];
    }

    /** In the largest unit that needs no rounding; {@link #parse} reads it back. */
    @Override
    public String toString() {
        if (isShare()) {
            return new BigDecimal(String.valueOf(share))
                            .movePointRight(2)
                            .stripTrailingZeros()
                            .toPlainString() + "%";
        }
        int power = 0;
        long rest = bytes;
        while (power < UNITS.length - 1 && rest % 1024 == 0) {
            rest /= 1024;
            power++;
        }
        return rest + UNITS[power];
    }
}
