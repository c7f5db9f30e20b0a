package io.penstock.cache.chronicle.internal;

import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * What lies in one document of the log: padding, a header of 60 bytes, and the value, which begins at a multiple of 64.
 *
 * <p>The header ends where the value begins, so both are found from one position, and a header is in one cache line.
 * Its own checksum covers its place in the file too: what was moved, or is the content of a value, is no header.
 * <pre>
 *  0 magic and kind   4 checksum of the rest and the position   8 key   24 sequence   32 length   36 checksum of the value
 *  40 the provenance: sample   48 state   56 producer
 * </pre>
 */
public final class LogEntry {

    static final int HEADER = 60;
    public static final int ALIGNMENT = 64;
    public static final int WORD = Integer.BYTES; // what Chronicle puts before each document
    public static final int VALUE = 0x01_54_53_50; // "PST", kind 1, little-endian
    public static final int TOMBSTONE = 0x02_54_53_50;

    /** The kind of what is no whole entry. */
    public static final int DAMAGE = 0;

    private static final int CHECK_AT = 4;
    private static final int HIGH_AT = 8;
    private static final int LOW_AT = 16;
    private static final int SEQUENCE_AT = 24;
    private static final int LENGTH_AT = 32;
    private static final int VALUE_CHECK_AT = 36;
    private static final int SAMPLE_AT = 40;
    private static final int STATE_AT = 48;
    private static final int PRODUCER_AT = 56;

    private static final int PIECE = 8 << 10;

    private LogEntry() {}

    /** Where the value lies of the document whose word is at this position. */
    public static long valueAt(long document) {
        return document + WORD + HEADER + ALIGNMENT - 1 & -ALIGNMENT;
    }

    public static long end(long valueAt, int length) {
        return valueAt + length + WORD - 1 & -WORD;
    }

    /** What an entry takes, the padding aside. */
    public static long bytes(int length) {
        return WORD + HEADER + (long) Math.max(0, length);
    }

    /** The max bytes of a document: the padding before the header is less than an alignment. */
    public static long mostBytes(int length) {
        return WORD + ALIGNMENT + HEADER + (long) length;
    }

    /** @param valueCheck of the value, see {@link #checkOf} */
    static ByteBuffer header(
            int kind, SampleKey key, long sequence, int length, int valueCheck, Provenance provenance, long valueAt) {
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(0, kind)
                .putLong(HIGH_AT, key.high())
                .putLong(LOW_AT, key.low())
                .putLong(SEQUENCE_AT, sequence)
                .putInt(LENGTH_AT, length)
                .putInt(VALUE_CHECK_AT, valueCheck)
                .putLong(SAMPLE_AT, provenance.sample())
                .putLong(STATE_AT, provenance.state())
                .putInt(PRODUCER_AT, provenance.producer());
        return header.putInt(CHECK_AT, headerCheck(header, 0, valueAt));
    }

    /** The kind of the whole header before this value, {@link #DAMAGE} if there is none. */
    static int kind(ByteBuffer file, long valueAt) {
        if (valueAt < HEADER || valueAt > file.limit()) {
            return DAMAGE;
        }
        int at = (int) valueAt - HEADER;
        int kind = file.getInt(at);
        int length = file.getInt(at + LENGTH_AT);
        boolean whole = (kind == VALUE || kind == TOMBSTONE)
                && length >= 0
                && length <= file.limit() - valueAt
                && file.getInt(at + CHECK_AT) == headerCheck(file, at, valueAt);
        return whole ? kind : DAMAGE;
    }

    public static SampleKey key(ByteBuffer file, long valueAt) {
        int at = (int) valueAt - HEADER;
        return new SampleKey(file.getLong(at + HIGH_AT), file.getLong(at + LOW_AT));
    }

    static long sequence(ByteBuffer file, long valueAt) {
        return file.getLong((int) valueAt - HEADER + SEQUENCE_AT);
    }

    public static int length(ByteBuffer file, long valueAt) {
        return file.getInt((int) valueAt - HEADER + LENGTH_AT);
    }

    static Provenance provenance(ByteBuffer file, long valueAt) {
        int at = (int) valueAt - HEADER;
        return new Provenance(file.getLong(at + SAMPLE_AT), file.getLong(at + STATE_AT), file.getInt(at + PRODUCER_AT));
    }

    /** The length of this key's value, or -1 if what lies there is something else. */
    static int lengthOf(SampleKey key, ByteBuffer file, long valueAt) {
        if (valueAt < HEADER || valueAt > file.limit()) {
            return -1;
        }
        int at = (int) valueAt - HEADER;
        if (file.getInt(at) != VALUE
                || file.getLong(at + HIGH_AT) != key.high()
                || file.getLong(at + LOW_AT) != key.low()) {
            return -1;
        }
        int length = file.getInt(at + LENGTH_AT);
        return length <= file.limit() - valueAt ? length : -1;
    }

    /** Whether the value of the entry here is what was put. */
    public static boolean matches(ByteBuffer file, long valueAt) {
        return matches(key(file, valueAt), file.slice((int) valueAt, length(file, valueAt)), file, valueAt);
    }

    /** Whether these are the bytes that were put. */
    static boolean matches(SampleKey key, ByteBuffer value, ByteBuffer file, long valueAt) {
        return file.getInt((int) valueAt - HEADER + VALUE_CHECK_AT) == valueCheck(key, value);
    }

    /**
     * By way of the heap: see {@link io.penstock.internal.AccessFaults}. The pieces stay in the processor's
     * cache.
     */
    private static int valueCheck(SampleKey key, ByteBuffer value) {
        CRC32C sum = checkOf(key);
        byte[] piece = new byte[Math.min(PIECE, value.remaining())];
        for (int at = value.position(); at < value.limit(); ) {
            int length = Math.min(piece.length, value.limit() - at);
            value.get(at, piece, 0, length);
            sum.update(piece, 0, length);
            at += length;
        }
        return (int) sum.getValue();
    }

    /** The checksum of a value under this key, still without the value's bytes. */
    static CRC32C checkOf(SampleKey key) {
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(key.high())
                .putLong(key.low())
                .flip());
        return sum;
    }

    private static int headerCheck(ByteBuffer bytes, int at, long valueAt) {
        CRC32C sum = new CRC32C();
        byte[] checked = new byte[HEADER];
        bytes.get(at, checked);
        ByteBuffer.wrap(checked).order(ByteOrder.LITTLE_ENDIAN).putInt(CHECK_AT, (int) (valueAt / ALIGNMENT));
        sum.update(checked);
        return (int) sum.getValue();
    }
}
