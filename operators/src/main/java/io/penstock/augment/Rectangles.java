package io.penstock.augment;

import java.util.random.RandomGenerator;

/**
 * Random rectangles in an image. Their area, a share of the image's, is uniform in a range. Their ratio, width by
 * height, is uniform in the logarithm over a range. All positions are equally likely.
 */
record Rectangles(double minScale, double maxScale, double minRatio, double maxRatio) {

    private static final int TRIES = 10;
    private static final double MAX_RATIO = 1000;

    Rectangles scale(String what, double low, double high) {
        requireRange(what, low, high, 1);
        return new Rectangles(low, high, minRatio, maxRatio);
    }

    Rectangles ratio(String what, double low, double high) {
        requireRange(what, low, high, MAX_RATIO);
        return new Rectangles(minScale, maxScale, low, high);
    }

    private static void requireRange(String what, double low, double high, double max) {
        if (!(low > 0 && low <= high && high <= max)) {
            throw new IllegalArgumentException("%s must be a range in (0, %s], was %s to %s"
                    .formatted(what, AugmentWord.text(max), AugmentWord.text(low), AugmentWord.text(high)));
        }
    }

    /**
     * The first of ten tries that has a pixel and at most these rows and columns; empty if none has. Always takes 22
     * numbers, since fewer would change the random numbers of the next transform.
     */
    Region draw(Image image, int maxRows, int maxColumns, RandomGenerator random) {
        int height = 0;
        int width = 0;
        for (int i = 0; i < TRIES; i++) {
            double share = RandomNumbers.between(minScale, maxScale, RandomNumbers.unit(random));
            double unit = RandomNumbers.unit(random);
            if (height == 0) {
                double area = (double) image.height() * image.width() * share;
                double ratio = RandomNumbers.logBetween(minRatio, maxRatio, unit);
                int rows = (int) Math.rint(Math.sqrt(area / ratio));
                int columns = (int) Math.rint(Math.sqrt(area * ratio));
                if (rows > 0 && rows <= maxRows && columns > 0 && columns <= maxColumns) {
                    height = rows;
                    width = columns;
                }
            }
        }
        int top = RandomNumbers.below(random, image.height() - height + 1);
        int left = RandomNumbers.below(random, image.width() - width + 1);
        return height == 0 ? Region.EMPTY : new Region(top, left, height, width);
    }

    /** The largest rectangle of a ratio in range, in the middle. */
    Region centred(Image image) {
        double ratio = (double) image.width() / image.height();
        int height = image.height();
        int width = image.width();
        if (ratio < minRatio) {
            height = (int) Math.rint(width / minRatio);
        } else if (ratio > maxRatio) {
            width = (int) Math.rint(height * maxRatio);
        }
        height = Math.max(1, Math.min(height, image.height()));
        width = Math.max(1, Math.min(width, image.width()));
        return new Region((image.height() - height) / 2, (image.width() - width) / 2, height, width);
    }

    /** The ranges that differ from the defaults, in the form that {@link AugmentSpec} parses. */
    String words(Rectangles usual) {
        String scale = minScale == usual.minScale && maxScale == usual.maxScale
                ? ""
                : ":scale=" + AugmentWord.text(minScale, maxScale);
        String ratio = minRatio == usual.minRatio && maxRatio == usual.maxRatio
                ? ""
                : ":ratio=" + AugmentWord.text(minRatio, maxRatio);
        return scale + ratio;
    }
}
