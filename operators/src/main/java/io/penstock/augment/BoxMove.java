package io.penstock.augment;

import java.util.Locale;

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

        static Box around(double[][] points) {
            double x1 = points[0][0];
            double y1 = points[0][1];
            double x2 = x1;
            double y2 = y1;
            for (double[] point : points) {
                x1 = Math.min(x1, point[0]);
                y1 = Math.min(y1, point[1]);
                x2 = Math.max(x2, point[0]);
                y2 = Math.max(y2, point[1]);
            }
            return new Box(x1, y1, x2, y2);
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

        boolean isFinite() {
            return Double.isFinite(x1) && Double.isFinite(y1) && Double.isFinite(x2) && Double.isFinite(y2);
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "[%.1f, %.1f, %.1f, %.1f]", x1, y1, x2, y2);
        }
    }

    @Override
    public String toString() {
        String became = kept ? to.toString() : "dropped";
        return String.format(Locale.ROOT, "%s to %s, %.2f visible", from, became, visible);
    }
}
