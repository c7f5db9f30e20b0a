package io.penstock.cli.flag;

import java.math.BigDecimal;
import java.util.function.Function;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * How the number of a flag is read: in ASCII digits, and in a range. Each range is a class, which picocli wants by its
 * name; each numeric flag has one, or a test fails. What it throws names the range and the text, and picocli the flag.
 */
public abstract class NumberFlag<N extends Number> implements ITypeConverter<N> {

    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,99}");
    private static final Pattern DECIMAL = Pattern.compile("[+-]?[0-9]{1,99}(\\.[0-9]{1,99})?([eE][+-]?[0-9]{1,4})?");

    private final String kind;
    private final Pattern form;
    private final BigDecimal min;
    private final BigDecimal max;
    private final Function<BigDecimal, N> value;

    private NumberFlag(String kind, Pattern form, BigDecimal min, BigDecimal max, Function<BigDecimal, N> value) {
        this.kind = kind;
        this.form = form;
        this.min = min;
        this.max = max;
        this.value = value;
    }

    public final BigDecimal min() {
        return min;
    }

    public final BigDecimal max() {
        return max;
    }

    @Override
    public final N convert(String text) {
        BigDecimal number = form.matcher(text).matches() ? new BigDecimal(text) : null;
        if (number == null || number.compareTo(min) < 0 || number.compareTo(max) > 0) {
            throw new TypeConversionException(
                    "%s in [%s, %s] was expected, was \"%s\"".formatted(kind, min, max, text));
        }
        return value.apply(number);
    }

    private abstract static class Ints extends NumberFlag<Integer> {
        Ints(int min, int max) {
            this("a whole number", min, max);
        }

        Ints(String kind, int min, int max) {
            super(kind, WHOLE, BigDecimal.valueOf(min), BigDecimal.valueOf(max), BigDecimal::intValueExact);
        }
    }

    private abstract static class Longs extends NumberFlag<Long> {
        Longs(long min, long max) {
            super(
                    "a whole number",
                    WHOLE,
                    BigDecimal.valueOf(min),
                    BigDecimal.valueOf(max),
                    BigDecimal::longValueExact);
        }
    }

    /** How many of something that takes no room by itself. */
    public static final class Count extends Ints {
        Count() {
            super(1, Integer.MAX_VALUE);
        }
    }

    /** The side of a square picture, of less than 2 GiB. */
    public static final class Side extends Ints {
        Side() {
            super("a picture takes less than 2 GiB, so a whole number", 1, 26_754);
        }
    }

    /** Samples a batch, as {@code Batches} takes them. */
    public static final class BatchSize extends Ints {
        BatchSize() {
            super(1, 1 << 24);
        }
    }

    /** Loads under way, as {@code Execution} takes them. */
    public static final class InFlight extends Ints {
        InFlight() {
            super(1, 1 << 20);
        }
    }

    /** The window of an unordered stream, as {@code Execution} takes it. */
    public static final class Window extends Ints {
        Window() {
            super(1, 1 << 14);
        }
    }

    /** Windows that are open at a time, as {@code Sampler} takes them. */
    public static final class Windows extends Ints {
        Windows() {
            super(1, 1 << 20);
        }
    }

    /** Threads, as {@code Execution} takes them. */
    public static final class Threads extends Ints {
        Threads() {
            super(1, (1 << 15) - 1);
        }
    }

    /** Processes or consumers that take part. */
    public static final class Members extends Ints {
        Members() {
            super(1, 1 << 20);
        }
    }

    /** How many levels of folders lie above the classes. */
    public static final class Levels extends Ints {
        Levels() {
            super(0, 64);
        }
    }

    /** One of the {@link Members}. */
    public static final class Rank extends Ints {
        Rank() {
            super(0, (1 << 20) - 1);
        }
    }

    /** How often something is tried again. */
    public static final class Retries extends Ints {
        Retries() {
            super(0, 1_000_000);
        }
    }

    /** Pictures to make, each a file. */
    public static final class Pictures extends Ints {
        Pictures() {
            super(1, 10_000_000);
        }
    }

    /** A port to listen on, or 0 for any free one. */
    public static final class Port extends Ints {
        Port() {
            super(0, 65_535);
        }
    }

    /** How often something is done, by the clock. */
    public static final class Seconds extends Ints {
        Seconds() {
            super(1, 86_400);
        }
    }

    /** The place of a sample or a batch. */
    public static final class Index extends Longs {
        Index() {
            super(0, Long.MAX_VALUE);
        }
    }

    /** Any number of 64 bits. */
    public static final class Seed extends Longs {
        Seed() {
            super(Long.MIN_VALUE, Long.MAX_VALUE);
        }
    }

    private abstract static class Decimals extends NumberFlag<Double> {
        Decimals(String min, String max) {
            super("a number", DECIMAL, new BigDecimal(min), new BigDecimal(max), BigDecimal::doubleValue);
        }
    }

    /** A step of an optimizer. */
    public static final class Rate extends Decimals {
        Rate() {
            super("0.000000001", "1000");
        }
    }

    /** Of a source in a mixture. */
    public static final class Weight extends Decimals {
        Weight() {
            super("0.000001", "1000000");
        }
    }

    /** By which share something may be larger. */
    static final class Overflow extends Decimals {
        Overflow() {
            super("0", "1000");
        }
    }
}
