package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.apache.commons.compress.compressors.snappy.SnappyCompressorInputStream;

/**
 * A Blosc 1 frame: a header of 16 bytes, the starts of the blocks, and the blocks. A block is one stream, or one stream
 * for each byte of the elements, shuffled by bytes or bits.
 *
 * <p>{@code blosc-java} is not used: its only release has natives for x86-64 alone. The compressors inside are
 * libraries; the rest is arithmetic that is bounded and fuzzed here.
 * @see <a href="https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst">the chunk format</a>
 */
final class BloscFrame {

    private static final int HEADER = 16;
    private static final int NEWEST_VERSION = 2;
    private static final int SHUFFLED = 1;
    private static final int PLAIN = 2;
    private static final int BIT_SHUFFLED = 4;
    private static final int NOT_SPLIT = 16;
    private static final int MAX_SPLITS = 16;
    private static final int SMALLEST_SPLIT = 128;
    private static final int SNAPPY_BLOCK = 64 << 10; // no compressor refers farther back
    private static final String[] FORMATS = {"blosclz", "lz4", "snappy", "zlib", "zstd"};

    private final byte[] frame;
    private final ByteBuffer numbers;
    private final int flags;
    private final int typeBytes;
    private final int length;
    private final int blockBytes;

    private BloscFrame(byte[] frame, int max) {
        if (frame.length < HEADER) {
            throw new FormatException("frame ends in its header: has %d bytes".formatted(frame.length));
        }
        this.frame = frame;
        this.numbers = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        this.flags = frame[2] & 0xFF;
        this.typeBytes = Math.max(1, frame[3] & 0xFF);
        this.length = numbers.getInt(4);
        this.blockBytes = numbers.getInt(8);
        int stored = numbers.getInt(12);
        int version = frame[0] & 0xFF;
        if (version > NEWEST_VERSION) {
            throw new FormatException("frame version must be at most %d, was %d".formatted(NEWEST_VERSION, version));
        }
        if (length < 0 || length > max) {
            throw Compressors.tooMany(max);
        }
        if (stored < HEADER || stored != frame.length) {
            throw new FormatException("frame says it has %d bytes, has %d".formatted(stored, frame.length));
        }
        if (length > 0 && (blockBytes <= 0 || blockBytes > Integer.MAX_VALUE / 2)) {
            throw new FormatException("block size must be positive, was %d".formatted(blockBytes));
        }
    }

    static byte[] decode(byte[] bytes, int max) {
        BloscFrame frame = new BloscFrame(bytes, max);
        return frame.length == 0 ? new byte[0] : frame.decode();
    }

    private byte[] decode() {
        if ((flags & PLAIN) != 0) {
            requireWithin(HEADER, length);
            byte[] result = new byte[length];
            System.arraycopy(frame, HEADER, result, 0, length);
            return result;
        }
        int blocks = (int) (((long) length + blockBytes - 1) / blockBytes);
        requireWithin(HEADER, Integer.BYTES * (long) blocks);
        byte[] result = new byte[length];
        boolean bytesShuffled = (flags & SHUFFLED) != 0 && typeBytes > 1;
        boolean bitsShuffled = (flags & BIT_SHUFFLED) != 0;
        byte[] shuffled = bytesShuffled || bitsShuffled ? new byte[Math.min(blockBytes, length)] : result;
        for (int i = 0; i < blocks; i++) {
            int at = i * blockBytes;
            int size = Math.min(blockBytes, length - at);
            inflate(numbers.getInt(HEADER + Integer.BYTES * i), size, shuffled, shuffled == result ? at : 0);
            if (bytesShuffled) {
                Shuffle.undo(shuffled, 0, result, at, size, typeBytes);
            } else if (bitsShuffled) {
                Shuffle.undoBits(shuffled, result, at, size, typeBytes);
            }
        }
        return result;
    }

    private void requireWithin(long at, long count) {
        if (at < HEADER || count < 0 || at + count > frame.length) {
            throw new FormatException(
                    "frame of %d bytes has no bytes [%d, %d)".formatted(frame.length, at, at + count));
        }
    }

    private void inflate(int start, int size, byte[] to, int toAt) {
        boolean whole = size == blockBytes;
        boolean split = (flags & NOT_SPLIT) == 0
                && typeBytes <= MAX_SPLITS
                && blockBytes / typeBytes >= SMALLEST_SPLIT
                && whole;
        int streams = split ? typeBytes : 1;
        int each = size / streams;
        long at = start;
        for (int i = 0; i < streams; i++) {
            requireWithin(at, Integer.BYTES);
            int stored = numbers.getInt((int) at);
            at += Integer.BYTES;
            requireWithin(at, stored);
            // the last stream takes what division leaves over
            int part = i < streams - 1 ? each : size - each * (streams - 1);
            stream((int) at, stored, to, toAt + i * each, part);
            at += stored;
        }
    }

    private void stream(int at, int stored, byte[] to, int toAt, int size) {
        if (stored == size) {
            System.arraycopy(frame, at, to, toAt, size);
            return;
        }
        int format = flags >> 5;
        int came;
        try {
            came = switch (format) {
                case 0 -> BloscLz.decode(frame, at, stored, to, toAt, size);
                case 1 -> Compressors.Lz4.block(frame, at, stored, to, toAt, size);
                case 2 -> snappy(at, stored, to, toAt, size);
                case 3 -> zlib(at, stored, to, toAt, size);
                case 4 -> Compressors.Zstandard.block(frame, at, stored, to, toAt, size);
                default -> throw new FormatException("compressor is not supported: format " + format);
            };
        } catch (FormatException e) {
            throw e;
        } catch (DataFormatException
                | IOException
                | RuntimeException e) { // those of optional libraries have no name here
            throw new FormatException(
                    "%s stream at byte %d is damaged: %s".formatted(FORMATS[format], at, Compressors.reason(e)), e);
        }
        if (came != size) {
            throw new FormatException(
                    "%s stream at byte %d must have %d bytes, has %d".formatted(FORMATS[format], at, size, came));
        }
    }

    private int snappy(int at, int stored, byte[] to, int toAt, int size) throws IOException {
        InputStream in = new ByteArrayInputStream(frame, at, stored);
        try (SnappyCompressorInputStream snappy = new SnappyCompressorInputStream(in, SNAPPY_BLOCK)) {
            return snappy.readNBytes(to, toAt, size);
        }
    }

    private int zlib(int at, int stored, byte[] to, int toAt, int size) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(frame, at, stored);
            int came = 0;
            while (came < size) {
                int more = inflater.inflate(to, toAt + came, size - came);
                if (more == 0) {
                    break;
                }
                came += more;
            }
            return came;
        } finally {
            inflater.end();
        }
    }
}
