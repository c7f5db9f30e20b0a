package io.penstock.augment;

import java.util.Arrays;
import java.util.List;

/** One word of an augmentation, {@code name=argument:option=value:option}, and the reading of its parts. */
record AugmentWord(String text, String name, List<String> arguments) {

    /** A word that cannot be read; its message says all. */
    static final class UsageException extends IllegalArgumentException {

        private static final long serialVersionUID = 1;

        UsageException(String message) {
            super(message);
        }
    }

    static AugmentWord of(String text) {
        int at = text.indexOf('=');
        return at < 0
                ? new AugmentWord(text, text, List.of())
                : new AugmentWord(
                        text,
                        text.substring(0, at),
                        List.of(text.substring(at + 1).split(":", -1)));
    }

    static String key(String option) {
        int at = option.indexOf('=');
        return at < 0 ? option : option.substring(0, at);
    }

    static String value(String option) {
        return option.substring(Math.min(option.length(), key(option).length() + 1));
    }

    List<String> options() {
        return arguments.subList(Math.min(1, arguments.size()), arguments.size());
    }

    String first(String wanted) {
        if (arguments.isEmpty() || arguments.get(0).isEmpty()) {
            throw wrong("it takes " + wanted);
        }
        return arguments.get(0);
    }

    void none(List<String> surplus, String wanted) {
        if (!surplus.isEmpty()) {
            throw wrong("it takes " + wanted);
        }
    }

    int[] size(String wanted) {
        String[] lengths = first(wanted).split("x", -1);
        if (lengths.length > 2) {
            throw wrong("it takes " + wanted);
        }
        int height = integer(lengths[0], "height");
        return new int[] {height, lengths.length == 1 ? height : integer(lengths[1], "width")};
    }

    int integer(String number, String what) {
        try {
            return Integer.parseInt(number);
        } catch (NumberFormatException e) {
            throw wrong("%s must be a whole number, was \"%s\"".formatted(what, number));
        }
    }

    double number(String number, String what) {
        try {
            return Double.parseDouble(number);
        } catch (NumberFormatException e) {
            throw wrong("%s must be a number, was \"%s\"".formatted(what, number));
        }
    }

    double[] numbers(String list, String what) {
        return Arrays.stream(list.split("/", -1))
                .mapToDouble(number -> number(number, what))
                .toArray();
    }

    double[] range(String option) {
        String what = key(option);
        String[] ends = value(option).split("\\.\\.", -1);
        if (ends.length != 2) {
            throw wrong("%s must be a range, low..high, was \"%s\"".formatted(what, value(option)));
        }
        return new double[] {number(ends[0], what), number(ends[1], what)};
    }

    UsageException unknown(String option, String known) {
        return wrong("unknown option \"%s\"; known are %s".formatted(option, known));
    }

    UsageException wrong(String why) {
        return new UsageException("augmentation \"%s\": %s".formatted(text, why));
    }
}
