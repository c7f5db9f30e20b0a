package io.penstock.augment;

import io.penstock.image.internal.Homography;
import io.penstock.image.internal.Nearest;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * What one draw does to places: a crop that is scaled, a flip, and a warp of what these leave. Coordinates are
 * continuous: pixel (0, 0) covers [0, 1) in both directions.
 *
 * @param source    the size before
 * @param target    the size after
 * @param region    the part of the source that is scaled to the target
 * @param reflects  whether pixels outside the source are mirrored ones
 * @param flipped   whether left and right change places
 * @param back      from the target to the cropped and flipped picture
 */
record Geometry(Image source, Image target, Region region, boolean reflects, boolean flipped, Homography back) {

    boolean isWarped() {
        return !back.equals(Homography.IDENTITY);
    }

    /** Whether it takes whole runs of cells out of the source's rows. */
    boolean isCut() {
        return !isWarped()
                && region.height() == target.height()
                && region.width() == target.width()
                && region.fits(source, 0);
    }

    /** Such runs of a grid of {@code [h, w]} or {@code [h, w, c]}, row by row. */
    Tensor cut(Tensor grid) {
        Shape shape = grid.shape();
        boolean plain = shape.rank() == 2;
        Tensor pixels = plain ? grid.reshape(Shape.of(shape.dim(0), shape.dim(1), 1)) : grid;
        CroppedRows rows = new CroppedRows(pixels, region, Padding.ZERO);
        Tensor taken = new Pass(rows).flipped(flipped).run();
        return plain ? taken.reshape(Shape.of(target.height(), target.width())) : taken;
    }

    /** Where each pixel of the target comes from, as a place in the source; -1 is outside. */
    int[] cells() {
        int[] rows = IntStream.range(0, target.height())
                .map(y -> cell(sourceY(y + 0.5), source.height()))
                .toArray();
        int[] columns = IntStream.range(0, target.width())
                .map(x -> cell(sourceX(x + 0.5), source.width()))
                .toArray();
        int[] unwarped = Nearest.grid(rows, columns, source.width());
        return isWarped() ? warped(unwarped) : unwarped;
    }

    private static int cell(double place, int length) {
        return place >= 0 && place < length ? (int) place : -1;
    }

    private int[] warped(int[] unwarped) {
        int[] from = new int[unwarped.length];
        for (int at = 0; at < from.length; at++) {
            double[] point = middle(at);
            back.map(point);
            from[at] = isInside(point) ? unwarped[((int) point[1]) * target.width() + (int) point[0]] : -1;
        }
        return from;
    }

    /** Of a pixel of the target, by its number. */
    private double[] middle(int pixel) {
        int row = pixel / target.width();
        return new double[] {pixel % target.width() + 0.5, row + 0.5};
    }

    /** Whether a point lies in the target; NaN does not. */
    boolean isInside(double[] point) {
        return point[0] >= 0 && point[0] < target.width() && point[1] >= 0 && point[1] < target.height();
    }

    private double sourceX(double x) {
        double unflipped = flipped ? target.width() - x : x;
        return mirrored(region.left() + unflipped * region.width() / target.width(), source.width());
    }

    private double sourceY(double y) {
        return mirrored(region.top() + y * region.height() / target.height(), source.height());
    }

    /** About the middle of the outermost pixel, which is not repeated. */
    private double mirrored(double place, int length) {
        if (!reflects || (place >= 0 && place < length)) {
            return place;
        }
        return place < 0 ? 1 - place : 2 * length - 1 - place;
    }

    /** Moves a point of the source to the target without the warp. */
    void crop(double[] point) {
        double x = (point[0] - region.left()) * target.width() / region.width();
        point[0] = flipped ? target.width() - x : x;
        point[1] = (point[1] - region.top()) * target.height() / region.height();
    }

    /** Floats of {@code [h, w]} or {@code [h, w, c]}, interpolated between the four nearest; 0 outside. */
    Tensor linear(Tensor values) {
        if (values.dtype() != DType.F32) {
            throw new IllegalArgumentException(
                    "cannot interpolate %s; dense=linear takes f32, dense=nearest any dtype".formatted(values.type()));
        }
        Shape shape = values.shape();
        int channels = shape.rank() == 3 ? (int) shape.dim(2) : 1;
        float[] from = values.toFloatArray();
        boolean warped = isWarped();
        float[] to = new float[target.height() * target.width() * channels];
        for (int at = 0; at < to.length / channels; at++) {
            double[] point = middle(at);
            if (warped) {
                back.map(point);
            }
            if (isInside(point)) {
                mix(from, sourceX(point[0]), sourceY(point[1]), channels, to, at * channels);
            }
        }
        long[] dims = shape.toArray();
        dims[0] = target.height();
        dims[1] = target.width();
        return Tensor.ofFloats(to, dims);
    }

    private void mix(float[] from, double x, double y, int channels, float[] to, int at) {
        if (cell(x, source.width()) < 0 || cell(y, source.height()) < 0) {
            return;
        }
        double left = Math.max(0, Math.min(source.width() - 1, x - 0.5));
        double top = Math.max(0, Math.min(source.height() - 1, y - 0.5));
        int row = ((int) top) * source.width();
        int nextRow = ((int) Math.ceil(top)) * source.width();
        int column = (int) left;
        int nextColumn = (int) Math.ceil(left);
        double right = left - column;
        double down = top - (int) top;
        for (int k = 0; k < channels; k++) {
            double upper =
                    from[(row + column) * channels + k] * (1 - right) + from[(row + nextColumn) * channels + k] * right;
            double lower = from[(nextRow + column) * channels + k] * (1 - right)
                    + from[(nextRow + nextColumn) * channels + k] * right;
            to[at + k] = (float) (upper * (1 - down) + lower * down);
        }
    }
}
