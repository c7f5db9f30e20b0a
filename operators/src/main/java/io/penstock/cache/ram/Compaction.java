package io.penstock.cache.ram;

import io.penstock.cache.internal.RamIndex;
import java.util.Arrays;

/**
 * Moves the values of a slab that has lost many of its values into one that they fill.
 *
 * <p>Room cannot be used again where it is: views that readers hold may lie there, and nothing counts them. So the
 * values that are left are copied, the index is told, and the old slab goes once its last view has. A reader finds a
 * value in the old slab or in the new one; one that found a location before it changed looks again.
 */
final class Compaction {

    private final Slabs slabs;
    private final Places places;
    private final Slab from;
    private final Slab to;
    private long[] left = new long[64];
    private int[] moved = new int[0];
    private int count;
    private int written;

    Compaction(Slabs slabs, Places places, Slab from, Slab to) {
        this.slabs = slabs;
        this.places = places;
        this.from = from;
        this.to = to;
    }

    /** Compacts the slab with the largest gain; {@code false} if none is worth it. */
    static boolean next(Slabs slabs, RamIndex index) {
        Compaction next = slabs.compactNext();
        if (next != null) {
            next.run(index);
        }
        return next != null;
    }

    /**
     * Copies outside of the index's locks, so that no reader waits for it: nothing is put into the old slab meanwhile.
     */
    private void run(RamIndex index) {
        index.rewrite(this::note);
        Arrays.sort(left, 0, count);
        moved = new int[count];
        for (int i = 0; i < count; i++) {
            int bytes = places.storedBytesAt(from.bytes, left[i]);
            to.bytes.put(written, from.bytes, Places.offset(left[i]), bytes);
            moved[i] = written;
            written += bytes;
        }
        int[] led = new int[1];
        index.rewrite(location -> {
            int i = Places.number(location) == from.number ? Arrays.binarySearch(left, 0, count, location) : -1;
            if (i < 0) {
                return location;
            }
            led[0]++;
            return Places.moved(location, to.number, moved[i]);
        });
        slabs.compacted(from, to, led[0], written);
    }

    private long note(long location) {
        if (Places.number(location) == from.number) {
            if (count == left.length) {
                left = Arrays.copyOf(left, 2 * count);
            }
            left[count++] = location;
        }
        return location;
    }
}
