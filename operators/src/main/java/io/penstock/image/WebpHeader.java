package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the size and orientation of a WebP.
 *
 * @see <a href="https://developers.google.com/speed/webp/docs/riff_container">WebP container specification</a>
 */
final class WebpHeader {

    private static final int LOSSY = 0x20385056; // "VP8 "
    private static final int LOSSLESS = 0x4C385056; // "VP8L"
    private static final int EXTENDED = 0x58385056; // "VP8X"
    private static final int EXIF = 0x46495845;

    private WebpHeader() {}

    static Header read(ByteBuffer bigEndian) {
        ByteBuffer bytes = bigEndian.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        int limit = bytes.limit();
        if (limit < 30 || Integer.toUnsignedLong(bytes.getInt(4)) > limit - 8) {
            throw new FormatException("truncated WebP: it says %d bytes, has %d"
                    .formatted(limit < 8 ? 0 : Integer.toUnsignedLong(bytes.getInt(4)) + 8, limit));
        }
        Size size = size(bytes);
        int orientation = 1;
        for (int at = 12; at <= limit - 8; ) {
            long length = Integer.toUnsignedLong(bytes.getInt(at + 4));
            if (length > limit - at - 8) {
                break; // the decoder judges what follows the image
            }
            if (bytes.getInt(at) == EXIF) {
                orientation = orientation(bytes.slice(at + 8, (int) length));
            }
            at += (int) Math.min(limit, 8 + length + (length & 1));
        }
        return new Header(Header.Format.WEBP, size, orientation);
    }

    private static int orientation(ByteBuffer exif) {
        boolean prefixed = exif.limit() > 6 && exif.get(0) == 'E' && exif.get(4) == 0;
        return Orientation.read(prefixed ? exif.slice(6, exif.limit() - 6) : exif);
    }

    private static Size size(ByteBuffer bytes) {
        return switch (bytes.getInt(12)) {
            case LOSSY -> new Size(bytes.getShort(28) & 0x3FFF, bytes.getShort(26) & 0x3FFF);
            case LOSSLESS -> {
                int bits = bytes.getInt(21);
                yield new Size((bits >>> 14 & 0x3FFF) + 1, (bits & 0x3FFF) + 1);
            }
            case EXTENDED -> new Size((bytes.getInt(26) >>> 8) + 1, (bytes.getInt(24) & 0xFF_FFFF) + 1);
            default -> throw new FormatException("broken WebP: no VP8, VP8L or VP8X chunk at byte 12");
        };
    }
}
