package io.penstock.order;

import java.math.BigInteger;
import java.util.Arrays;

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

    /** More draws than a run has. */
    private static final long FAR = 1L << 61;

    private final WeightList list;

    /** 1 / u. */
    private final long parts;

    private final long[] counts;
    private long number;

    /** Of each source's next draw: the number of draws with which its window begins and ends. */
    private final long[] begins;

    private final long[] ends;

    /** Where each window ends, and by how much the sum is above its threshold there, in units over 1 / u. */
    private final int[] segments;

    private final long[] places;
    private final long[] above;

    DrawnSources(WeightList list, long... counts) {
        int sources = list.sources();
        this.list = list;
        this.parts = 2L * sources - 2;
        this.counts = counts.clone();
        this.number = Arrays.stream(counts).sum();
        this.begins = new long[sources];
        this.ends = new long[sources];
        this.segments = new int[sources];
        this.places = new long[sources];
        this.above = new long[sources];
        for (int source = 0; source < sources; source++) {
            begins[source] = found(source);
            ends[source] = next(source, parts - 2, true);
        }
    }

    long number() {
        return number;
    }

    long[] counts() {
        return counts.clone();
    }

    long count(int source) {
        return counts[source];
    }

    /** The number of draws with which the window of a source's next draw begins; {@link #NEVER} if none is to come. */
    long begin(int source) {
        return begins[source];
    }

    /** The number of draws by which a source's next draw must be made; {@link #NEVER} if there is none. */
    long end(int source) {
        return ends[source];
    }

    /** Makes a draw, and returns its source. */
    int draw() {
        number++;
        int first = -1;
        for (int source = 0; source < begins.length; source++) {
            if (begins[source] <= number && (first < 0 || ends[source] < ends[first])) {
                first = source;
            }
        }
        counts[first]++;
        begins[first] = next(first, 2, false); // both from the last end, so that neither waits for the other
        ends[first] = next(first, parts, true);
        return first;
    }

    /** Whether a source waits for longer than it should: only where weights were not known before. */
    boolean isLate() {
        return Arrays.stream(ends).anyMatch(end -> end <= number);
    }

    /** Where the window of a source's next draw begins, found without the one before. */
    private long found(int source) {
        BigInteger wanted = BigInteger.valueOf(counts[source])
                .multiply(BigInteger.valueOf(parts))
                .add(BigInteger.ONE)
                .multiply(BigInteger.valueOf(WeightList.UNIT));
        int number = list.segments() - 1;
        while (number > 0 && above(list.segment(number), source, 0, wanted).signum() >= 0) {
            number--;
        }
        WeightSegment segment = list.segment(number);
        long low = 0;
        long high = Math.min(segment.length(), FAR);
        segments[source] = -1;
        if (above(segment, source, high, wanted).signum() < 0) {
            return NEVER;
        }
        while (high - low > 1) {
            long middle = (low + high) >>> 1;
            if (above(segment, source, middle, wanted).signum() < 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        segments[source] = number;
        places[source] = high;
        above[source] = above(segment, source, high, wanted).longValueExact();
        return segment.from() + high;
    }

    private BigInteger above(WeightSegment segment, int source, long place, BigInteger wanted) {
        return segment.sum(source, place)
                .multiply(BigInteger.valueOf(parts))
                .subtract(wanted.multiply(BigInteger.valueOf(segment.scale())));
    }

    /** Moves a source on until its sum is this number of times u above the last threshold, and says to where. */
    private long next(int source, long times, boolean exceeds) {
        int number = segments[source];
        long place = places[source];
        long sum = above[source];
        while (number >= 0) {
            WeightSegment segment = list.segment(number);
            long threshold = times * segment.unit();
            long missing = threshold - sum + (exceeds ? 1 : 0);
            long draws = segment.draws(source, place, missing, parts);
            if (draws >= 0) {
                if (exceeds) {
                    segments[source] = number;
                    places[source] = place + draws;
                    above[source] = sum + parts * segment.gain(source, place, draws) - threshold;
                }
                return segment.from() + place + draws;
            }
            number++;
            if (number == list.segments()) {
                break;
            }
            sum += parts * segment.gain(source, place, segment.length() - place);
            sum = sum / segment.scale() * list.segment(number).scale();
            place = 0;
        }
        segments[source] = -1;
        return NEVER;
    }
}
