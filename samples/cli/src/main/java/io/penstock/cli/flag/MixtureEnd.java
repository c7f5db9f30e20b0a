package io.penstock.cli.flag;

import io.penstock.order.Exhausted;
import io.penstock.order.Proportions;
import java.util.function.UnaryOperator;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** When an epoch of a mixture ends, as {@code --stop} says it. */
public record MixtureEnd(UnaryOperator<Proportions> end) {

    /** For picocli. */
    public static final class Reader implements ITypeConverter<MixtureEnd> {
        @Override
        public MixtureEnd convert(String text) {
            return switch (text) {
                case "first" -> new MixtureEnd(mixture -> mixture.until(Exhausted.FIRST));
                case "all" -> new MixtureEnd(mixture -> mixture.until(Exhausted.ALL));
                default -> new MixtureEnd(draws(text));
            };
        }

        private static UnaryOperator<Proportions> draws(String text) {
            if (!text.matches("[1-9]\\d{0,17}")) {
                throw new TypeConversionException(
                        "an epoch of a mixture ends with the first source, with all, or after N draws, was \"%s\""
                                .formatted(text));
            }
            long draws = Long.parseLong(text);
            return mixture -> mixture.draws(draws);
        }
    }
}
