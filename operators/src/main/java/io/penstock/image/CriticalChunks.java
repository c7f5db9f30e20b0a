package io.penstock.image;

import java.nio.ByteBuffer;

/**
 * A PNG reduced to the chunks that make its pixels: header, palette and data. Without the others no decoder applies a
 * profile, composes an animation's frames, or inflates texts.
 */
final class CriticalChunks {

    private CriticalChunks() {}

    /** Copies a PNG whose chunks have been checked. */
    static void copy(ByteBuffer png, ByteBuffer target) {
        target.put(png.slice(0, 8));
        for (int at = 8, type = 0; type != PngHeader.IEND; ) {
            int length = png.getInt(at) + 12;
            type = png.getInt(at + 4);
            if (type == PngHeader.IHDR || type == PngHeader.PLTE || type == PngHeader.IDAT || type == PngHeader.IEND) {
                target.put(png.slice(at, length));
            }
            at += length;
        }
    }
}
