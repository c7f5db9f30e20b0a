package io.penstock.store;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbered names, as WebDataset and the shell write them: {@code shard-{000000..000127}.tar}. A store that cannot be
 * listed can be asked for each.
 */
final class Braces {

    private static final Pattern RANGE = Pattern.compile("\\{(\\d{1,9})\\.\\.(\\d{1,9})}");
    private static final int MOST = 1_000_000;
    private static final long MOST_CHARACTERS = 32 << 20;

    private Braces() {}

    /** Whether there is a range, and nothing that is a pattern otherwise. */
    static boolean isRange(String name) {
        Matcher matcher = RANGE.matcher(name);
        return matcher.find() && !Glob.isPattern(matcher.replaceAll(""));
    }

    /**
     * All names, with numbers of as many digits as the first has.
     * @throws IllegalArgumentException if the last number is below the first, or there are more than {@value #MOST} names, or
     *     they are longer than 32 Mi characters together
     */
    static List<String> expand(String name) {
        Matcher matcher = RANGE.matcher(name);
        if (!matcher.find()) {
            return List.of(name);
        }
        String digits = matcher.group(1);
        int first = Integer.parseInt(digits);
        int last = Integer.parseInt(matcher.group(2));
        List<String> rest = expand(name.substring(matcher.end()));
        long count = (long) (last - first + 1) * rest.size();
        if (last < first || count > MOST) {
            throw new IllegalArgumentException(
                    "range of names must go up, and be of at most %d: %s".formatted(MOST, name));
        }
        if (count * name.length() > MOST_CHARACTERS) {
            throw new IllegalArgumentException(
                    "names of a range must have at most %d characters together, are %d of up to %d: %s"
                            .formatted(MOST_CHARACTERS, count, name.length(), name));
        }
        List<String> names = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            String number = String.valueOf(i);
            String padded = "0".repeat(Math.max(0, digits.length() - number.length())) + number;
            for (String end : rest) {
                names.add(name.substring(0, matcher.start()) + padded + end);
            }
        }
        return names;
    }
}
