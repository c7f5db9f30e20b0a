package io.penstock.augment;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One word of an augmentation, {@code name=argument:option=value:option}: parsing its parts and formatting numbers. */
record AugmentWord(String text, String name, List<String> arguments) {

    static AugmentWord of(String text) {
        return text.contains("=")
                ? new AugmentWord(text, key(text), List.of(value(text).split(":", -1)))
                : new AugmentWord(text, text, List.of());
    }

    /** The shortest decimal form, the same everywhere. */
    static String text(double value) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : Double.toString(value);
    }

    static String text(double[] values, String separator) {
        return Arrays.stream(values).mapToObj(AugmentWord::text).collect(Collectors.joining(separator));
    }

    static String text(double low, double high) {
        return text(low) + ".." + text(high);
    }

    static String key(String option) {
        return option.split("=", 2)[0];
    }

    static String value(String option) {
        return option.contains("=") ? option.split("=", 2)[1] : "";
    }

    List<String> options() {
        return arguments.subList(Math.min(1, arguments.size()), arguments.size());
    }

    /** What the options say, by their names. Known are those of which a text has an example. */
    Map<String, String> options(String known) {
        Map<String, String> said = new HashMap<>();
        for (String option : options()) {
            if (Stream.of(known.split(", ", -1)).map(AugmentWord::key).noneMatch(key(option)::equals)) {
                throw unknown(option, known);
            }
            said.put(key(option), value(option));
        }
        return said;
    }

    String first(String expected) {
        if (arguments.isEmpty() || arguments.get(0).isEmpty()) {
            throw takes(expected);
        }
        return arguments.get(0);
    }

    /** The only argument, a probability; another one where there is none. */
    double probability(double otherwise) {
        if (!options().isEmpty()) {
            throw takes("a probability only, %s=0.5".formatted(name));
        }
        return arguments.isEmpty() ? otherwise : number(first("a probability, %s=0.5".formatted(name)), "probability");
    }

    int[] size(String expected) {
        String[] lengths = first(expected).split("x", -1);
        if (lengths.length > 2) {
            throw takes(expected);
        }
        int height = integer(lengths[0], "height");
        return new int[] {height, lengths.length == 1 ? height : integer(lengths[1], "width")};
    }

    static int integer(String number, String what) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s must be a whole number, was \"%s\"".formatted(what, number), e);
        }
    }

    static double number(String number, String what) {
        try {
            return Double.parseDouble(number);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s must be a number, was \"%s\"".formatted(what, number), e);
        }
    }

    static double[] numbers(String list, String what) {
        return Arrays.stream(list.split("/", -1))
                .mapToDouble(number -> number(number, what))
                .toArray();
    }

    static double[] range(String option) {
        String what = key(option);
        String[] ends = value(option).split("\\.\\.", -1);
        if (ends.length != 2) {
            throw new IllegalArgumentException(
                    "%s must be a range, low..high, was \"%s\"".formatted(what, value(option)));
        }
        return new double[] {number(ends[0], what), number(ends[1], what)};
    }

    static IllegalArgumentException unknown(String option, String known) {
        return new IllegalArgumentException("unknown option \"%s\"; known are %s".formatted(option, known));
    }

    static IllegalArgumentException takes(String expected) {
        return new IllegalArgumentException("it takes " + expected);
    }
}
