package io.penstock.image;

/**
 * The layout of a JPEG's samples.
 *
 * @param colours the meaning of its components
 * @param mcuPixels the number of pixels in a minimum coded unit
 * @param arithmetic whether the coding is arithmetic instead of Huffman
 */
record JpegLayout(Colours colours, int mcuPixels, boolean arithmetic) {

    static final JpegLayout NONE = new JpegLayout(Colours.GREY, 0, false);

    enum Colours {
        GREY,
        YCC,
        RGB,
        CMYK,
        YCCK
    }

    /** A coded unit takes at least one bit in Huffman codes; arithmetic coding has no such bound. */
    long maxPixels(int bytes) {
        return arithmetic ? Long.MAX_VALUE : 8L * bytes * mcuPixels;
    }
}
