package io.penstock.cache.ram;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Slabs by the number that locations in them have. Not thread-safe but for {@link #view}: {@link Slabs} calls the
 * other methods under its lock.
 */
final class NumberedSlabs {

    private @Nullable Slab[] slabs = new Slab[4];

    /** Read-only. Grows by replacement; an element is written before any location in it is published. */
    private volatile @Nullable ByteBuffer[] bytes = new ByteBuffer[4];

    private final Places places;
    private int count;

    NumberedSlabs(Places places) {
        this.places = places;
    }

    /** The next slab; {@code null} if all numbers are used. */
    @Nullable Slab add(SlabMemory.Piece piece, int worth, boolean lazy) {
        int number = count + 1;
        if (number == Places.MAX_COUNT) {
            return null;
        }
        if (number == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * number);
            slabs = Arrays.copyOf(slabs, 2 * number);
        }
        Slab slab = new Slab(piece, number, worth, lazy);
        bytes[number] = slab.bytes.asReadOnlyBuffer();
        slabs[number] = slab;
        count = number;
        return slab;
    }

    /** The slab of a location; {@code null} once it is removed. */
    @Nullable Slab slab(long location) {
        return slabs[Places.number(location)];
    }

    /** The value at a location that {@link Room#fill} filled; {@code null} once it is gone. Needs no lock. */
    @Nullable ByteBuffer view(long location) {
        @Nullable ByteBuffer[] all = bytes;
        int number = Places.number(location);
        ByteBuffer slab = number < all.length ? all[number] : null;
        return slab == null ? null : places.view(slab, location);
    }

    void remove(Slab slab) {
        bytes[slab.number] = null;
        slabs[slab.number] = null;
    }

    void clear() {
        slabs = new Slab[1];
        bytes = new ByteBuffer[1];
    }
}
