package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The properties of an encoded image before it is decoded, checked against the bytes of the file.
 *
 * @param size the height and width as stored, before the orientation is applied
 * @param orientation the EXIF orientation, 1 to 8
 * @param jpeg the layout of a JPEG, {@link JpegLayout#NONE} for other formats
 */
record Header(Format format, Size size, int orientation, JpegLayout jpeg) {

    enum Format {
        JPEG,
        PNG,
        GIF,
        BMP,
        WEBP
    }

    Header(Format format, Size size, int orientation) {
        this(format, size, orientation, JpegLayout.NONE);
    }

    /**
     * Reads the header of an image that begins at index 0 of the buffer and ends at its limit.
     * @throws FormatException if the bytes are no image, end too early, or announce more than {@code maxPixels}
     */
    static Header read(ByteBuffer bytes, long maxPixels) {
        Header header = parse(bytes);
        long pixels = (long) header.size.height() * header.size.width();
        if (pixels == 0) {
            throw new FormatException(
                    "%s image without pixels: its header says %s".formatted(header.format, header.size));
        }
        if (pixels > maxPixels) {
            throw new FormatException(
                    "%s image is too large: its header says %s, the limit is %d pixels; raise maxPixels, or -Xmx"
                            .formatted(header.format, header.size, maxPixels));
        }
        header.checkPlausible(bytes);
        return header;
    }

    /** The size after the orientation is applied. */
    Size seen() {
        return Orientation.transposes(orientation) ? size.transposed() : size;
    }

    /** The largest of 1, 2, 4 and 8 by which a JPEG can be reduced and still be twice as large as the target. */
    int denominator(Size target) {
        int denominator = format == Format.JPEG ? 8 : 1;
        for (; denominator > 1; denominator /= 2) {
            Size reduced = seen().reduced(denominator);
            if (reduced.height() >= 2L * target.height() && reduced.width() >= 2L * target.width()) {
                break;
            }
        }
        return denominator;
    }

    private static Header parse(ByteBuffer bytes) {
        byte[] first = new byte[Math.min(12, bytes.limit())];
        bytes.get(0, first);
        String start = new String(first, StandardCharsets.ISO_8859_1);
        if (start.isEmpty()) {
            throw new FormatException("not an image: it has no bytes");
        }
        if (start.startsWith("\u00FF\u00D8\u00FF")) {
            return JpegHeader.read(bytes);
        }
        if (start.startsWith("\u0089PNG\r\n\u001A\n")) {
            return PngHeader.read(bytes);
        }
        if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) {
            return GifPicture.readHeader(bytes);
        }
        if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) {
            return WebpHeader.read(bytes);
        }
        if (start.startsWith("BM")) {
            return BmpHeader.read(bytes);
        }
        String hex = HexFormat.ofDelimiter(" ").withUpperCase().formatHex(first, 0, Math.min(4, first.length));
        throw new FormatException("not a JPEG, PNG, GIF, BMP or WebP image: starts with " + hex + " at byte 0");
    }

    /** Refuses a size that even the best compression could not hold: a few bytes can announce gigabytes. */
    private void checkPlausible(ByteBuffer bytes) {
        long pixels = (long) size.height() * size.width();
        long max = switch (format) {
            case JPEG -> jpeg.maxPixels(bytes.limit());
            case PNG -> 1032L * 8 * bytes.limit(); // DEFLATE: 258 bytes in 2 bits, and 8 pixels in a byte
            case GIF, BMP, WEBP -> Long.MAX_VALUE; // one block may stand for any number of pixels
        };
        if (pixels > max) {
            throw new FormatException("truncated %s: %d bytes cannot hold %s".formatted(format, bytes.limit(), size));
        }
    }
}
