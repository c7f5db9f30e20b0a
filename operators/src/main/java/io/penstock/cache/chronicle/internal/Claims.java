package io.penstock.cache.chronicle.internal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The room that this process has claimed from the budget of all processes. What is accepted has its place in a segment
 * from then on, so others that fill the disk before it is written down do not take that place. Thread-safe.
 *
 * <p>Segments are begun in the order in which they were claimed. What waits in the order of its claims is therefore
 * written without going back.
 */
final class Claims {

    private static final long MIN_BLOCK = 64L << 20;

    private final Object lock = new Object();
    private final SharedCounters counters;
    private final Deque<Claim> ahead = new ArrayDeque<>();
    private long budget;
    private long segmentBytes;
    private long blockBytes;
    private @Nullable Claim last;
    private boolean closed;

    Claims(SharedCounters counters) {
        this.counters = counters;
    }

    /** A segment that is being written to, or to come. */
    static final class Claim {

        /** What the log of the segment maps at once. */
        final long blockBytes;

        private long reserved;

        /** What is not promised to anything that was accepted. */
        private long left;

        private Claim(long blockBytes, long reserved) {
            this.blockBytes = blockBytes;
            this.reserved = reserved;
            this.left = reserved - ChronicleLog.SEGMENT_OVERHEAD;
        }
    }

    void limit(long bytes, long bytesOfSegment) {
        synchronized (lock) {
            budget = bytes;
            segmentBytes = bytesOfSegment;
        }
    }

    /** Whether {@link #claim} would succeed now. */
    boolean hasRoomFor(long bytes) {
        synchronized (lock) {
            return !closed && (hasLeft(last, bytes) || needed(bytes) <= free(bytes));
        }
    }

    /** The segment in which this process may write this number of bytes; {@code null} if no room is left. */
    @Nullable Claim claim(long bytes) {
        synchronized (lock) {
            Claim claim = hasLeft(last, bytes) ? last : claimSegment(bytes);
            if (claim != null) {
                claim.left -= bytes;
            }
            return claim;
        }
    }

    /** Whether a segment has this number of bytes that no entry has claimed. */
    boolean hasLeft(@Nullable Claim claim, long bytes) {
        synchronized (lock) {
            return claim != null && bytes <= claim.left;
        }
    }

    private static long needed(long bytes) {
        return LogWriter.pages(bytes + ChronicleLog.SEGMENT_OVERHEAD);
    }

    private long free(long bytes) {
        return budget - counters.used() - bytesOfLog(bytes) + unpromised();
    }

    private long bytesOfLog(long bytes) {
        return blockFor(bytes) > blockBytes ? LogWriter.LOG_BYTES : 0;
    }

    /** The pages at the end of the last segment, which go back once another one follows. */
    private long unpromised() {
        return last == null ? 0 : last.left / LogWriter.PAGE * LogWriter.PAGE;
    }

    /** Claims a segment that has room for an entry of this number of bytes. */
    @Nullable Claim claimSegment(long bytes) {
        synchronized (lock) {
            long needed = needed(bytes);
            long free = free(bytes);
            if (closed || needed > free) {
                return null; // and the last segment keeps what is left, for smaller ones
            }
            long reserving = Math.max(needed, Math.min(segmentBytes, free / LogWriter.PAGE * LogWriter.PAGE));
            long back = unpromised();
            long more = bytesOfLog(bytes) - back;
            if (!counters.take(reserving + more, budget)) {
                reserving = needed;
                if (!counters.take(reserving + more, budget)) {
                    return null;
                }
            }
            if (last != null) {
                last.reserved -= back;
                last.left -= back;
            }
            blockBytes = Math.max(blockBytes, blockFor(bytes));
            Claim claim = new Claim(blockBytes, reserving);
            last = claim;
            ahead.add(claim);
            return claim;
        }
    }

    private long blockFor(long entryBytes) {
        long least = Math.max(MIN_BLOCK, Math.max(segmentBytes, 4 * entryBytes + LogWriter.PAGE));
        return Long.highestOneBit(least - 1) << 1;
    }

    /** Bytes that were claimed and not needed. */
    void release(Claim claim, long bytes) {
        synchronized (lock) {
            claim.left += bytes;
        }
    }

    /**
     * The bytes of a segment that is begun now, perhaps once more. Nothing comes any more for those that were claimed
     * before it.
     */
    long begin(Claim claim) {
        synchronized (lock) {
            while (ahead.contains(claim)) {
                Claim next = ahead.remove();
                if (next != claim) {
                    end(next, 0); // all that was to be written there was removed
                }
            }
            return claim.reserved;
        }
    }

    /** Takes back what was written to a segment, up to a position; some of it is to be appended again. */
    void again(Claim claim, long end, List<PendingAppend> some) {
        long promised = some.stream().mapToLong(PendingAppend::bytes).sum();
        release(claim, Math.max(0, end - ChronicleLog.SEGMENT_OVERHEAD) - promised);
    }

    /** Ends a segment that took this number of bytes in the end. */
    void end(Claim claim, long bytes) {
        synchronized (lock) {
            counters.giveBack(Math.max(0, claim.reserved - bytes));
            claim.reserved = bytes;
            claim.left = 0;
        }
    }

    /** Gives back the segments that were not begun, and claims nothing more. */
    void close() {
        synchronized (lock) {
            closed = true;
            for (Claim claim = ahead.poll(); claim != null; claim = ahead.poll()) {
                end(claim, 0);
            }
        }
    }
}
