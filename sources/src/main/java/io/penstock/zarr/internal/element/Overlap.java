package io.penstock.zarr.internal.element;

import io.penstock.tensor.Shape;

/** The intersection of a chunk and a region, as runs of elements that are contiguous in both. */
final class Overlap {

    private final long[] extents; // of the common box
    private final long[] fromStrides; // in elements of the chunk
    private final long[] toStrides; // in elements of the region
    private final int outer; // axes before those that make one run
    private final long run;
    private long from;
    private long to;

    @FunctionalInterface
    interface Runs {
        void copy(int from, int to, int count);
    }

    Overlap(long[] corner, Shape chunk, long[] start, Shape region) {
        int rank = chunk.rank();
        extents = new long[rank];
        fromStrides = new long[rank];
        toStrides = new long[rank];
        long fromStride = 1;
        long toStride = 1;
        long length = 1;
        int axes = rank;
        boolean joined = true;
        for (int i = rank - 1; i >= 0; i--) {
            long low = Math.max(corner[i], start[i]);
            long high = Math.min(corner[i] + chunk.dim(i), start[i] + region.dim(i));
            extents[i] = Math.max(0, high - low);
            fromStrides[i] = fromStride;
            toStrides[i] = toStride;
            from += (low - corner[i]) * fromStride;
            to += (low - start[i]) * toStride;
            if (joined) {
                length *= extents[i];
                axes = i;
                joined = extents[i] == chunk.dim(i) && extents[i] == region.dim(i);
            }
            fromStride *= chunk.dim(i);
            toStride *= region.dim(i);
        }
        outer = axes;
        run = length;
    }

    void forEach(Runs runs) {
        for (long extent : extents) {
            if (extent == 0) {
                return;
            }
        }
        long[] at = new long[outer];
        while (true) {
            runs.copy((int) from, (int) to, (int) run);
            int axis = outer - 1;
            for (; axis >= 0; axis--) {
                from += fromStrides[axis];
                to += toStrides[axis];
                if (++at[axis] < extents[axis]) {
                    break;
                }
                from -= fromStrides[axis] * extents[axis];
                to -= toStrides[axis] * extents[axis];
                at[axis] = 0;
            }
            if (axis < 0) {
                return;
            }
        }
    }
}
