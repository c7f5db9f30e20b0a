package io.penstock.cache.chronicle.internal;

import io.penstock.internal.AccessFaults;
import io.penstock.internal.Notice;
import io.penstock.internal.Reclaim;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an LRU cache gives up for what comes: the segment that was written first, but for the values in it that were
 * asked for since; those are written once more, at the end of the log. That is the order of use to one bit a value,
 * kept in its location, so it takes no memory (1). Under a shuffle it hits what exact LRU does, or a few points more
 * where most is held; where nothing is used twice in time it is exact.
 *
 * <p>Every value that is written again was asked for, so there are at most as many of these writes as hits. And there
 * are at most three for each new byte: a segment of which more than three in four values were asked for stays where it
 * is, and counts as written last and not asked for. Confined to the appending thread.
 *
 * <p>(1) Corbató, A paging experiment with the Multics system, 1968.
 */
final class SecondChance {

    private static final Logger LOG = LoggerFactory.getLogger(SecondChance.class);

    private final AccessFaults faults = new AccessFaults();
    private final DiskIndex index;
    private final Segments segments;
    private final SharedCounters counters;
    private final Reclaim unmaps;
    private final Deque<Segment> order = new ArrayDeque<>();

    SecondChance(DiskIndex index, Segments segments, SharedCounters counters) {
        this.index = index;
        this.segments = segments;
        this.counters = counters;
        this.unmaps = new Reclaim(counters::giveBack);
    }

    /** Takes over what other runs have written, in the order they did. */
    void start() {
        segments.all().stream()
                .sorted(Comparator.comparingLong(segment -> segment.oldestValue))
                .forEach(order::add);
    }

    /** A segment that is begun now. */
    void add(Segment segment) {
        order.addLast(segment);
    }

    /** The files that were deleted and are mapped still, by the tier or by views that callers hold. */
    Reclaim unmaps() {
        return unmaps;
    }

    /**
     * Gives up a segment.
     * @param into where what was asked for is written once more, as far as there is room; null gives that up too
     * @return whether there was one
     */
    boolean giveUp(@Nullable LogWriter into) throws IOException {
        Set<Segment> spared = new HashSet<>();
        Segment eldest = next(spared);
        if (eldest == null) {
            return false;
        }
        long[] left = index.evict(eldest, into != null, spared);
        if (into != null) {
            move(eldest, left, into);
            if (eldest.liveEntries.get() > 0) {
                index.evict(eldest, false, Set.of());
            }
        }
        segments.drop(eldest);
        if (Files.deleteIfExists(eldest.file)) {
            unmaps.add(eldest.bytes(), eldest.needed());
            counters.countChange();
        }
        index.forgetTombstones();
        return true;
    }

    private @Nullable Segment next(Set<Segment> spared) {
        Segment first = null;
        for (int i = order.size(); i > 0; i--) {
            Segment segment = order.removeFirst();
            boolean finished = segment.sealed && !segments.hidesOthers(segment);
            if (finished && segment.usedEntries.get() * 4 <= segment.entries.get() * 3) {
                return segment;
            }
            order.addLast(segment);
            if (finished) {
                first = first == null ? segment : first;
                spared.add(segment);
            }
        }
        if (first != null) { // all were asked for: then the first is it
            order.remove(first);
            spared.remove(first);
        }
        return first;
    }

    private void move(Segment eldest, long[] places, LogWriter into) throws IOException {
        ByteBuffer file = eldest.bytes();
        Arrays.sort(places);
        try {
            for (long at : places) {
                if (LogEntry.kind(file, at) == LogEntry.VALUE
                        && index.isWhole(LogEntry.key(file, at), eldest, at)
                        && !into.move(eldest, at)) {
                    return;
                }
            }
            faults.raise();
        } catch (InternalError e) {
            Notice.warn(
                    LOG,
                    "cannot read {} to its end, so that what is left of it is given up: {}",
                    eldest.file,
                    e.toString());
        }
    }
}
