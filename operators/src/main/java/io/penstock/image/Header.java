package io.penstock.image;

import io.penstock.pipeline.FormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What an encoded picture says about itself before it is decoded, checked against the bytes that are there.
 *
 * @param size the height and width as stored, before the orientation is applied
 * @param orientation the EXIF orientation, 1 to 8
 * @param jpeg the layout of a JPEG, or nothing of interest
 */
record Header(Format format, Size size, int orientation, JpegLayout jpeg) {

    private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

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
     * Reads the header of a picture that begins at the buffer's position 0 and ends at its limit.
     * @throws FormatException if the bytes are no picture, end too early, or announce more than {@code maxPixels}
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

    /** The most, of 1, 2, 4 and 8, by which a JPEG can be reduced to still be twice as large as the target. */
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
        int length = bytes.limit();
        if (length == 0) {
            throw new FormatException("not an image: it has no bytes");
        }
        if (length >= 3 && bytes.get(0) == (byte) 0xFF && bytes.get(1) == (byte) 0xD8 && bytes.get(2) == (byte) 0xFF) {
            return JpegHeader.read(bytes);
        }
        if (startsWith(bytes, 0, PNG)) {
            return PngHeader.read(bytes);
        }
        if (startsWith(bytes, 0, "GIF87a") || startsWith(bytes, 0, "GIF89a")) {
            return GifPicture.readHeader(bytes);
        }
        if (startsWith(bytes, 0, "RIFF") && startsWith(bytes, 8, "WEBP")) {
            return WebpHeader.read(bytes);
        }
        if (startsWith(bytes, 0, "BM")) {
            return BmpHeader.read(bytes);
        }
        StringBuilder start = new StringBuilder();
        for (int i = 0; i < Math.min(4, length); i++) {
            start.append(" %02X".formatted(bytes.get(i)));
        }
        throw new FormatException("not a JPEG, PNG, GIF, BMP or WebP image: starts with" + start + " at byte 0");
    }

    private static boolean startsWith(ByteBuffer bytes, int at, String signature) {
        return startsWith(bytes, at, signature.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static boolean startsWith(ByteBuffer bytes, int at, byte[] signature) {
        if (bytes.limit() - at < signature.length) {
            return false;
        }
        for (int i = 0; i < signature.length; i++) {
            if (bytes.get(at + i) != signature[i]) {
                return false;
            }
        }
        return true;
    }

    /** A few bytes can announce a picture of gigabytes; what even the best compression could not hold is refused. */
    private void checkPlausible(ByteBuffer bytes) {
        long pixels = (long) size.height() * size.width();
        long most = switch (format) {
            case JPEG -> jpeg.mostPixels(bytes.limit());
            case PNG -> 1032L * 8 * bytes.limit(); // DEFLATE: 258 bytes in 2 bits, and 8 pixels in a byte
            case GIF, BMP, WEBP -> Long.MAX_VALUE; // one block or less may stand for any number of pixels
        };
        if (pixels > most) {
            throw new FormatException("truncated %s: %d bytes cannot hold %s".formatted(format, bytes.limit(), size));
        }
    }
}
