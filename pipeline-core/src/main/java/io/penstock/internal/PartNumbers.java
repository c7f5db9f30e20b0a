package io.penstock.internal;

import java.util.Objects;
import java.util.function.IntToLongFunction;

/** The samples of several parts, such as files, numbered on: which part has an index, and its number in that part. */
public final class PartNumbers {

    private final long[] starts; // of each part, then the number of all samples

    /** @param sizes the number of samples of each part */
    public PartNumbers(int parts, IntToLongFunction sizes) {
        this.starts = new long[parts + 1];
        for (int part = 0; part < parts; part++) {
            starts[part + 1] = Math.addExact(starts[part], sizes.applyAsLong(part));
        }
    }

    /** The number of samples of all parts. */
    public long size() {
        return starts[starts.length - 1];
    }

    /** The number of samples of a part. */
    public long size(int part) {
        return starts[part + 1] - starts[part];
    }

    /**
     * The part that has an index.
     * @throws IndexOutOfBoundsException if none has it
     */
    public int part(long index) {
        Objects.checkIndex(index, size());
        int found = 0; // the last part that begins there or before; shuffled indices would mispredict branches
        for (int left = starts.length - 1; left > 1; left -= left >>> 1) {
            int half = left >>> 1;
            found += half & (int) ~(index - starts[found + half] >> Long.SIZE - 1);
        }
        return found;
    }

    /** The number that an index has in its part. */
    public long within(long index, int part) {
        return index - starts[part];
    }
}
