package io.penstock.image;

import io.penstock.image.JpegLayout.Colours;
import java.nio.ByteBuffer;

/**
 * Copies a JPEG without its application segments, except one that states what the components mean. So no decoder
 * guesses otherwise, applies a profile, or fails on a broken one.
 */
final class PlainSegments {

    private static final byte[] JFIF = {
        (byte) 0xFF, (byte) JpegHeader.APP0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0
    };
    private static final byte[] ADOBE = {
        (byte) 0xFF, (byte) JpegHeader.APP14, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0
    };
    private static final byte YCCK = 2;

    /** The number of bytes by which a copy may be longer than the original. */
    static final int MAX_ADDED = JFIF.length;

    private PlainSegments() {}

    /**
     * Copies a JPEG whose segments have been checked.
     * @param colours the meaning of the components, as told to the decoder
     */
    static void copy(ByteBuffer jpeg, Colours colours, ByteBuffer target) {
        target.put((byte) 0xFF).put((byte) JpegHeader.SOI);
        switch (colours) {
            case GREY, YCC -> target.put(JFIF);
            case RGB, CMYK -> target.put(ADOBE).put((byte) 0);
            case YCCK -> target.put(ADOBE).put(YCCK);
        }
        int at = 2;
        while (true) {
            int marker = JpegHeader.nextMarker(jpeg, at);
            int code = jpeg.get(marker + 1) & 0xFF;
            if (code == JpegHeader.SOS) {
                target.put(jpeg.slice(marker, jpeg.limit() - marker));
                return;
            }
            int length = JpegHeader.isBare(code) ? 2 : 2 + (jpeg.getShort(marker + 2) & 0xFFFF);
            boolean application = code >= JpegHeader.APP0 && code <= JpegHeader.APP15 || code == JpegHeader.COM;
            if (!application && !JpegHeader.isBare(code)) {
                target.put(jpeg.slice(marker, length));
            }
            at = marker + length;
        }
    }
}
