package io.penstock.order;

import io.penstock.order.internal.Mixing;
import java.util.Arrays;

/**
 * A pseudo-random permutation of {@code [0, n)} that is computed, not stored: position in, index out, in O(1) memory.
 * {@code docs/order.md} specifies it.
 *
 * <p>Up to 16 positions it is a Fisher-Yates shuffle, packed into one number, so that all orders are equally likely.
 *
 * <p>Beyond, it is a Feistel network over the smallest power of two that holds n, applied again until the result is
 * below n (cycle walking: fewer than two walks on average, since the domain is less than 2n). Feistel networks are
 * permutations for every round function; only the quality depends on the rounds. Six are more than Luby and
 * Rackoff's four [1]. Small domains, whose halves are a few bits wide, get more, because six still prefer some orders
 * there [2]. A network whose halves have two bits or more makes even permutations only; so another bit of the key says
 * whether positions 0 and 1 change places, which makes odd ones as frequent at every n.
 *
 * <ol>
 *   <li>Luby, Rackoff: How to construct pseudorandom permutations, SIAM J. Comput. 17 (1988)
 *   <li>Black, Rogaway: Ciphers with arbitrary finite domains, CT-RSA 2002 (cycle walking, generalised Feistel)
 * </ol>
 */
final class Permutation implements Order.Epoch {

    /** Four bits a position are one number up to here. */
    private static final int PACKED = 16;

    private static final long IN_PLACE = 0xFEDC_BA98_7654_3210L;
    private static final int ROUNDS = 6;
    private static final int SMALL_ROUNDS = 12;
    private static final int TINY_ROUNDS = 24;
    private static final int SMALL_BITS = 16;
    private static final int TINY_BITS = 9;

    /** A value's halves are kept in those of a number, so that both rounds and both masks take one array each. */
    private static final long LOW = (1L << Integer.SIZE) - 1;

    private final long n;
    private final long key;
    private final int rounds;
    private final int rightBits;
    private final long masks;
    private final long flip;
    private final long packed;

    Permutation(long n, long key) {
        this.n = n;
        this.key = key;
        long random = Mixing.mix(key);
        this.flip = random >>> 63;
        this.packed = n <= PACKED ? shuffled((int) n, random) : 0;
        // at least one bit a side; the halves differ by one where the width is odd, and the network alternates
        int bits = Math.max(2, 64 - Long.numberOfLeadingZeros(Math.max(0, n - 1)));
        this.rounds = bits < TINY_BITS ? TINY_ROUNDS : bits < SMALL_BITS ? SMALL_ROUNDS : ROUNDS;
        this.rightBits = bits / 2;
        this.masks = (1L << (bits - rightBits)) - 1 << Integer.SIZE | (1L << rightBits) - 1;
    }

    /** The indices of n positions, four bits each: Fisher-Yates, by the digits of a 64-bit fraction in mixed radix. */
    private static long shuffled(int n, long fraction) {
        long order = IN_PLACE;
        long rest = fraction;
        for (int last = n - 1; last > 0; last--) {
            int radix = last + 1;
            int other = (int) (Math.multiplyHigh(rest, radix) + (rest < 0 ? radix : 0)); // unsigned
            rest *= radix;
            long both = (order >>> 4 * last ^ order >>> 4 * other) & 15;
            order ^= both << 4 * last | both << 4 * other;
        }
        return order;
    }

    @Override
    public long index(long position) {
        long value = first(position);
        while (value >= n) {
            value = encrypt(value);
        }
        return value;
    }

    @Override
    public void indices(long[] positions, long[] turns) {
        Order.Epoch[] same = new Order.Epoch[positions.length];
        Arrays.fill(same, this);
        indices(same, positions);
    }

    /**
     * Replaces positions by the indices there, each in an order of its own. The walks of large permutations take their
     * steps together: C2 makes vectors of a round, and no branch depends on the length of a walk.
     */
    static void indices(Order.Epoch[] orders, long[] positions) {
        if (positions.length == 1) {
            positions[0] = orders[0].index(positions[0]); // in half of the time
            return;
        }
        int[] walking = new int[positions.length];
        int left = 0;
        for (int i = 0; i < positions.length; i++) {
            if (orders[i] instanceof Permutation order && order.rounds == ROUNDS) {
                positions[i] = order.flipped(positions[i]);
                walking[left++] = i;
            } else {
                positions[i] = orders[i].index(positions[i]);
            }
        }
        long[] halves = new long[left];
        long[] keys = new long[left];
        long[] masks = new long[left];
        while (left > 0) {
            for (int j = 0; j < left; j++) {
                Permutation order = (Permutation) orders[walking[j]];
                halves[j] = order.halves(positions[walking[j]]);
                keys[j] = order.key;
                masks[j] = order.masks;
            }
            for (int round = 0; round < ROUNDS; round += 2) {
                leftRound(halves, keys, masks, left, round * Mixing.GOLDEN);
                rightRound(halves, keys, masks, left, (round + 1) * Mixing.GOLDEN);
            }
            int still = 0;
            for (int j = 0; j < left; j++) {
                int i = walking[j];
                Permutation order = (Permutation) orders[i];
                positions[i] = order.whole(halves[j]);
                walking[still] = i;
                still += order.beyond(positions[i]);
            }
            left = still;
        }
    }

    private static void leftRound(long[] halves, long[] keys, long[] masks, int count, long advance) {
        for (int i = 0; i < count; i++) { // of two rounds in one loop C2 makes no vectors
            halves[i] = leftRound(halves[i], keys[i] + advance, masks[i]);
        }
    }

    private static void rightRound(long[] halves, long[] keys, long[] masks, int count, long advance) {
        for (int i = 0; i < count; i++) {
            halves[i] = rightRound(halves[i], keys[i] + advance, masks[i]);
        }
    }

    /** The first step of a walk, or all of it. */
    private long first(long position) {
        return n <= PACKED ? packed >>> 4 * position & 15 : encrypt(flipped(position));
    }

    private long flipped(long position) {
        return position < 2 ? position ^ flip : position;
    }

    /** 1 if a walk goes on from this value, 0 if it ends there. */
    private int beyond(long value) {
        return (int) (n - 1 - value >>> Long.SIZE - 1);
    }

    private long encrypt(long value) {
        long halves = halves(value);
        long roundKey = key;
        for (int round = 0; round < rounds; round += 2) {
            halves = leftRound(halves, roundKey, masks);
            roundKey += Mixing.GOLDEN;
            halves = rightRound(halves, roundKey, masks);
            roundKey += Mixing.GOLDEN;
        }
        return whole(halves);
    }

    private long halves(long value) {
        return value >>> rightBits << Integer.SIZE | value & masks & LOW;
    }

    private long whole(long halves) {
        return halves >>> Integer.SIZE << rightBits | halves & LOW;
    }

    /** Changes the left half by the right one. */
    private static long leftRound(long halves, long roundKey, long masks) {
        return halves ^ scramble(halves & LOW ^ roundKey) & masks & ~LOW;
    }

    /** Changes the right half by the left one. */
    private static long rightRound(long halves, long roundKey, long masks) {
        return halves ^ scramble(halves >>> Integer.SIZE ^ roundKey) >>> Integer.SIZE & masks;
    }

    /** Half of {@link Mixing#mix}; its upper 32 bits are the good ones. */
    private static long scramble(long z) {
        z = (z ^ (z >>> 32)) * 0xBF58476D1CE4E5B9L;
        return (z ^ (z >>> 29)) * 0x94D049BB133111EBL;
    }
}
