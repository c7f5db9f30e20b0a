package io.penstock.order;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/**
 * The draws of a {@link ListedSchedule}, made one after another by Tijdeman's rule [1] for weights that vary.
 *
 * <p>With n sources, u = 1 / (2n - 2) and W the sum of a source's weights so far, its k-th draw may be made as soon as
 * W is k - 1 + u, and must be made before W exceeds k - u. Some order of draws meets all of these windows [1]; that of
 * the earliest end first does so if any does. So no source ever has more than 1 - u draws too many or too few. Each
 * window is computed once, from the last one, so weights that come later are known in time.
 *
 * <p>The number of draws and the count of each source say everything, so a copy may begin at any place. Not thread-safe.
 *
 * <ol>
 *   <li>Tijdeman: The chairman assignment problem, Discrete Mathematics 32 (1980)
 * </ol>
 */
final class DrawnSources {

    static final long NEVER = Long.MAX_VALUE;

    private final WeightList list;

    /** 1 / u. */
    private final long parts;

    final Source[] sources;

    /** How many draws were made. */
    long number;

    DrawnSources(WeightList list, long... counts) {
        this.list = list;
        this.parts = 2L * list.sources() - 2;
        this.number = Arrays.stream(counts).sum();
        this.sources = IntStream.range(0, counts.length)
                .mapToObj(source -> new Source(source, counts[source]))
                .toArray(Source[]::new);
    }

    long[] counts() {
        return Arrays.stream(sources).mapToLong(source -> source.count).toArray();
    }

    /** Makes a draw, and returns its source. */
    int draw() {
        number++;
        Source first = null;
        for (Source source : sources) {
            if (source.begin <= number && (first == null || source.end < first.end)) {
                first = source;
            }
        }
        Source drawn = Objects.requireNonNull(first);
        drawn.count++;
        drawn.next();
        return drawn.number;
    }

    /** Whether a source waits for longer than it should: only where weights were not known before. */
    boolean isLate() {
        return Arrays.stream(sources).anyMatch(source -> source.end <= number);
    }

    /** What one source was drawn, and the window of its next draw. */
    final class Source {

        private final int number;
        long count;

        /** The number of draws with which the window begins; {@link #NEVER} if none is to come. */
        long begin;

        /** The number of draws by which the next one must be made; {@link #NEVER} if there is none. */
        long end;

        /** Where the window ends, and by how much the sum is above its threshold there, in units over 1 / u. */
        private long place;

        private long above;

        /** Of the segment: its last draw and its unit. */
        private long until;

        private long unit;

        /** By how much a draw there makes the sum grow, and by how much more each further one, twice. */
        private long growth;

        private long rise;

        /** From the end of a window to the next one's begin and end: each a draw more at most, while weights change little. */
        private long toBegin;

        private long toEnd;

        Source(int number, long count) {
            this.number = number;
            this.count = count;
            this.place = DrawnSources.this.number;
            find();
        }

        void next() {
            long first = near(toBegin, 2 * unit - above);
            long last = near(toEnd, parts * unit - above + 1);
            if ((first | last) >= 0) {
                begin = place + first;
                above += (growth + rise * last) * last - parts * unit;
                growth += 2 * rise * last;
                place += last;
                end = place;
            } else {
                find();
            }
        }

        /** How many draws until the sum grows by what is missing, if they are this number or the next; else -1. */
        private long near(long draws, long missing) {
            long mean = growth + rise * draws;
            long more = mean * draws - missing;
            long last = mean + rise * (draws - 1);
            boolean isOther = more >= last || more + last + 2 * rise < 0 || draws >= until - place;
            return isOther ? -1 : draws + (more >>> Long.SIZE - 1); // no branch, as nothing foretells which
        }

        /** Finds the window of the next draw, near the place that the last one foretells. */
        private void find() {
            BigInteger made = BigInteger.valueOf(count).multiply(BigInteger.valueOf(parts));
            BigInteger last = made.add(BigInteger.valueOf(parts - 1));
            begin = first(place + toBegin, made.add(BigInteger.ONE), false);
            end = first(place + toEnd, last, true);
            toBegin = begin - place;
            toEnd = end - place;
            if (end < NEVER) {
                WeightSegment there = list.segmentAt(end);
                place = end;
                above = above(end, last).longValueExact();
                until = there.from() + there.length() - 1;
                unit = there.unit();
                rise = parts * there.rises()[number];
                growth = 2 * (parts * there.scale() * there.weights()[number] + rise * (end - there.from()));
            }
        }

        /** The first number of draws with which the sum is this many u, or exceeds them; {@link #NEVER} if it never is. */
        private long first(long guess, BigInteger wanted, boolean exceeds) {
            LongPredicate holds = draw -> above(draw, wanted).signum() >= (exceeds ? 1 : 0);
            long from = Math.max(0, Math.min(guess, WeightList.FAR));
            long to = from;
            for (long step = 1; from > 0 && holds.test(from); step *= 2) {
                to = from;
                from = Math.max(0, from - step);
            }
            for (long step = 1; to < WeightList.FAR && (to == from || !holds.test(to)); step *= 2) {
                from = to;
                to = Math.min(WeightList.FAR, to + step);
            }
            while (to - from > 1) {
                long middle = (from + to) >>> 1;
                if (holds.test(middle)) {
                    to = middle;
                } else {
                    from = middle;
                }
            }
            return to < WeightList.FAR || holds.test(to) ? to : NEVER;
        }

        /** By how much the sum before a draw is above this many u, in units of the draw's segment over 1 / u. */
        private BigInteger above(long draw, BigInteger wanted) {
            WeightSegment there = list.segmentAt(draw);
            return there.sum(number, draw - there.from())
                    .multiply(BigInteger.valueOf(parts))
                    .subtract(wanted.multiply(BigInteger.valueOf(there.unit())));
        }
    }
}
