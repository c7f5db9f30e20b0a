package io.penstock.internal;

import java.util.Arrays;
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
        int found = Arrays.binarySearch(starts, index);
        if (found < 0) {
            return -found - 2;
        }
        while (starts[found + 1] == index) { // parts without samples begin there, too
            found++;
        }
        return found;
    }

    /** The number that an index has in its part. */
    public long within(long index, int part) {
        return index - starts[part];
    }
}
