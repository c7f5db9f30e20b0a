package io.penstock.augment;

import java.util.random.RandomGenerator;

/**
 * Random rectangles in an image: their area a share of the image's, uniform in a range; their ratio, width by height,
 * uniform in the logarithm over a range; every place equally likely.
 */
record Rectangles(double minScale, double maxScale, double minRatio, double maxRatio) {

    private static final int TRIES = 10;
    private static final double MOST_RATIO = 1000;

    static Rectangles of(double minScale, double maxScale, double minRatio, double maxRatio) {
        return new Rectangles(minScale, maxScale, minRatio, maxRatio);
    }

    Rectangles scale(String what, double low, double high) {
        requireRange(what, low, high, 1);
        return new Rectangles(low, high, minRatio, maxRatio);
    }

    Rectangles ratio(String what, double low, double high) {
        requireRange(what, low, high, MOST_RATIO);
        return new Rectangles(minScale, maxScale, low, high);
    }

    private static void requireRange(String what, double low, double high, double most) {
        if (!(low > 0 && low <= high && high <= most)) {
            throw new IllegalArgumentException("%s must be a range in (0, %s], was %s to %s"
                    .formatted(what, Words.number(most), Words.number(low), Words.number(high)));
        }
    }

    /**
     * The first of ten tries that has a pixel and at most so many rows and columns; empty if none has. Takes 22 numbers
     * whichever it is: a number less would shift the dice of everything that follows.
     */
    Region draw(Image image, int mostRows, int mostColumns, RandomGenerator random) {
        int height = 0;
        int width = 0;
        for (int i = 0; i < TRIES; i++) {
            double share = Dice.between(minScale, maxScale, Dice.unit(random));
            double dice = Dice.unit(random);
            if (height == 0) {
                double area = (double) image.height() * image.width() * share;
                double ratio = Dice.logBetween(minRatio, maxRatio, dice);
                int rows = (int) Math.rint(Math.sqrt(area / ratio));
                int columns = (int) Math.rint(Math.sqrt(area * ratio));
                if (rows > 0 && rows <= mostRows && columns > 0 && columns <= mostColumns) {
                    height = rows;
                    width = columns;
                }
            }
        }
        int top = Dice.below(random, image.height() - height + 1);
        int left = Dice.below(random, image.width() - width + 1);
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

    /** What differs from other ranges, in the form that {@link AugmentSpec} reads. */
    String words(Rectangles usual) {
        String scale = minScale == usual.minScale && maxScale == usual.maxScale
                ? ""
                : ":scale=" + Words.range(minScale, maxScale);
        String ratio = minRatio == usual.minRatio && maxRatio == usual.maxRatio
                ? ""
                : ":ratio=" + Words.range(minRatio, maxRatio);
        return scale + ratio;
    }
}
