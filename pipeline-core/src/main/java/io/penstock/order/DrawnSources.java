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
        private int segment;

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
            this.begin = found();
            this.end = next(parts - 2, true);
        }

        /** Both are computed from the last end, so that neither waits for the other. */
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
                begin = next(2, false);
                end = next(parts, true);
            }
        }

        /** As {@link WeightSegment#draws}, if it is this number of draws or the next; -1 if it may be another. */
        private long near(long draws, long missing) {
            long mean = growth + rise * draws;
            long more = mean * draws - missing;
            long last = mean + rise * (draws - 1);
            boolean isOther = more >= last || more + last + 2 * rise < 0 || draws >= until - place;
            return isOther ? -1 : draws + (more >>> Long.SIZE - 1); // no branch, as nothing foretells which
        }

        /** Where the window of the next draw begins, found without the one before: near the draws that were made. */
        private long found() {
            BigInteger wanted = BigInteger.valueOf(count)
                    .multiply(BigInteger.valueOf(parts))
                    .add(BigInteger.ONE)
                    .multiply(BigInteger.valueOf(WeightList.UNIT));
            LongPredicate begins = draw -> above(draw, wanted).signum() >= 0;
            long low = DrawnSources.this.number;
            for (long less = 1; low > 0 && begins.test(low); less *= 2) {
                low = Math.max(0, low - less);
            }
            long found = WeightSegment.first(low, WeightList.FAR, begins);
            if (!begins.test(found)) {
                segment = -1;
                return NEVER;
            }
            moveTo(list.number(found), found, above(found, wanted).longValueExact());
            return found;
        }

        /** By how much the sum before a draw is above a threshold, in the units of the draw's segment over 1 / u. */
        private BigInteger above(long draw, BigInteger wanted) {
            WeightSegment there = list.segmentAt(draw);
            return there.sum(number, draw - there.from())
                    .multiply(BigInteger.valueOf(parts))
                    .subtract(wanted.multiply(BigInteger.valueOf(there.scale())));
        }

        /** Moves on until the sum is this number of times u above the last threshold, and says to where. */
        private long next(long times, boolean exceeds) {
            long from = segment < 0 ? 0 : place - list.segments[segment].from();
            long sum = above;
            for (int next = segment; next >= 0 && next < list.segments.length; next++) {
                WeightSegment there = list.segments[next];
                long threshold = times * there.unit();
                long draws = there.draws(number, from, threshold - sum + (exceeds ? 1 : 0), parts);
                if (draws >= 0) {
                    long found = there.from() + from + draws;
                    if (exceeds) {
                        toEnd = draws;
                        moveTo(next, found, sum + parts * there.gain(number, from, draws) - threshold);
                    } else {
                        toBegin = draws;
                    }
                    return found;
                }
                if (next < list.segments.length - 1) {
                    sum += parts * there.gain(number, from, there.length() - from);
                    sum = sum / there.scale() * list.segments[next + 1].scale();
                    from = 0;
                }
            }
            segment = -1;
            return NEVER;
        }

        private void moveTo(int next, long draw, long sum) {
            WeightSegment there = list.segments[next];
            segment = next;
            place = draw;
            above = sum;
            until = there.from() + there.length() - 1;
            unit = there.unit();
            rise = parts * there.rises()[number];
            growth = 2 * (parts * there.scale() * there.weights()[number] + rise * (draw - there.from()));
        }
    }
}
