package io.penstock.cache.internal;

/**
 * Codes of 4 bits for the lengths of values, so that samples of one size need no header to be found. A length that
 * comes twice in a row gets a code while there are free ones. Code 0 stands for no length.
 *
 * <p>Threads: {@link #of} under a lock of the caller's. {@link #length} from any thread that has read a code that was
 * published after it was given.
 */
public final class LengthCodes {

    private static final int CODES = 1 << 4;

    private final int[] lengths = new int[CODES];
    private int codes = 1;
    private int last = -1;

    /** The code of a length, or 0. */
    public int of(int length) {
        for (int code = 1; code < codes; code++) {
            if (lengths[code] == length) {
                return code;
            }
        }
        if (length == last && codes < CODES) {
            lengths[codes] = length;
            return codes++;
        }
        last = length;
        return 0;
    }

    public int length(int code) {
        return lengths[code];
    }
}
