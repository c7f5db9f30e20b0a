package io.penstock.cli.flag;

import io.penstock.cache.HitCheck;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.redis.RedisOptions;
import io.penstock.cache.redis.RedisTier;
import io.penstock.cli.console.Reason;
import io.penstock.fault.DataException;
import io.penstock.order.Remainder;
import io.penstock.order.ShardMode;
import io.penstock.pack.TooLong;
import io.penstock.tensor.Form;
import java.net.URI;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How the values of flags are read; what they throw names the flag and ends the program with status 2. */
public final class Flags {

    private static final String WARN = ",warn";
    private static final String FROM_ENVIRONMENT = "env:";

    private Flags() {}

    /** Which samples of a join's left side are kept. */
    public enum JoinKeep {
        INNER,
        LEFT
    }

    /** What weights do between the draws that change them. */
    public enum Between {
        STEP,
        LINE
    }

    /** What to do with a sample that cannot be loaded. */
    public enum OnError {
        FAIL,
        SKIP,
        SUBSTITUTE
    }

    /** Has a command, and those below it, read the types of this package, and the library's, as flags write them. */
    public static CommandLine readBy(CommandLine command) {
        return command.registerConverter(Path.class, reading(Flags::path))
                .registerConverter(ByteSize.class, reading(ByteSize::parse))
                .registerConverter(URI.class, reading(URI::create))
                .registerConverter(DiskSpec.class, reading(DiskSpec::parse))
                .registerConverter(SlotSpec.class, reading(SlotSpec::parse))
                .registerConverter(RedisOptions.class, reading(Flags::redis))
                .registerConverter(LazySpec.class, reading(LazySpec::parse))
                .registerConverter(MixtureEnd.class, reading(MixtureEnd::parse))
                .registerConverter(WeightChanges.class, reading(WeightChanges::parse))
                .registerConverter(Between.class, reading(text -> word(Between.class, text)))
                .registerConverter(BatchLayout.class, reading(BatchLayout::parse))
                .registerConverter(ArrayRegion.class, reading(ArrayRegion::parse))
                .registerConverter(ErrorBudget.class, reading(ErrorBudget::parse))
                .registerConverter(HitCheck.class, reading(Flags::hits))
                .registerConverter(ShardMode.class, reading(ShardMode::parse))
                .registerConverter(CachePolicy.class, reading(CachePolicy::named))
                .registerConverter(Form.Use.class, reading(text -> word(Form.Use.class, text)))
                .registerConverter(Remainder.class, reading(text -> word(Remainder.class, text)))
                .registerConverter(JoinKeep.class, reading(text -> word(JoinKeep.class, text)))
                .registerConverter(OnError.class, reading(text -> word(OnError.class, text)))
                .registerConverter(TooLong.class, reading(text -> word(TooLong.class, text)));
    }

    /** A converter for picocli, whose own words would repeat the text. */
    public static <T> ITypeConverter<T> reading(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException | DataException e) {
                throw new TypeConversionException(Reason.of(e));
            }
        };
    }

    /** A share of hits to check, such as {@code 1%}, or {@code 1%,warn}. */
    private static HitCheck hits(String text) {
        boolean warns = text.endsWith(WARN);
        String share = warns ? text.substring(0, text.length() - WARN.length()) : text;
        if (!share.endsWith("%")) {
            throw new IllegalArgumentException(
                    "a share such as 1% or 100%, or 1%,warn, was expected, was \"" + text + "\"");
        }
        HitCheck check = HitCheck.ofShare(ByteSize.parse(share).share());
        return warns ? check.warning() : check;
    }

    /** A cache in Redis. Arguments are for all to see in the list of processes, so a password among them is refused. */
    public static RedisOptions redis(String text) {
        String uri = text;
        if (text.startsWith(FROM_ENVIRONMENT)) {
            String variable = text.substring(FROM_ENVIRONMENT.length());
            uri = System.getenv(variable);
            if (uri == null) {
                throw new IllegalArgumentException("the environment has no " + variable);
            }
        } else if (text.matches("[^?]*//[^/?]*:[^/?]*@.*")) {
            throw new IllegalArgumentException(
                    "a password on the command line shows in the list of processes; set PENSTOCK_REDIS_PASSWORD, or"
                            + " use ?password-file=FILE, or env:VARIABLE with the whole URI");
        }
        return RedisTier.at(uri).credentialsFromEnvironment();
    }

    private static Path path(String text) {
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("a path was expected: " + Reason.of(e), e);
        }
        throw new IllegalArgumentException("a path was expected, was \"" + text + "\"");
    }

    /** One of an enum's words, in lower case. */
    private static <E extends Enum<E>> E word(Class<E> type, String text) {
        return Arrays.stream(type.getEnumConstants())
                .filter(each -> lower(each).equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("%s was expected, was \"%s\""
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
