package io.penstock.pack;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Assigns lengths to rows by best fit: each goes to the row that it leaves the least room in.
 *
 * <p>Rows are found by their room: a list of rows for each room, and a bit for each list that has one. So a length costs
 * a search over a few machine words, for any number of open rows.
 */
final class BestFit {

    private static final int NONE = -1;

    private final int capacity;
    private final int[] firstWithRoom; // the row that a list begins with, by room
    private final BitSet rooms = new BitSet();
    private int[] nextWithRoom = new int[16]; // the row behind a row in its list
    private int count;

    BestFit(int capacity) {
        this.capacity = capacity;
        this.firstWithRoom = new int[capacity + 1];
        Arrays.fill(firstWithRoom, NONE);
    }

    /** The number of rows in use. */
    int count() {
        return count;
    }

    /** The row of the next length, in {@code [1, capacity]}: one that has room, else a new one. */
    int place(int length) {
        int room = rooms.nextSetBit(length);
        int row;
        if (room < 0) {
            if (count == nextWithRoom.length) {
                nextWithRoom = Arrays.copyOf(nextWithRoom, count + (count >> 1));
            }
            row = count++;
            room = capacity;
        } else {
            row = firstWithRoom[room];
            firstWithRoom[room] = nextWithRoom[row];
            if (firstWithRoom[room] == NONE) {
                rooms.clear(room);
            }
        }
        int left = room - length;
        if (left > 0) {
            nextWithRoom[row] = firstWithRoom[left];
            firstWithRoom[left] = row;
            rooms.set(left);
        }
        return row;
    }
}
