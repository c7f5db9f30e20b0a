package io.penstock.image;

import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The EXIF orientation: which of eight flips and turns shows an image upright.
 *
 * @see <a href="https://www.cipa.jp/std/documents/e/DC-008-Translation-2019-E.pdf">EXIF 2.32, tag 274</a>
 */
final class Orientation {

    private static final int TAG = 0x0112;
    private static final int SHORT = 3;

    private Orientation() {}

    /** The orientation in a block of EXIF data. It is 1 if there is none or the block is broken, as EXIF often is. */
    static int read(ByteBuffer exif) {
        int limit = exif.limit();
        if (limit < 8) {
            return 1;
        }
        boolean little = exif.get(0) == 'I' && exif.get(1) == 'I';
        exif.order(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        if (!little && (exif.get(0) != 'M' || exif.get(1) != 'M') || exif.getShort(2) != 42) {
            return 1;
        }
        int directory = exif.getInt(4);
        if (directory < 8 || directory > limit - 2) {
            return 1;
        }
        int entries = exif.getShort(directory) & 0xFFFF;
        for (int i = 0, at = directory + 2; i < entries && at <= limit - 12; i++, at += 12) {
            if ((exif.getShort(at) & 0xFFFF) == TAG) {
                int value = exif.getShort(at + 8);
                return exif.getShort(at + 2) == SHORT && value >= 1 && value <= 8 ? value : 1;
            }
        }
        return 1;
    }

    /** Whether rows become columns. */
    static boolean transposes(int orientation) {
        return orientation >= 5;
    }

    /** The image turned and flipped to be upright. */
    static Tensor apply(int orientation, Tensor image) {
        if (orientation == 1) {
            return image;
        }
        int height = (int) image.shape().dim(0);
        int width = (int) image.shape().dim(1);
        byte[] source = image.toByteArray();
        byte[] target = new byte[source.length];
        // the target of pixel (0, 0), and the steps in the target for a step down and to the right
        boolean transposed = transposes(orientation);
        int across = transposed ? height : width;
        int down = transposed ? width : height;
        boolean fromRight = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
        boolean fromBottom = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
        int stepX = fromRight ? -3 : 3;
        int stepY = fromBottom ? -3 * across : 3 * across;
        int origin = 3 * ((fromRight ? across - 1 : 0) + (fromBottom ? down - 1 : 0) * across);
        int perColumn = transposed ? stepY : stepX;
        int perRow = transposed ? stepX : stepY;
        for (int y = 0, from = 0; y < height; y++) {
            for (int x = 0, to = origin + y * perRow; x < width; x++, from += 3, to += perColumn) {
                target[to] = source[from];
                target[to + 1] = source[from + 1];
                target[to + 2] = source[from + 2];
            }
        }
        return Tensor.ofBytes(target, down, across, 3);
    }
}
