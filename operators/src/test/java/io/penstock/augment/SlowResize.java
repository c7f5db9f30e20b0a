package io.penstock.augment;

import io.penstock.tensor.Tensor;

/** The definition of an antialiased bilinear resize, in double precision, each result from all pixels of the region. */
final class SlowResize {

    private SlowResize() {}

    static double[] of(Tensor image, Region region, int rows, int columns) {
        int channels = (int) image.shape().dim(2);
        double[] result = new double[rows * columns * channels];
        for (int i = 0; i < result.length; i++) {
            int channel = i % channels;
            int x = i / channels % columns;
            int y = i / channels / columns;
            double sum = 0;
            double weights = 0;
            for (int sourceY = 0; sourceY < region.height(); sourceY++) {
                for (int sourceX = 0; sourceX < region.width(); sourceX++) {
                    double weight =
                            weight(y, rows, sourceY, region.height()) * weight(x, columns, sourceX, region.width());
                    sum += weight * TestImages.at(image, region.top() + sourceY, region.left() + sourceX, channel);
                    weights += weight;
                }
            }
            result[i] = sum / weights;
        }
        return result;
    }

    private static double weight(int target, int targets, int source, int sources) {
        double scale = (double) sources / targets;
        double distance = Math.abs(source + 0.5 - (target + 0.5) * scale);
        return Math.max(0, 1 - distance / Math.max(1, scale));
    }
}
