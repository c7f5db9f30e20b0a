package io.penstock.cli.flag;

import io.penstock.order.Exhausted;
import io.penstock.order.Proportions;
import java.util.function.UnaryOperator;

/** When an epoch of a mixture ends, as {@code --stop} says it. */
public record MixtureEnd(UnaryOperator<Proportions> end) {

    public static MixtureEnd parse(String text) {
        return switch (text) {
            case "first" -> new MixtureEnd(mixture -> mixture.until(Exhausted.FIRST));
            case "all" -> new MixtureEnd(mixture -> mixture.until(Exhausted.ALL));
            default -> ofDraws(text);
        };
    }

    private static MixtureEnd ofDraws(String text) {
        if (!text.matches("[1-9]\\d{0,17}")) {
            throw new IllegalArgumentException(
                    "an epoch of a mixture ends with the first source, with all, or after N draws, was \"%s\""
                            .formatted(text));
        }
        long draws = Long.parseLong(text);
        return new MixtureEnd(mixture -> mixture.draws(draws));
    }
}
