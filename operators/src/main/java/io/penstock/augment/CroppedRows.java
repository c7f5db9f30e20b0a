package io.penstock.augment;

import io.penstock.tensor.Tensor;

/** The rows of a rectangle of an image, of any dtype. Pixels outside the image are zero or mirrored. */
final class CroppedRows {

    private final Tensor image;
    private final Image source;
    private final Region region;
    private final Padding padding;
    private final int pixelBytes;
    private final int inside; // the number of a row's pixels that lie in the image
    private final int before; // the number of a row's pixels before these
    private final int from; // the first column of the image

    CroppedRows(Tensor image, Region region, Padding padding) {
        this.image = image;
        this.source = Image.of(image.shape());
        this.region = region;
        this.padding = padding;
        this.pixelBytes = source.channels() * image.dtype().bytes();
        this.from = Math.max(0, region.left());
        this.inside = Math.max(0, Math.min(source.width(), region.left() + region.width()) - from);
        this.before = Math.min(region.width(), from - region.left());
    }

    static CroppedRows whole(Tensor image) {
        return new CroppedRows(image, Image.of(image.shape()).whole(), Padding.ZERO);
    }

    Tensor image() {
        return image;
    }

    Image size() {
        return source.resized(region.height(), region.width());
    }

    /** Whether the rectangle is the image itself. */
    boolean isWhole() {
        return region.equals(source.whole());
    }

    /** Copies row {@code row} of the rectangle to bytes that are still zero. Reads rows in any order. */
    void read(int row, byte[] out, int at) {
        int y = region.top() + row;
        if (y < 0 || y >= source.height()) {
            if (padding == Padding.ZERO) {
                return;
            }
            y = mirrored(y, source.height());
        }
        if (inside > 0) {
            image.copyTo(offset(y, from), out, at + before * pixelBytes, inside * pixelBytes);
        }
        if (padding == Padding.REFLECT && inside < region.width()) {
            mirror(y, 0, before, out, at);
            mirror(y, before + inside, region.width(), out, at);
        }
    }

    private void mirror(int y, int first, int end, byte[] out, int at) {
        for (int i = first; i < end; i++) {
            int x = mirrored(region.left() + i, source.width());
            image.copyTo(offset(y, x), out, at + i * pixelBytes, pixelBytes);
        }
    }

    private int offset(int y, int x) {
        return (y * source.width() + x) * pixelBytes;
    }

    private static int mirrored(int i, int length) {
        int distance = Math.abs(i);
        return distance < length ? distance : 2 * (length - 1) - distance;
    }
}
