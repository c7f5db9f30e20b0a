package io.penstock.cache.slot;

import io.penstock.cache.SampleKey;
import io.penstock.internal.Arguments;
import java.util.function.LongFunction;

/**
 * From the keys of a data set to its slots: 16 bytes a key and 6 bytes of hash table, so 22 bytes a slot, on the heap.
 * Where two samples have one key the first one's slot serves both. Immutable.
 */
final class KeyTable implements SlotKeys {

    private static final int PER_PIECE = 1 << 26;

    private final long count;
    private final long[][] keys;
    private final int[][] places; // slot + 1, or 0
    private final long placeCount;
    private final SampleKey id;

    KeyTable(long count, LongFunction<SampleKey> keyOf) {
        Arguments.refuse(count >= Integer.MAX_VALUE, "a tier over slots knows at most 2^31 - 2 of them, was %s", count);
        this.count = count;
        this.placeCount = count + count / 2 + 2;
        this.keys = new long[pieces(2 * count)][];
        this.places = new int[pieces(placeCount)][];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = new long[(int) Math.min(PER_PIECE, 2 * count - (long) i * PER_PIECE)];
        }
        for (int i = 0; i < places.length; i++) {
            places[i] = new int[(int) Math.min(PER_PIECE, placeCount - (long) i * PER_PIECE)];
        }
        SampleKey folded = SampleKey.of("slots");
        for (long slot = 0; slot < count; slot++) {
            SampleKey key = keyOf.apply(slot);
            set(slot, key);
            insert((int) slot, key);
            folded = folded.with(key);
        }
        this.id = folded;
    }

    private static int pieces(long cells) {
        return (int) ((cells + PER_PIECE - 1) / PER_PIECE);
    }

    private void set(long slot, SampleKey key) {
        keys[(int) (2 * slot / PER_PIECE)][(int) (2 * slot % PER_PIECE)] = key.high();
        keys[(int) (2 * slot / PER_PIECE)][(int) (2 * slot % PER_PIECE) + 1] = key.low();
    }

    private void insert(int slot, SampleKey key) {
        for (long at = home(key); ; at = at + 1 == placeCount ? 0 : at + 1) {
            int[] piece = places[(int) (at / PER_PIECE)];
            int held = piece[(int) (at % PER_PIECE)];
            if (held == 0) {
                piece[(int) (at % PER_PIECE)] = slot + 1;
                return;
            }
            if (isKey(held - 1L, key)) {
                return;
            }
        }
    }

    /** The slot of a key, or -1. */
    long slot(SampleKey key) {
        for (long at = home(key); ; at = at + 1 == placeCount ? 0 : at + 1) {
            int held = places[(int) (at / PER_PIECE)][(int) (at % PER_PIECE)];
            if (held == 0) {
                return -1;
            }
            if (isKey(held - 1L, key)) {
                return held - 1L;
            }
        }
    }

    private boolean isKey(long slot, SampleKey key) {
        return high(slot) == key.high() && low(slot) == key.low();
    }

    @Override
    public long high(long slot) {
        return keys[(int) (2 * slot / PER_PIECE)][(int) (2 * slot % PER_PIECE)];
    }

    @Override
    public long low(long slot) {
        return keys[(int) (2 * slot / PER_PIECE)][(int) (2 * slot % PER_PIECE) + 1];
    }

    private long home(SampleKey key) {
        long mixed = (key.high() ^ Long.rotateLeft(key.low(), 32)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 32) * 0x94D049BB133111EBL;
        return Math.multiplyHigh(mixed >>> 1, placeCount << 1);
    }

    long count() {
        return count;
    }

    @Override
    public SampleKey id() {
        return id;
    }
}
