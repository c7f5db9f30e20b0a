package io.penstock.store.internal;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The bytes of a stream that was deflated: of all its members, one after the other, each with its checksum. What follows
 * a member and is none is an error; the JDK's streams leave it out without a word. Zeros behind a gzip member are
 * padding, as for gzip itself.
 * @see <a href="https://www.rfc-editor.org/rfc/rfc1952">RFC 1952, gzip</a>
 */
public final class InflatedStream extends InputStream {

    /** What is around the deflated bytes. */
    public enum Form {
        GZIP,
        ZLIB,
        RAW
    }

    private static final int MAX_WINDOW = 64 << 10;
    private static final int MIN_WINDOW = 512;
    private static final int MAGIC = 0x8B1F;
    private static final int DEFLATED = 8;
    private static final int HAS_CHECKSUM = 2;
    private static final int HAS_MORE = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int FLAGS_AND_TIME = 6; // and the level and the system

    private final InputStream packed;
    private final Form form;
    private final Inflater inflater;
    private byte[] window = {};
    private final CRC32 crc = new CRC32();
    private int at;
    private int limit;
    private long end; // of the window in the packed stream
    private long start; // of the member
    private boolean isFirst = true;
    private boolean inMember;

    public InflatedStream(InputStream packed, Form form) {
        this.packed = packed;
        this.form = form;
        this.inflater = new Inflater(form != Form.ZLIB);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, into.length);
        if (length == 0) {
            return 0;
        }
        try {
            while (inMember || begins()) {
                int count = inflater.inflate(into, offset, length);
                if (count > 0) {
                    if (form == Form.GZIP) {
                        crc.update(into, offset, count);
                    }
                    return count;
                }
                if (inflater.finished()) {
                    at = limit - inflater.getRemaining();
                    endMember();
                } else if (inflater.needsDictionary()) {
                    throw new IOException("it needs a dictionary that it does not have");
                } else {
                    at = limit;
                    requireMore();
                    inflater.setInput(window, at, limit - at);
                }
            }
            return -1;
        } catch (DataFormatException e) {
            throw broken(new IOException(e.getMessage() == null ? "its bytes make no sense" : e.getMessage(), e));
        } catch (EOFException e) {
            throw broken(e);
        }
    }

    /** Whether another member begins; false at the end. */
    private boolean begins() throws IOException {
        boolean more = hasMore();
        while (more && !isFirst && form == Form.GZIP && window[at] == 0) {
            at++;
            more = hasMore();
        }
        if (!more && !isFirst) {
            return false;
        }
        start = end - limit + at;
        if (form == Form.GZIP) {
            crc.reset();
            if (next() != (MAGIC & 0xFF) || next() != MAGIC >> 8) {
                throw notAMember();
            }
            head();
        } else if (!isFirst && (form == Form.RAW || (window[at] & 0x0F) != DEFLATED)) {
            throw notAMember();
        }
        isFirst = false;
        inMember = true;
        inflater.reset();
        inflater.setInput(window, at, limit - at);
        crc.reset();
        return true;
    }

    private IOException broken(IOException failure) {
        return start > 0 && (!inMember || inflater.getBytesWritten() == 0) ? notAMember() : failure;
    }

    private IOException notAMember() {
        return new IOException(
                start == 0
                        ? "it does not begin as " + form
                        : "what follows its end at byte %d is no more of it".formatted(start));
    }

    private void head() throws IOException {
        if (next() != DEFLATED) {
            throw new IOException("it is not deflated");
        }
        int flags = next();
        skip(FLAGS_AND_TIME);
        if ((flags & HAS_MORE) != 0) {
            skip(next() | next() << Byte.SIZE);
        }
        for (int text : new int[] {HAS_NAME, HAS_COMMENT}) {
            while ((flags & text) != 0 && next() != 0) {}
        }
        long sum = crc.getValue() & 0xFFFF;
        if ((flags & HAS_CHECKSUM) != 0 && (next() | next() << Byte.SIZE) != sum) {
            throw new IOException("its head does not match its checksum");
        }
    }

    private void endMember() throws IOException {
        // of the other forms the inflater has looked at the checksum
        if (form == Form.GZIP) {
            long sum = crc.getValue();
            if (number() != sum || number() != (inflater.getBytesWritten() & 0xFFFF_FFFFL)) {
                throw new IOException("its bytes do not match its checksum");
            }
        }
        inMember = false;
    }

    private long number() throws IOException {
        long number = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            number |= (long) next() << shift;
        }
        return number;
    }

    private void skip(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            next();
        }
    }

    private int next() throws IOException {
        requireMore();
        crc.update(window[at]);
        return window[at++] & 0xFF;
    }

    private void requireMore() throws IOException {
        if (!hasMore()) {
            throw new EOFException("it ends too early");
        }
    }

    private boolean hasMore() throws IOException {
        if (at == limit) {
            if (window.length == 0) {
                window = new byte[Math.max(MIN_WINDOW, Math.min(MAX_WINDOW, packed.available()))];
            }
            limit = Math.max(0, packed.read(window, 0, window.length));
            at = 0;
            end += limit;
        }
        return at < limit;
    }

    @Override
    public void close() throws IOException {
        inflater.end();
        packed.close();
    }
}
