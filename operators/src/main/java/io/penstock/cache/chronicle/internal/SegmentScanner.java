package io.penstock.cache.chronicle.internal;

import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;

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
    private static final int END = UNFINISHED | META;
    private static final int LENGTH = META - 1;
    private static final int ZEROS_THAT_END = 1 << 20;
    private static final long NOTHING = -1;

    private final Finds finds;

    /** Receives each entry, in the order of the file. */
    public interface Finds {
        void value(Segment segment, long valueAt, SampleKey key, long sequence, int length);

        void tombstone(Segment segment, SampleKey key, long sequence);

        void damage(Segment segment);
    }

    public SegmentScanner(Finds finds) {
        this.finds = finds;
    }

    /**
     * Scans on from where the last scan stopped. It stops at an unfinished entry of a growing segment, and skips
     * others.
     */
    public void on(Segment segment) {
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
                if (growing || (word & UNFINISHED) == 0 || found > LogEntry.valueAt(segment.walked)) {
                    finds.damage(segment); // a process that is killed while it appends leaves no such gap
                }
                goOn(segment, file, found);
            }
        }
    }

    private boolean step(Segment segment, ByteBuffer file, int word) {
        if ((word & UNFINISHED) != 0) {
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
            if (kind == 0 || LogEntry.end(valueAt, LogEntry.length(file, valueAt)) != documentEnd) {
                return false;
            }
            tell(segment, file, valueAt, kind);
        }
        segment.walked = (int) documentEnd;
        return true;
    }

    private void tell(Segment segment, ByteBuffer file, long valueAt, int kind) {
        SampleKey key = LogEntry.key(file, valueAt);
        long sequence = LogEntry.sequence(file, valueAt);
        if (kind == LogEntry.VALUE) {
            finds.value(segment, valueAt, key, sequence, LogEntry.length(file, valueAt));
        } else {
            finds.tombstone(segment, key, sequence);
        }
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
            int kind = word == LogEntry.VALUE || word == LogEntry.TOMBSTONE ? LogEntry.kind(file, at) : 0;
            if (kind != 0
                    && LogEntry.matches(
                            LogEntry.key(file, at), file.slice((int) at, LogEntry.length(file, at)), file, at)) {
                return at;
            }
        }
        return NOTHING;
    }

    private void goOn(Segment segment, ByteBuffer file, long found) {
        if (found == NOTHING) {
            segment.ended = true;
        } else {
            tell(segment, file, found, LogEntry.kind(file, found));
            segment.walked = (int) LogEntry.end(found, LogEntry.length(file, found));
        }
    }
}
