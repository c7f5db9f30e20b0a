package io.penstock.cache.slot;

import io.penstock.fault.FormatException;
import io.penstock.internal.Crc32c;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the first bytes of a file of slots say of the rest.
 *
 * <pre>
 *  0 magic  8 version  12 dtype  20 rank  24 axis lengths  280 samples  288 held  296 boot  304 CRC32C of all that
 * </pre>
 *
 * @param layout of the samples
 * @param held   how many slots there are: the first samples have one each
 * @param boot   the run of the machine that the file was made in: another run's states may have reached a disk before
 *               the bytes they speak of
 */
record SlotHeader(SlotLayout layout, long held, long boot) {

    static final int BYTES = 308;

    /** The magic number of a file that is being made. */
    static final long UNFINISHED = magic("PENSLOT?");

    private static final long FINISHED = magic("PENSLOT1");
    private static final int VERSION = 1;
    private static final int DTYPE = 12;
    private static final int DTYPE_LENGTH = 8;
    private static final int RANK = 20;
    private static final int DIMS = 24;
    private static final int SAMPLES = DIMS + Long.BYTES * SlotLayout.MAX_RANK;
    private static final int HELD = SAMPLES + 8;
    private static final int BOOT = HELD + 8;
    private static final int CHECKSUM = BOOT + 8;

    private static long magic(String text) {
        return buffer(text.getBytes(StandardCharsets.US_ASCII)).getLong(0);
    }

    private static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Whether these are the first bytes of a file that is not complete. */
    static boolean isUnfinished(byte[] start) {
        return start.length >= Long.BYTES && buffer(start).getLong(0) == UNFINISHED;
    }

    ByteBuffer encode() {
        byte[] bytes = new byte[BYTES];
        ByteBuffer out = buffer(bytes);
        out.putLong(0, FINISHED).putInt(8, VERSION);
        out.put(DTYPE, layout.dtype().toString().getBytes(StandardCharsets.US_ASCII));
        out.putInt(RANK, layout.shape().rank());
        for (int axis = 0; axis < layout.shape().rank(); axis++) {
            out.putLong(DIMS + axis * Long.BYTES, layout.shape().dim(axis));
        }
        out.putLong(SAMPLES, layout.samples()).putLong(HELD, held).putLong(BOOT, boot);
        return out.putInt(CHECKSUM, Crc32c.of(bytes, 0, CHECKSUM));
    }

    /**
     * The header of a file.
     * @throws FormatException if it is not one of this version, or damaged
     */
    static SlotHeader decode(byte[] bytes, long fileLength, Path file) {
        if (bytes.length < BYTES || buffer(bytes).getLong(0) != FINISHED) {
            throw new FormatException("%s is not a file of slots; choose another name".formatted(file));
        }
        ByteBuffer in = buffer(bytes);
        if (in.getInt(8) != VERSION) {
            throw new FormatException("%s has slots of format %d, this program writes %d; delete it"
                    .formatted(file, in.getInt(8), VERSION));
        }
        SlotHeader header = in.getInt(CHECKSUM) == Crc32c.of(bytes, 0, CHECKSUM) ? decode(in) : null;
        if (header == null || header.fileLength() != fileLength) {
            throw new FormatException(
                    "%s is damaged: its header does not fit its %d bytes; delete it".formatted(file, fileLength));
        }
        return header;
    }

    private static @Nullable SlotHeader decode(ByteBuffer in) {
        int rank = in.getInt(RANK);
        long held = in.getLong(HELD);
        if (rank < 0 || rank > SlotLayout.MAX_RANK || held < 1 || held > in.getLong(SAMPLES)) {
            return null;
        }
        byte[] label = new byte[DTYPE_LENGTH];
        in.get(DTYPE, label);
        long[] dims = new long[rank];
        for (int axis = 0; axis < rank; axis++) {
            dims[axis] = in.getLong(DIMS + axis * Long.BYTES);
        }
        String dtype = new String(label, StandardCharsets.US_ASCII).trim().toUpperCase(Locale.ROOT);
        try {
            SlotLayout layout = new SlotLayout(in.getLong(SAMPLES), DType.valueOf(dtype), Shape.of(dims));
            return new SlotHeader(layout, held, in.getLong(BOOT));
        } catch (IllegalArgumentException e) {
            return null; // a dtype or a shape that there is not
        }
    }

    long dataOffset() {
        return dataOffset(held);
    }

    private static long dataOffset(long held) {
        long end = SlotFile.SLOTS + held * SlotFile.SLOT_BYTES;
        return (end + SlotFile.PAGE - 1) / SlotFile.PAGE * SlotFile.PAGE;
    }

    long fileLength() {
        return fileLength(layout, held);
    }

    static long fileLength(SlotLayout layout, long held) {
        return dataOffset(held) + held * layout.sampleBytes();
    }
}
