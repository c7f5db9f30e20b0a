package io.penstock.augment;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parses the words of {@link AugmentSpec} that are policies: {@code rotate=30}, {@code randaugment=2:9}. */
final class PolicySpec {

    private static final Pattern GROUP = Pattern.compile("(?:choose=(\\d+)|any-order)\\((.*)\\)");
    private static final String TABLES = "a table: "
            + Arrays.stream(AutoAugmentTable.values())
                    .map(AutoAugmentTable::word)
                    .collect(Collectors.joining(", "));

    static final List<String> WORDS = List.of("randaugment", "trivialaugment", "autoaugment", "choose", "any-order");

    private PolicySpec() {}

    /** Whether it is several changes in brackets, which have words of their own. */
    static boolean isGroup(String text) {
        return text.startsWith("choose") || text.startsWith("any-order");
    }

    static Policy group(String text) {
        Matcher group = GROUP.matcher(text);
        if (!group.matches()) {
            throw AugmentWord.takes("changes in brackets, choose=2(rotate=30|invert=0.5) or any-order(…)");
        }
        Change[] changes = Arrays.stream(group.group(2).split("\\|", -1))
                .map(word -> change(AugmentWord.of(word.strip())))
                .toArray(Change[]::new);
        return group.group(1) == null
                ? Policy.anyOrder(changes)
                : Policy.choose(AugmentWord.integer(group.group(1), "choose"), changes);
    }

    static Policy policy(AugmentWord word) {
        return switch (word.name()) {
            case "randaugment" -> randAugment(word);
            case "trivialaugment" -> {
                if (!word.arguments().isEmpty()) {
                    throw AugmentWord.takes("nothing");
                }
                yield Policy.trivialAugment();
            }
            case "autoaugment" ->
                Policy.autoAugment(Arrays.stream(AutoAugmentTable.values())
                        .filter(each -> each.word().equals(word.first(TABLES).toLowerCase(Locale.ROOT)))
                        .findFirst()
                        .orElseThrow(() -> AugmentWord.takes(TABLES)));
            default -> Policy.of(change(word));
        };
    }

    private static Policy randAugment(AugmentWord word) {
        String wanted = "a number of operations and a magnitude, randaugment=2:9";
        if (word.arguments().size() != 2) {
            throw AugmentWord.takes(wanted);
        }
        return Policy.randAugment(
                AugmentWord.integer(word.first(wanted), "number of operations"),
                AugmentWord.integer(word.arguments().get(1), "magnitude"));
    }

    private static Change change(AugmentWord word) {
        Operation operation = Operation.of(word.name());
        if (!operation.hasMagnitude()) {
            return Change.of(operation).probability(word.probability(1));
        }
        String magnitude = word.first("a magnitude or a range of them, low..high");
        double[] range = magnitude.contains("..") ? AugmentWord.range("magnitude=" + magnitude) : null;
        double high = range == null ? AugmentWord.number(magnitude, "magnitude") : range[1];
        double low = range == null ? operation.signed ? 0 : high : range[0];
        Map<String, String> options = word.options("p=0.5, bins=31");
        double p = AugmentWord.number(options.getOrDefault("p", "1"), "p");
        int bins = AugmentWord.integer(options.getOrDefault("bins", "0"), "bins");
        return new Change(operation, p, low, high, bins);
    }
}
