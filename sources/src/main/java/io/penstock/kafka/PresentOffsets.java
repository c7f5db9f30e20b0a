package io.penstock.kafka;

import io.penstock.fault.StoreException;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Selection;
import io.penstock.kafka.KafkaTopic.Range;
import io.penstock.kafka.TopicReads.Wanted;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * Finds the offsets that have a record. Those of marks that end transactions, of aborted records and of compacted ones
 * have none. The last offset of a transaction is a mark and compaction begins at the oldest records, so both ends of a
 * range are looked at; only where one lacks a record, all is read.
 */
record PresentOffsets(TopicReads reads) {

    private static final int END = 512;
    private static final int AT_ONCE = 4096;

    /** The places of records among the offsets of all ranges. */
    Selection find(List<Range> ranges) {
        if (ranges.stream().allMatch(this::hasWholeEnds)) {
            return new Selection.Range(
                    0, ranges.stream().mapToLong(Range::length).sum());
        }
        Bits.Builder found = new Bits.Builder(false);
        ranges.forEach(range -> count(range, found::count));
        return found.build().compact();
    }

    private boolean hasWholeEnds(Range range) {
        int partition = range.partition();
        return isWhole(new Range(partition, range.from(), Math.min(range.to(), range.from() + END)))
                && isWhole(new Range(partition, Math.max(range.from(), range.to() - END), range.to()));
    }

    private boolean isWhole(Range range) {
        AtomicBoolean whole = new AtomicBoolean(true);
        count(range, count -> whole.compareAndSet(true, count == 1));
        return whole.get();
    }

    /** Tells of each offset in turn the number of its records, 0 or 1. */
    private void count(Range range, IntConsumer counts) {
        for (long from = range.from(); from < range.to(); from += AT_ONCE) {
            Deque<Wanted> wanted = new ArrayDeque<>();
            for (long offset = from; offset < Math.min(range.to(), from + AT_ONCE); offset++) {
                wanted.add(new Wanted(0, range.partition(), offset));
            }
            reads.read(
                    new TreeMap<>(Map.of(range.partition(), wanted)),
                    place -> true,
                    (told, record) -> counts.accept(record == null ? 0 : 1));
            if (!wanted.isEmpty()) {
                Thread.currentThread().interrupt(); // as it was
                throw new StoreException("interrupted while looking for records in " + range);
            }
        }
    }
}
