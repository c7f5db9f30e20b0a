package io.penstock.image.internal;

/**
 * Arrays for what is between two passes over an image, each thread's own. A new array has to be cleared and lies
 * outside the processor's cache: 400 x 400 pixels to 224 x 224 take 0.28 ms by these, 0.40 ms by new arrays.
 *
 * <p>Memory: at most 1 MiB for each of them and each thread. What is longer is made anew, and not kept.
 */
final class Scratch {

    static final Scratch ROWS = new Scratch();
    static final Scratch COLUMNS = new Scratch();

    private static final int KEPT = 1 << 20;

    private final ThreadLocal<byte[]> kept = ThreadLocal.withInitial(() -> new byte[0]);

    private Scratch() {}

    /** An array of at least this length, with anything in it, until the thread's next call. */
    byte[] array(int length) {
        byte[] array = kept.get();
        if (array.length < length) {
            array = new byte[length];
            if (length <= KEPT) {
                kept.set(array);
            }
        }
        return array;
    }
}
