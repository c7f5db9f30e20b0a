package io.penstock.order;

import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The weights of a mixture's sources by the number of the draw: entries, between which they stay or go in a line. Behind
 * the last entry they stay.
 *
 * <p>Shares are whole multiples of 1 / {@link #WHOLE}, so sums are exact. Of a line of L draws from share a to share b,
 * draw number s has {@code a + (b - a) (2s + 1) / 2L}: the line's integral over the draw. Immutable.
 */
final class WeightList {

    /** The numbers up to 12 divide it, and 10,000. */
    static final int WHOLE = 13_860_000;

    /** At the ends of lines, sums of weights are multiples of 1 / UNIT. */
    static final long UNIT = 2L * WHOLE;

    /** What resume tokens have room for. */
    private static final int LONGEST = 32_768;

    /** Sums up to here fit into 63 bits. */
    private static final long LAST = 1L << 38;

    /** More draws than a run has. */
    static final long FAR = 1L << 62;

    private static final String NUMBERS = "\\d{1,8}(?::\\d{1,8}){1,254}";
    static final String PATTERN = "0=%1$s(?: \\d{1,12}=%1$s)*+(?: line)?".formatted(NUMBERS);
    private static final Pattern ENTRY = Pattern.compile("(\\d{1,12})=(%s)".formatted(NUMBERS));

    private final long[] from;
    final WeightSegment[] segments;
    private final boolean lines;

    private WeightList(long[] from, int[][] weights, boolean lines) {
        int sources = weights[0].length;
        this.from = from;
        this.lines = lines;
        this.segments = new WeightSegment[from.length];
        long[] sums = new long[sources];
        for (int entry = 0; entry < from.length; entry++) {
            boolean last = entry == from.length - 1;
            long length = (last ? FAR : from[entry + 1]) - from[entry];
            boolean sloped = lines && !last && !Arrays.equals(weights[entry], weights[entry + 1]);
            int[] rises = new int[sources];
            long[] next = new long[sources];
            for (int source = 0; source < sources; source++) {
                rises[source] = sloped ? weights[entry + 1][source] - weights[entry][source] : 0;
                next[source] = sums[source] + length * (2L * weights[entry][source] + rises[source]);
            }
            segments[entry] = new WeightSegment(from[entry], length, sloped ? length : 1, weights[entry], rises, sums);
            sums = next;
        }
    }

    /**
     * A list of relative weights.
     * @throws IllegalArgumentException if the draws do not ascend from 0 on, a line is too long, or the list is
     */
    static WeightList of(long[] from, double[][] weights, boolean lines) {
        boolean ascends = IntStream.range(1, from.length).allMatch(entry -> from[entry] > from[entry - 1]);
        if (from[0] != 0 || !ascends || from[from.length - 1] > LAST) {
            String draws = LongStream.of(from).mapToObj(Long::toString).collect(Collectors.joining(", "));
            throw new IllegalArgumentException(
                    "the draws of weights must ascend from 0 to %,d at most, were %s".formatted(LAST, draws));
        }
        int[][] whole =
                Arrays.stream(weights).map(each -> rounded(shares(each), WHOLE)).toArray(int[][]::new);
        WeightList list = new WeightList(from, whole, lines);
        long longest = (1L << 60) / (UNIT * Math.max(1, 2L * list.sources() - 2)); // what DrawnSources adds fits
        for (WeightSegment segment : list.segments) {
            if (segment.scale() > longest) {
                throw new IllegalArgumentException(
                        ("a line of weights of %d sources has %,d draws at most, the one from draw %d has %,d; "
                                        + "put an entry into it")
                                .formatted(list.sources(), longest, segment.from(), segment.length()));
            }
        }
        int length = list.toString().length();
        if (length > LONGEST) {
            throw new IllegalArgumentException(
                    "a list of weights has %,d characters at most, so that tokens hold it, has %,d; leave entries out"
                            .formatted(LONGEST, length));
        }
        return list;
    }

    /** Weights over their sum. */
    static double[] shares(double... weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        double all = sum;
        return DoubleStream.of(weights).map(weight -> weight / all).toArray();
    }

    /** Shares as whole numbers of this sum. The largest remainders get one more; of equal ones the first. */
    static int[] rounded(double[] shares, int sum) {
        int[] whole =
                DoubleStream.of(shares).mapToInt(share -> (int) (share * sum)).toArray();
        IntStream.range(0, shares.length)
                .boxed()
                .sorted((a, b) -> Double.compare(shares[b] * sum - whole[b], shares[a] * sum - whole[a]))
                .limit(sum - IntStream.of(whole).sum())
                .forEach(source -> whole[source]++);
        return whole;
    }

    /**
     * Reads what {@link #toString} wrote, which {@link #PATTERN} is of.
     * @throws IllegalArgumentException if it is no such list
     */
    static WeightList parse(String text) {
        List<MatchResult> entries = ENTRY.matcher(text).results().toList();
        long[] from = entries.stream()
                .mapToLong(entry -> Long.parseLong(entry.group(1)))
                .toArray();
        double[][] weights =
                entries.stream().map(entry -> weights(entry.group(2))).toArray(double[][]::new);
        if (Arrays.stream(weights).anyMatch(each -> each.length != weights[0].length)) {
            throw new IllegalArgumentException("entries have different numbers of weights");
        }
        return of(from, weights, text.endsWith("line"));
    }

    private static double[] weights(String text) {
        double[] weights =
                Arrays.stream(text.split(":")).mapToDouble(Integer::parseInt).toArray();
        long sum = (long) DoubleStream.of(weights).sum();
        if (sum < 1 || WHOLE % sum != 0) {
            throw new IllegalArgumentException(
                    "the sum of weights is %d, which does not divide %d".formatted(sum, WHOLE));
        }
        return weights;
    }

    int sources() {
        return segments[0].weights().length;
    }

    /** The segment that a draw is in. */
    WeightSegment segmentAt(long draw) {
        int found = Arrays.binarySearch(from, draw);
        return segments[found < 0 ? -found - 2 : found];
    }

    /** The sum of a source's weights before a draw, rounded. */
    double sum(int source, long draw) {
        WeightSegment segment = segmentAt(draw);
        return segment.sum(source, draw - segment.from()).doubleValue() / segment.unit();
    }

    /** Whether the draws of [first, end) have the same shares in both, rounding apart. */
    boolean equalsWithin(WeightList other, long first, long end) {
        return Stream.of(new long[] {first + 1, end}, from, other.from) // between two of these both go in lines
                .flatMapToLong(Arrays::stream)
                .flatMap(draw -> LongStream.of(draw - 1, draw))
                .filter(draw -> draw >= first && draw < end)
                .allMatch(draw -> isNear(other, draw));
    }

    private boolean isNear(WeightList other, long draw) {
        WeightSegment here = segmentAt(draw);
        WeightSegment there = other.segmentAt(draw);
        return IntStream.range(0, sources())
                .allMatch(source -> Math.abs(here.share(source, draw) - there.share(source, draw)) < 1.5);
    }

    /** {@code 0=9:1 50000=1:1 100000=1:4 line}. */
    @Override
    public String toString() {
        return Arrays.stream(segments).map(WeightSegment::toString).collect(Collectors.joining(" "))
                + (lines ? " line" : "");
    }
}
