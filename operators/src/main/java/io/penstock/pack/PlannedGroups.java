package io.penstock.pack;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Grouping;
import java.util.Arrays;

/**
 * Groups one behind another in an order of the sequences.
 *
 * @param ends  of the groups in the order
 * @param words what kind of batches they are
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PlannedGroups(int[] order, int[] ends, Fingerprint fingerprint, String words) implements Grouping {

    @Override
    public long size() {
        return ends.length;
    }

    @Override
    public long[] members(long group) {
        int number = (int) group;
        return Arrays.stream(order, number == 0 ? 0 : ends[number - 1], ends[number])
                .asLongStream()
                .toArray();
    }

    @Override
    public String toString() {
        return "%,d %s from %,d sequences".formatted(ends.length, words, order.length);
    }
}
