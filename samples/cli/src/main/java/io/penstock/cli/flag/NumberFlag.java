package io.penstock.cli.flag;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.math.BigDecimal;
import java.util.Objects;
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

    /** Of whole numbers. */
    @Retention(RetentionPolicy.RUNTIME)
    private @interface Range {
        String kind() default "a whole number";

        long min();

        long max();
    }

    private NumberFlag(Function<BigDecimal, N> value) {
        Range range = Objects.requireNonNull(getClass().getAnnotation(Range.class), "a range");
        this.kind = range.kind();
        this.form = WHOLE;
        this.min = BigDecimal.valueOf(range.min());
        this.max = BigDecimal.valueOf(range.max());
        this.value = value;
    }

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
        Ints() {
            super(BigDecimal::intValueExact);
        }
    }

    private abstract static class Longs extends NumberFlag<Long> {
        Longs() {
            super(BigDecimal::longValueExact);
        }
    }

    @Range(min = 1, max = Integer.MAX_VALUE)
    public static final class Count extends Ints {}

    /** The side of a square picture, of less than 2 GiB. */
    @Range(kind = "a picture takes less than 2 GiB, so a whole number", min = 1, max = 26_754)
    public static final class Side extends Ints {}

    /** Samples a batch, as {@code Batches} takes them. */
    @Range(min = 1, max = 1 << 24)
    public static final class BatchSize extends Ints {}

    /** Loads under way, as {@code Execution} takes them. */
    @Range(min = 1, max = 1 << 20)
    public static final class InFlight extends Ints {}

    /** The window of an unordered stream, as {@code Execution} takes it. */
    @Range(min = 1, max = 1 << 14)
    public static final class Window extends Ints {}

    /** Windows that are open at a time, as {@code Sampler} takes them. */
    @Range(min = 1, max = 1 << 20)
    public static final class Windows extends Ints {}

    /** Threads, as {@code Execution} takes them. */
    @Range(min = 1, max = (1 << 15) - 1)
    public static final class Threads extends Ints {}

    /** Processes or consumers that take part. */
    @Range(min = 1, max = 1 << 20)
    public static final class Members extends Ints {}

    @Range(min = 0, max = 64)
    public static final class Levels extends Ints {}

    @Range(min = 0, max = (1 << 20) - 1)
    public static final class Rank extends Ints {}

    @Range(min = 0, max = 1_000_000)
    public static final class Retries extends Ints {}

    /** Pictures to make, each a file. */
    @Range(min = 1, max = 10_000_000)
    public static final class Pictures extends Ints {}

    /** A port to listen on, or 0 for any free one. */
    @Range(min = 0, max = 65_535)
    public static final class Port extends Ints {}

    @Range(min = 1, max = 86_400)
    public static final class Seconds extends Ints {}

    /** The place of a sample or a batch. */
    @Range(min = 0, max = Long.MAX_VALUE)
    public static final class Index extends Longs {}

    @Range(min = Long.MIN_VALUE, max = Long.MAX_VALUE)
    public static final class Seed extends Longs {}

    private abstract static class Decimals extends NumberFlag<Double> {
        Decimals(String min, String max) {
            super("a number", DECIMAL, new BigDecimal(min), new BigDecimal(max), BigDecimal::doubleValue);
        }
    }

    public static final class Rate extends Decimals {
        Rate() {
            super("0.000000001", "1000");
        }
    }

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
