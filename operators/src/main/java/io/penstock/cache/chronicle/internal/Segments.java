package io.penstock.cache.chronicle.internal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of a cache by the numbers that the index has for them. A number is used once, except by an LRU cache that
 * has used up all of them: the index has no location left of the segments that it dropped. A reader that took a
 * location before that, and finds its segment after it, is told by {@link #reuses} to read the location again.
 */
public final class Segments {

    private final int numbers;
    private final boolean evicts;
    private final Object numbering = new Object();
    private volatile @Nullable Segment[] segments = new Segment[16];
    private volatile boolean reuses;
    private int last;
    private int lastReused;

    /** Those that could not be read any more. */
    private final Queue<Segment> lost = new ConcurrentLinkedQueue<>();

    /**
     * @param numbers at most {@link Location#NUMBERS}
     * @param evicts  whether no location is left of a segment that is dropped
     */
    public Segments(int numbers, boolean evicts) {
        this.numbers = numbers;
        this.evicts = evicts;
    }

    /** A number for a file. Elements are written before any location with their number is published. */
    public Segment add(Path file) {
        synchronized (numbering) {
            Segment segment = new Segment(file, last < numbers - 1 ? ++last : freeNumber());
            @Nullable Segment[] all = segments;
            if (reuses
                    || segment.number
                            == all.length) { // a copy: a reader that sees the segment sees that numbers are reused
                all = Arrays.copyOf(all, Math.max(all.length, 2 * segment.number));
            }
            all[segment.number] = segment;
            segments = all;
            return segment;
        }
    }

    /** The one that was used longest ago, or nearly so. */
    private int freeNumber() {
        for (int i = 1; evicts && i < numbers; i++) {
            lastReused = lastReused % (numbers - 1) + 1;
            if (segments[lastReused] == null) {
                reuses = true;
                return lastReused;
            }
        }
        throw new IllegalStateException("more than %d segments; choose larger ones".formatted(numbers - 1));
    }

    /** Drops a segment: what is found in it from now on is a miss. Whether it was there. */
    public boolean drop(Segment segment) {
        synchronized (numbering) {
            if (segments.length <= segment.number || segments[segment.number] != segment) {
                return false; // dropped before, and its number may be that of another one
            }
            @Nullable Segment[] fewer = segments.clone();
            fewer[segment.number] = null;
            segments = fewer;
            return true;
        }
    }

    /** Drops a segment that cannot be read any more. Whether it was there. */
    boolean lose(Segment segment) {
        boolean first = drop(segment);
        if (first) {
            lost.add(segment);
        }
        return first;
    }

    /** The finished ones of those that were lost and are shorter than their mappings, each once. */
    List<Segment> cut() {
        List<Segment> cut = new ArrayList<>(0);
        lost.removeIf(segment -> {
            boolean finished = segment.sealed;
            if (finished && segment.isShortened()) {
                cut.add(segment);
            }
            return finished;
        });
        return cut;
    }

    /** The segment of a location; {@code null} if it was dropped. */
    public @Nullable Segment of(long location) {
        @Nullable Segment[] all = segments;
        int number = Location.number(location);
        return number < all.length ? all[number] : null;
    }

    /** Whether a segment may be another one than the one its location was of. */
    public boolean reuses() {
        return reuses;
    }

    public List<Segment> all() {
        return Stream.of(segments)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /** Whether nothing in a segment is needed: no value, and no tombstone that hides an older one elsewhere. */
    boolean isSpent(Segment segment) {
        return segment.liveEntries.get() == 0 && !hidesOthers(segment);
    }

    /** Whether there is a tombstone in a segment that may hide an older value elsewhere. */
    boolean hidesOthers(Segment segment) {
        return segment.youngestTombstone >= 0
                && all().stream().anyMatch(other -> other != segment && other.oldestValue < segment.youngestTombstone);
    }

    /** The finished segments of which no value is found any more, and that hide none elsewhere. */
    List<Segment> dead() {
        List<Segment> dead = new ArrayList<>(0);
        for (Segment segment : segments) {
            if (segment != null && segment.sealed && segment.liveEntries.get() == 0 && segment.youngestTombstone < 0) {
                dead.add(segment);
            }
        }
        return dead;
    }

    /** The sequence number of the oldest value in any. */
    long oldestValue() {
        return all().stream().mapToLong(segment -> segment.oldestValue).min().orElse(Long.MAX_VALUE);
    }

    void close() {
        segments = new Segment[1];
    }
}
