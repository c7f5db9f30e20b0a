package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the size of a BMP, and checks that the file holds all its uncompressed pixels.
 *
 * @see <a href="https://learn.microsoft.com/windows/win32/gdi/bitmap-storage">Bitmap storage</a>
 */
final class BmpHeader {

    private static final int CORE = 12;

    private BmpHeader() {}

    static Header read(ByteBuffer bigEndian) {
        ByteBuffer bytes = bigEndian.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int limit = bytes.limit();
        if (limit < 26) {
            throw new FormatException("truncated BMP: no header in %d bytes".formatted(limit));
        }
        int header = bytes.getInt(14);
        if (header == CORE) {
            Size size = new Size(bytes.getShort(20) & 0xFFFF, bytes.getShort(18) & 0xFFFF);
            checkRows(bytes, size, bytes.getShort(24) & 0xFFFF);
            return new Header(Header.Format.BMP, size, 1);
        }
        if (header < 40 || header > 124 || limit < 14 + header) {
            throw new FormatException("broken or truncated BMP: a header of %d bytes in %d".formatted(header, limit));
        }
        int width = bytes.getInt(18);
        int height = bytes.getInt(22);
        if (width < 0 || height == Integer.MIN_VALUE) {
            throw new FormatException("broken BMP: its header says %d x %d pixels".formatted(height, width));
        }
        Size size = new Size(Math.abs(height), width); // negative: stored from the top
        int compression = bytes.getInt(30);
        if (compression == 0 || compression == 3) {
            checkRows(bytes, size, bytes.getShort(28) & 0xFFFF);
        }
        return new Header(Header.Format.BMP, size, 1);
    }

    private static void checkRows(ByteBuffer bytes, Size size, int bits) {
        long pixels = Integer.toUnsignedLong(bytes.getInt(10));
        double row = Math.ceil((double) size.width() * bits / 32) * 4;
        if (row * size.height() > bytes.limit() - pixels) {
            throw new FormatException("truncated BMP: %s of %d bits from byte %d need %.0f bytes, has %d"
                    .formatted(size, bits, pixels, row * size.height(), bytes.limit()));
        }
    }
}
