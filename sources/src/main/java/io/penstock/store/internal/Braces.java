package io.penstock.store.internal;

import io.penstock.internal.Arguments;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbered names, as WebDataset and the shell write them: {@code shard-{000000..000127}.tar}. A store that cannot be
 * listed can be asked for each.
 */
final class Braces {

    private static final Pattern RANGE = Pattern.compile("\\{(\\d{1,9})\\.\\.(\\d{1,9})}");
    private static final int MAX = 1_000_000;
    private static final long MAX_CHARACTERS = 32 << 20;

    private Braces() {}

    /** Whether there is a range, and nothing that is a pattern otherwise. */
    static boolean isRange(String name) {
        Matcher matcher = RANGE.matcher(name);
        return matcher.find() && !Glob.isPattern(matcher.replaceAll(""));
    }

    /**
     * All names, with numbers of as many digits as the first has.
     * @throws IllegalArgumentException if the last number is below the first, or there are more than {@value #MAX}
     *     names, or they are longer than 32 Mi characters together
     */
    static List<String> expand(String name) {
        List<Range> ranges = RANGE.matcher(name).results().map(Range::of).toList();
        long count = 1;
        for (Range range : ranges) {
            count *= range.count();
            Arguments.refuse(
                    count < 1 || count > MAX, "range of names must go up, and be of at most %d: %s", MAX, name);
        }
        if (count * name.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException(
                    "names of a range must have at most %d characters together, are %d of up to %d: %s"
                            .formatted(MAX_CHARACTERS, count, name.length(), name));
        }
        List<String> names = new ArrayList<>((int) count);
        StringBuilder text = new StringBuilder(name.length());
        for (int i = 0; i < count; i++) {
            text.setLength(0);
            write(text, name, ranges, i, (int) count);
            names.add(text.toString());
        }
        return names;
    }

    /** The last range is the one that counts fastest. */
    private static void write(StringBuilder text, String name, List<Range> ranges, int index, int count) {
        int copied = 0;
        int place = count;
        for (Range range : ranges) {
            place /= range.count();
            text.append(name, copied, range.start());
            int from = text.length();
            text.append(range.first() + index / place % range.count());
            text.insert(from, "0".repeat(Math.max(0, range.digits() - (text.length() - from))));
            copied = range.end();
        }
        text.append(name, copied, name.length());
    }

    /** The place of a range in the name, and its numbers. */
    private record Range(int start, int end, int digits, int first, int count) {

        /** Of no numbers if it goes down. */
        static Range of(MatchResult found) {
            int first = Integer.parseInt(found.group(1));
            int last = Integer.parseInt(found.group(2));
            return new Range(found.start(), found.end(), found.group(1).length(), first, Math.max(0, last - first + 1));
        }
    }
}
