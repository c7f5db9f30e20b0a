package io.penstock.order;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of weights that change with the number of the draw. It keeps the blocks of draws that were used last, and
 * makes others from {@link DrawnSources}: a draw costs a fixed number of steps for each draw of all ranks.
 *
 * <p>To reach a far draw, those before it are made. Where weights stay, whole periods are left out: once the counts of a
 * period's draws are exactly its weights, all is as it was, up to the windows that a later segment decides.
 *
 * <p><b>Memory</b>: 8 blocks of 16 KiB, and the counts at 64 places. <b>Threads</b>: one at a time makes a block.
 */
final class ListedSchedule implements SourceSchedule {

    private static final int BITS = 12;
    private static final int BLOCK = 1 << BITS;
    private static final int BLOCKS = 8;
    private static final int PLACES = 64;

    private final WeightList list;
    private final long[] counts;
    private final long first;
    private final AtomicReferenceArray<Block> blocks = new AtomicReferenceArray<>(BLOCKS);

    /** Counts at places that lie {@code apart} or more, to go back to. */
    private final NavigableMap<Long, long[]> places = new TreeMap<>();

    private long apart = BLOCK;
    private DrawnSources drawn;

    /** The draws of {@code [number << BITS, (number + 1) << BITS)}: each its source, and how often it was drawn before. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Block(long number, long[] counts, int[] draws) {}

    /** @param counts how often each source was drawn before the schedule begins */
    ListedSchedule(WeightList list, long... counts) {
        this.list = list;
        this.counts = counts;
        this.first = LongStream.of(counts).sum();
        this.drawn = new DrawnSources(list, counts);
        places.put(first, counts);
    }

    /**
     * The schedule that continues with counts of the draws before.
     * @throws IllegalArgumentException if these weights cannot have had them
     */
    static ListedSchedule goingOn(WeightList list, long... counts) {
        long number = LongStream.of(counts).sum();
        for (int source = 0; source < counts.length; source++) {
            double wanted = list.sum(source, number);
            if (Math.abs(counts[source] - wanted) > counts.length) {
                throw new IllegalArgumentException(
                        "the weights before draw %d are other ones: source %d was drawn %d times, %.1f times by %s"
                                .formatted(number, source, counts[source], wanted, list));
            }
        }
        return new ListedSchedule(list, counts.clone());
    }

    @Override
    public int source(long draw) {
        long number = first + draw;
        return block(number).draws[(int) number & BLOCK - 1] & 0xFF;
    }

    @Override
    public long before(long draw, int source) {
        long number = first + draw;
        Block block = block(number);
        int before = (block.draws[(int) number & BLOCK - 1] >>> Byte.SIZE) - (int) block.counts[source];
        return block.counts[source] + (before & BLOCK - 1) - counts[source];
    }

    @Override
    public long count(int source, long draws) {
        synchronized (places) {
            reach(first + draws);
            return drawn.sources[source].count - counts[source];
        }
    }

    @Override
    public long find(int source, long nth) {
        long[] there = counts.clone();
        there[source] += nth;
        DrawnSources.Source window = new DrawnSources(list, there).sources[source];
        if (window.begin == DrawnSources.NEVER) {
            return Long.MAX_VALUE;
        }
        // a draw whose window has no end is not made any more if two periods of the last weights leave it out
        WeightSegment last = list.segments[list.segments.length - 1];
        long end = window.end == DrawnSources.NEVER
                ? Math.max(window.begin, last.from()) + 2L * last.period()
                : Long.MAX_VALUE;
        synchronized (places) {
            reach(Math.max(first, window.begin - 1));
            while (drawn.number < end) {
                if (drawn.draw() == source && drawn.sources[source].count > there[source]) {
                    return drawn.number - 1 - first;
                }
            }
        }
        return Long.MAX_VALUE;
    }

    private Block block(long draw) {
        long number = draw >>> BITS;
        Block block = blocks.getAcquire((int) number & BLOCKS - 1);
        return block != null && block.number == number ? block : made(number);
    }

    private Block made(long number) {
        synchronized (places) {
            Block there = blocks.get((int) number & BLOCKS - 1);
            if (there != null && there.number == number) {
                return there;
            }
            long begin = number << BITS;
            reach(Math.max(begin, first));
            Block block = new Block(number, drawn.counts(), new int[BLOCK]);
            walk(begin + BLOCK, block);
            blocks.setRelease((int) number & BLOCKS - 1, block);
            return block;
        }
    }

    /** Makes the draws before a number, from the nearest place that is known. */
    private void reach(long number) {
        Map.Entry<Long, long[]> known = places.floorEntry(number);
        if (drawn.number > number || drawn.number < known.getKey()) {
            drawn = new DrawnSources(list, known.getValue());
        }
        walk(number, null);
    }

    /** Makes the next draws up to a number, and writes them into a block if there is one. */
    private void walk(long number, @Nullable Block into) {
        while (drawn.number < number) {
            WeightSegment segment = list.segmentAt(drawn.number);
            long periods = periods(segment, number);
            long[] before = drawn.counts();
            draw(periods > 1 ? segment.period() : Math.min(BLOCK, number - drawn.number), into);
            if (periods > 1 && isPeriod(segment, before)) {
                repeat(segment, periods - 1, into);
            }
            remember();
        }
    }

    private void draw(long draws, @Nullable Block into) {
        DrawnSources next = drawn;
        int[] made = into == null ? new int[BLOCK] : into.draws;
        for (long number = next.number, end = number + draws; number < end; number++) {
            int source = next.draw();
            made[(int) number & BLOCK - 1] = (int) (next.sources[source].count - 1) << Byte.SIZE | source;
        }
    }

    /** Makes the draws of the period that was made last some times more: copies them into a block if there is one. */
    private void repeat(WeightSegment segment, long periods, @Nullable Block into) {
        int period = segment.period();
        int[] more = segment.inPeriod();
        if (into != null) {
            int place = (int) drawn.number & BLOCK - 1;
            for (long end = place + periods * period; place < end; place++) {
                int last = into.draws[place - period];
                into.draws[place] = last + (more[last & 0xFF] << Byte.SIZE);
            }
        }
        long[] later = drawn.counts();
        Arrays.setAll(later, source -> later[source] + periods * more[source]);
        drawn = new DrawnSources(list, later);
    }

    /** The whole periods up to a number in which no later segment decides a window; 0 if they may differ. */
    private long periods(WeightSegment segment, long number) {
        if (segment.scale() > 1 || drawn.isLate()) {
            return 0;
        }
        int period = segment.period();
        return (Math.min(number, segment.from() + segment.length() - period - 2) - drawn.number) / period;
    }

    private boolean isPeriod(WeightSegment segment, long... before) {
        int[] wanted = segment.inPeriod();
        return IntStream.range(0, before.length)
                .allMatch(source -> drawn.sources[source].count - before[source] == wanted[source]);
    }

    private void remember() {
        if (drawn.number - places.lastKey() >= apart) {
            places.put(drawn.number, drawn.counts());
            if (places.size() > PLACES) {
                apart *= 2;
                for (Long place = first; place != null; place = places.higherKey(place)) {
                    places.subMap(place, false, place + apart, false).clear();
                }
            }
        }
    }

    @Override
    public WeightList weights() {
        return list;
    }

    @Override
    public String toString() {
        return list.toString();
    }
}
