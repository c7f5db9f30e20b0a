package io.penstock.cache.ram;

import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One piece of the memory that {@link Slabs} hands out, and what is known of it. Guarded by the lock of its owner. */
final class Slab {

    static final int FEW_PARTS = 16;

    private static final int LARGEST = 1 << Places.OFFSET_BITS;
    private static final int SMALLEST = 4 << 20;
    private static final int SMALLEST_OF_MANY = 256 << 10;

    /** To be read, and written where there is no {@link #file} to do it. */
    final ByteBuffer bytes;

    private final @Nullable MemoryFile file;
    final int number;
    final int worth;

    /** Whether its pages cost nothing until they are touched. */
    final boolean lazy;

    /** Where the next value begins; the end for a slab that belongs to one value. */
    int position;

    /** Up to where memory is taken for values. */
    private int taken;

    /** What it has cost so far, what was {@linkplain #advance paid in advance} included. */
    long paid;

    /** For what is taken ahead. */
    int advance;

    /** Values in it that a key leads to. */
    int alive;

    /** Rooms in it that are handed out and not yet {@linkplain Slabs#finish finished}: it stays while there are any. */
    int filling;

    /** Bytes that were handed out and that no key leads to any more. */
    int dead;

    /** What of {@link #dead} counts as reclaimable. */
    int counted;

    /** What it had cost of the values that were moved out of it. */
    long movedCost;

    boolean dropped;

    Slab(SlabMemory.Piece memory, int number, int worth, boolean lazy) {
        this.bytes = memory.bytes();
        this.file = memory.file();
        this.number = number;
        this.worth = worth;
        this.lazy = lazy;
    }

    /**
     * The size of a slab of many values: a small part of the budget, so that the last page of each and the empty pages
     * of the file after them do not count.
     */
    static int bytes(long budget, int parts) {
        int smallest = parts > FEW_PARTS ? SMALLEST_OF_MANY : SMALLEST;
        return (int) Math.max(smallest, Math.min(LARGEST, Long.highestOneBit(Math.max(1, budget / parts))));
    }

    boolean isFile() {
        return file != null;
    }

    /** Copies a value to a place that was handed out. Needs no lock. */
    void write(int at, Encoded value, boolean small) throws IOException {
        if (file == null) {
            value.copyTo(bytes, at);
        } else {
            file.write(at, value, small);
        }
    }

    /** No room is handed out of it any more, and all that was is finished. */
    void seal() {
        if (file != null) {
            file.close();
        }
    }

    /** All of it will be read: its pages are made ready for that. */
    void mapAhead() {
        if (file != null) {
            file.mapAhead();
        }
    }

    int left() {
        return Math.min(bytes.capacity(), Places.OWN) - position;
    }

    /** Hands out the next bytes, of which those of a small value take memory ahead. Says where they begin. */
    int handOut(int length, int ahead) {
        int at = position;
        position += length;
        int step = isFile() && Places.isSmall(length) ? ahead : Slabs.PAGE;
        taken = lazy ? Math.max(taken, position + (-position & step - 1)) : position;
        return at;
    }

    /** What is taken behind the last value. */
    int leftAhead() {
        return taken - position;
    }
}
