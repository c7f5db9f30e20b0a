package io.penstock.image;

/** The height and width of a picture, in pixels. */
record Size(int height, int width) {

    /** What decoding to one in so many leaves: the last may hang over the edge. */
    Size reduced(int denominator) {
        return new Size((height + denominator - 1) / denominator, (width + denominator - 1) / denominator);
    }

    Size transposed() {
        return new Size(width, height);
    }

    @Override
    public String toString() {
        return height + " x " + width + " pixels";
    }
}
