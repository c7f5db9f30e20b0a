package io.penstock.augment;

/** An image that is read row by row, once each, from the first to the last. For one thread and one pass. */
interface Rows {

    /** The image that comes of it. */
    Image size();

    /** Writes one row's elements, in the source's dtype, to an array whose bytes there are still zero. */
    void read(int row, byte[] out, int at);
}
