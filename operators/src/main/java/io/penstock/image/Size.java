package io.penstock.image;

/** The height and width of a picture, in pixels. */
record Size(int height, int width) {

    /** The size after decoding to 1/denominator. The last row and column may reach over the edge. */
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
