package io.penstock.image;

/**
 * How a JPEG's samples are laid out.
 *
 * @param colours what its components mean
 * @param mcuPixels the pixels that one minimum coded unit covers
 * @param arithmetic whether it is coded arithmetically, not in Huffman codes
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

    /** Each coded unit takes a bit or more in Huffman codes; arithmetic coding has no such bound. */
    long mostPixels(int bytes) {
        return arithmetic ? Long.MAX_VALUE : 8L * bytes * mcuPixels;
    }
}
