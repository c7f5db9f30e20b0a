package io.penstock.cli.flag;

import io.penstock.cache.HitCheck;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cli.console.Reason;
import io.penstock.order.Remainder;
import io.penstock.order.ShardMode;
import io.penstock.pack.TooLong;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How the values of flags are read; what they throw names the flag and ends the program with status 2. */
public final class Flags {

    private Flags() {}

    /** What to do with a sample that cannot be loaded. */
    public enum OnError {
        FAIL,
        SKIP,
        SUBSTITUTE
    }

    /** A size, such as {@code 512MiB} or {@code 50%}. */
    public static final class Size implements ITypeConverter<ByteSize> {
        @Override
        public ByteSize convert(String text) {
            try {
                return ByteSize.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }

    /** A share of hits to check, such as {@code 1%}, or {@code 1%,warn}. */
    public static final class Hits implements ITypeConverter<HitCheck> {

        private static final String WARN = ",warn";

        @Override
        public HitCheck convert(String text) {
            boolean warns = text.endsWith(WARN);
            String share = warns ? text.substring(0, text.length() - WARN.length()) : text;
            if (!share.endsWith("%")) {
                throw new TypeConversionException(
                        "a share such as 1% or 100%, or 1%,warn, was expected, was \"" + text + "\"");
            }
            try {
                HitCheck check = HitCheck.ofShare(ByteSize.parse(share).share());
                return warns ? check.warning() : check;
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }

    /** A number of failures, or a share of the samples. */
    public static final class Budget implements ITypeConverter<ErrorBudget> {
        @Override
        public ErrorBudget convert(String text) {
            try {
                return ErrorBudget.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }

    /** A path of a file or folder. */
    public static final class Place implements ITypeConverter<Path> {
        @Override
        public Path convert(String text) {
            try {
                if (!text.isBlank()) {
                    return Path.of(text);
                }
            } catch (InvalidPathException e) {
                throw new TypeConversionException("a path was expected: " + Reason.of(e));
            }
            throw new TypeConversionException("a path was expected, was \"" + text + "\"");
        }
    }

    /** A word of {@link Remainder}, in lower case. */
    public static final class Remainders implements ITypeConverter<Remainder> {
        @Override
        public Remainder convert(String text) {
            return word(Remainder.class, text);
        }
    }

    /** A shard mode, as {@link ShardMode#parse} reads it. */
    public static final class Shards implements ITypeConverter<ShardMode> {
        @Override
        public ShardMode convert(String text) {
            try {
                return ShardMode.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }

    /** A word of {@link OnError}, in lower case. */
    public static final class OnErrors implements ITypeConverter<OnError> {
        @Override
        public OnError convert(String text) {
            return word(OnError.class, text);
        }
    }

    /** A word of {@link TooLong}, in lower case. */
    public static final class TooLongs implements ITypeConverter<TooLong> {
        @Override
        public TooLong convert(String text) {
            return word(TooLong.class, text);
        }
    }

    /** A cache policy, as {@link CachePolicy#named} reads it. */
    public static final class Policy implements ITypeConverter<CachePolicy> {
        @Override
        public CachePolicy convert(String text) {
            try {
                return CachePolicy.named(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        }
    }

    private static <E extends Enum<E>> E word(Class<E> type, String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(each -> lower(each).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("%s was expected, was \"%s\""
                        .formatted(
                                Arrays.stream(type.getEnumConstants())
                                        .map(Flags::lower)
                                        .collect(Collectors.joining(" or ")),
                                text)));
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
