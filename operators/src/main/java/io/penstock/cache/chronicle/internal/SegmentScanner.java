package io.penstock.cache.chronicle.internal;

import io.penstock.internal.AccessFaults;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Scans the documents of a segment from header to header. It trusts none: Chronicle's word and our header must agree
 * and lie within the file. Where they do not, the scan goes on at the next position where a whole header lies. So a
 * flipped bit costs one sample and not all after it.
 *
 * <p>Chronicle's words: 30 bits of length, bit 30 for its own documents, bit 31 for unfinished ones; 0 where nothing
 * was written yet, and both bits without a length at the end of a file that was rolled.
 * @see <a href="https://github.com/OpenHFT/RFC/blob/master/Size-Prefixed-Blob/Size-Prefixed-Blob-0.1.md">Size Prefixed
 *     Blob</a>
 */
public final class SegmentScanner {

    private static final int UNFINISHED = 1 << 31;
    private static final int META = 1 << 30;
    static final int END = UNFINISHED | META;
    private static final int LENGTH = META - 1;
    private static final int ZEROS_THAT_END = 1 << 20;
    private static final long NOTHING = -1;

    private final Finds finds;
    private final AccessFaults faults = new AccessFaults();

    /** Receives what lies in a segment, in the order of the file. */
    public interface Finds {

        /**
         * An entry, or a place where none is legible.
         * @param kind    {@link LogEntry#VALUE}, {@link LogEntry#TOMBSTONE} or {@link LogEntry#DAMAGE}
         * @param valueAt where its value begins; of damage, where the damage does
         */
        void entry(Segment segment, int kind, long valueAt);
    }

    public SegmentScanner(Finds finds) {
        this.finds = finds;
    }

    /** Whether a word is that of a document that its writer has not finished. */
    public static boolean isUnfinished(int word) {
        return (word & UNFINISHED) != 0;
    }

    /**
     * Scans on from where the last scan stopped. It stops at an unfinished entry of a growing segment, and skips
     * others.
     * @return what an access to the file failed with, {@code null} if none did: the file was cut shorter while it was
     *     read, or another one that this thread has read before
     */
    public @Nullable InternalError scan(Segment segment) {
        try {
            scanOn(segment);
            faults.raise();
            return null;
        } catch (InternalError e) {
            return e;
        }
    }

    private void scanOn(Segment segment) {
        boolean growing = segment.growing;
        ByteBuffer file = segment.bytes();
        while (!segment.ended && segment.walked <= file.limit() - LogEntry.WORD) {
            int word = Segment.wordAt(file, segment.walked);
            if (word == 0 || growing && (word & END) == UNFINISHED) {
                return;
            }
            if (word == END) {
                segment.ended = true;
                segment.sealed = true;
            } else if (!step(segment, file, word)) {
                long found = growing ? NOTHING : next(segment, file);
                if (growing || !isUnfinished(word) || found > LogEntry.valueAt(segment.walked)) {
                    // a process that is killed while it appends leaves no such gap
                    finds.entry(segment, LogEntry.DAMAGE, segment.walked);
                }
                goOn(segment, file, found);
            }
        }
    }

    private boolean step(Segment segment, ByteBuffer file, int word) {
        if (isUnfinished(word)) {
            return false;
        }
        long documentEnd =
                (long) segment.walked + LogEntry.WORD + ((word & LENGTH) + LogEntry.WORD - 1 & -LogEntry.WORD);
        if (documentEnd > file.limit()) {
            return false;
        }
        if ((word & META) == 0) {
            long valueAt = LogEntry.valueAt(segment.walked);
            int kind = LogEntry.kind(file, valueAt);
            if (kind == LogEntry.DAMAGE || LogEntry.end(valueAt, LogEntry.length(file, valueAt)) != documentEnd) {
                return false;
            }
            finds.entry(segment, kind, valueAt);
        }
        segment.walked = (int) documentEnd;
        return true;
    }

    /** Where the next whole entry's value lies, or {@link #NOTHING}; it is checked too, since it may be unfinished. */
    private static long next(Segment segment, ByteBuffer file) {
        int zeros = 0;
        for (long at = LogEntry.valueAt(segment.walked); at <= file.limit(); at += LogEntry.ALIGNMENT) {
            int word = file.getInt((int) at - LogEntry.HEADER);
            zeros = word == 0 ? zeros + LogEntry.ALIGNMENT : 0;
            if (zeros > ZEROS_THAT_END) {
                break;
            }
            boolean magic = word == LogEntry.VALUE || word == LogEntry.TOMBSTONE;
            if (magic && LogEntry.kind(file, at) != LogEntry.DAMAGE && LogEntry.matches(file, at)) {
                return at;
            }
        }
        return NOTHING;
    }

    private void goOn(Segment segment, ByteBuffer file, long found) {
        if (found == NOTHING) {
            segment.ended = true;
        } else {
            finds.entry(segment, LogEntry.kind(file, found), found);
            segment.walked = (int) LogEntry.end(found, LogEntry.length(file, found));
        }
    }
}
