package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * Walks the chunks of a PNG. Each must lie within the file, and critical ones must match their checksum, so no decoder
 * gets a broken file.
 *
 * @see <a href="https://www.w3.org/TR/png-3/#5Chunk-layout">PNG, section 5.3</a>
 */
final class PngHeader {

    private static final int IHDR = 0x49484452;
    private static final int PLTE = 0x504C5445;
    private static final int IDAT = 0x49444154;
    private static final int IEND = 0x49454E44;
    private static final int EXIF = 0x65584966;

    private PngHeader() {}

    static Header read(ByteBuffer bytes) {
        int limit = bytes.limit();
        if (limit < 33) {
            throw truncated(bytes, "no header");
        }
        if (bytes.getInt(8) != 13 || bytes.getInt(12) != IHDR) {
            throw new FormatException("broken PNG: no IHDR at byte 8");
        }
        Size size = new Size(side(bytes, 20), side(bytes, 16));
        int orientation = 1;
        boolean data = false;
        int at = 8;
        while (true) {
            if (limit - at < 12) {
                throw truncated(bytes, "no IEND");
            }
            int length = bytes.getInt(at);
            int type = bytes.getInt(at + 4);
            if (length < 0 || length > limit - at - 12) {
                throw truncated(bytes, "chunk %s at byte %d reaches over the end".formatted(name(type), at));
            }
            if (isCritical(type)) {
                checkSum(bytes, at, length, type);
            }
            if (type == IEND) {
                break;
            }
            data |= type == IDAT && length > 0;
            if (type == EXIF) {
                orientation = Orientation.read(bytes.slice(at + 8, length));
            }
            at += 12 + length;
        }
        if (!data) {
            throw new FormatException("broken PNG: no image data (IDAT)");
        }
        return new Header(Header.Format.PNG, size, orientation);
    }

    /**
     * Copies the chunks that make the pixels of a checked PNG: header, palette and data. Without the others no decoder
     * applies a profile, composes the frames of an animation, or inflates texts.
     */
    static void copyPixels(ByteBuffer png, ByteBuffer target) {
        target.put(png.slice(0, 8));
        for (int at = 8, type = 0; type != IEND; ) {
            int length = png.getInt(at) + 12;
            type = png.getInt(at + 4);
            if (type == IHDR || type == PLTE || type == IDAT || type == IEND) {
                target.put(png.slice(at, length));
            }
            at += length;
        }
    }

    private static int side(ByteBuffer bytes, int at) {
        int side = bytes.getInt(at);
        if (side < 0) {
            throw new FormatException(
                    "broken PNG: a side of %d pixels at byte %d".formatted(Integer.toUnsignedLong(side), at));
        }
        return side;
    }

    /** Whether a decoder must understand the chunk: its first letter is upper case. */
    private static boolean isCritical(int type) {
        return (type & 0x2000_0000) == 0;
    }

    private static void checkSum(ByteBuffer bytes, int at, int length, int type) {
        CRC32 crc = new CRC32();
        crc.update(bytes.slice(at + 4, length + 4));
        int stored = bytes.getInt(at + 8 + length);
        if ((int) crc.getValue() != stored) {
            throw new FormatException("broken PNG: chunk %s at byte %d has CRC %08X, was to be %08X"
                    .formatted(name(type), at, (int) crc.getValue(), stored));
        }
    }

    private static String name(int type) {
        StringBuilder name = new StringBuilder();
        for (int shift = 24; shift >= 0; shift -= 8) {
            char letter = (char) (type >>> shift & 0xFF);
            name.append(letter > ' ' && letter < 0x7F ? letter : '?');
        }
        return name.toString();
    }

    private static FormatException truncated(ByteBuffer bytes, String why) {
        return new FormatException("truncated PNG: %s in %d bytes".formatted(why, bytes.limit()));
    }
}
