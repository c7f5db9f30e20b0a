package io.penstock.augment;

import java.util.Locale;
import java.util.function.Consumer;

/**
 * What a box became.
 *
 * @param number  its row before
 * @param from    the box before
 * @param to      the box after, clipped to the picture; without area if it left the picture
 * @param visible the share of its area that is still in the picture, in [0, 1]
 * @param kept    false if it was dropped
 */
public record BoxMove(int number, Box from, Box to, double visible, boolean kept) {

    /** The upright rectangle between two corners, in pixels. */
    public record Box(double x1, double y1, double x2, double y2) {

        /** The rectangle around what its corners become. */
        Box moved(Consumer<double[]> by) {
            double[][] corners = {{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}};
            double[] box = {Double.MAX_VALUE, Double.MAX_VALUE, -Double.MAX_VALUE, -Double.MAX_VALUE};
            for (double[] corner : corners) {
                by.accept(corner);
                for (int axis = 0; axis < 2; axis++) {
                    box[axis] = Math.min(box[axis], corner[axis]); // NaN stays
                    box[axis + 2] = Math.max(box[axis + 2], corner[axis]);
                }
            }
            return new Box(box[0], box[1], box[2], box[3]);
        }

        Box clipped(Region to) {
            return new Box(
                    clip(x1, to.left(), to.width()),
                    clip(y1, to.top(), to.height()),
                    clip(x2, to.left(), to.width()),
                    clip(y2, to.top(), to.height()));
        }

        private static double clip(double place, int start, int length) {
            return Math.max(start, Math.min(start + length, place));
        }

        double area() {
            return (x2 - x1) * (y2 - y1);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "[%.1f, %.1f, %.1f, %.1f]", x1, y1, x2, y2);
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s to %s, %.2f visible", from, kept ? to : "dropped", visible);
    }
}
