package io.penstock.internal.index;

import java.util.Arrays;

/** What was counted for samples, by 64 bits of their keys. Several threads may read it while none writes. */
public final class Known {

    /** Stands for a key that is not known. */
    public static final int NOT = -1;

    private static final int MAX = 1 << 30;

    private long[] keys = new long[1 << 10];
    private int[] counts = filled(keys.length);
    private int size;

    private static int[] filled(int length) {
        int[] made = new int[length];
        Arrays.fill(made, NOT);
        return made;
    }

    private static int place(long key, long[] keys, int[] counts) {
        int at = (int) (key ^ key >>> 32) & keys.length - 1;
        while (counts[at] != NOT && keys[at] != key) {
            at = at + 1 & keys.length - 1;
        }
        return at;
    }

    public void put(long key, int count) {
        if (size * 2L >= keys.length) {
            if (keys.length == MAX) {
                return; // it is counted again
            }
            grow();
        }
        int at = place(key, keys, counts);
        size += counts[at] == NOT ? 1 : 0;
        keys[at] = key;
        counts[at] = count;
    }

    private void grow() {
        long[] more = new long[keys.length * 2];
        int[] theirs = filled(more.length);
        for (int i = 0; i < keys.length; i++) {
            if (counts[i] != NOT) {
                int at = place(keys[i], more, theirs);
                more[at] = keys[i];
                theirs[at] = counts[i];
            }
        }
        keys = more;
        counts = theirs;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** The count, or {@link #NOT}. */
    public int get(long key) {
        return counts[place(key, keys, counts)];
    }
}
