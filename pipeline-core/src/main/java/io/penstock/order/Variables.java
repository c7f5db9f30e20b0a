package io.penstock.order;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers out of an environment. */
record Variables(Map<String, String> environment) {

    /** Slurm's {@code 2(x3)}: two tasks on each of three nodes. */
    private static final Pattern REPEATED = Pattern.compile("(\\d{1,9})(?:\\(x(\\d{1,9})\\))?");

    /** Whether all of these are set. */
    boolean has(String... names) {
        return environment.keySet().containsAll(List.of(names));
    }

    /** @throws IllegalArgumentException if one of the two is not set */
    void requireBoth(String launcher, String first, String second) {
        String missing = !has(first) ? first : !has(second) ? second : null;
        if (missing != null) {
            throw new IllegalArgumentException("the environment is half set for %s: %s is missing; set both %s and %s"
                    .formatted(launcher, missing, first, second));
        }
    }

    int number(String name) {
        String text = text(name);
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s must be a whole number, was \"%s\"".formatted(name, text), e);
        }
    }

    /** The number at a place of a list such as {@code 2(x3),1}. */
    int listed(String name, int place) {
        String text = text(name);
        long before = 0;
        for (String part : text.strip().split(",", -1)) {
            Matcher matcher = REPEATED.matcher(part);
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "%s must be a list such as 2(x3),1, was \"%s\"".formatted(name, text));
            }
            @Nullable String times = matcher.group(2);
            before += times == null ? 1 : Integer.parseInt(times);
            if (place < before) {
                return Integer.parseInt(matcher.group(1));
            }
        }
        throw new IllegalArgumentException("%s must name node %d, was \"%s\"".formatted(name, place, text));
    }

    private String text(String name) {
        String text = environment.get(name);
        if (text == null) {
            throw new IllegalArgumentException(name + " is not set");
        }
        return text;
    }
}
