package io.penstock.internal.index;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/**
 * A set of indices below n, as n bits with a directory, so that the i-th of them is found in constant time.
 *
 * <p><b>Memory</b>: n bits, and at most 4 % more: the number of ones before each block of 512 bits, relative to that
 * before each 128 blocks, and the word of every 4,096th one.
 * @see <a href="https://doi.org/10.1007/978-3-540-68552-4_12">Vigna, Broadword implementation of rank/select queries</a>
 */
public final class Bits implements Selection {

    private static final int WORDS = 8; // a block
    private static final int BLOCKS = 128; // counted from one absolute number
    private static final int HINTED = 12; // bits of a one's number that a hint leaves open
    private static final long BYTES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    /** The place of a byte's one of a number: at the byte times eight, plus the number. */
    private static final byte[] IN_BYTE = inByte();

    private static final long MAX = (long) (Integer.MAX_VALUE - 8) * Long.SIZE;

    private final long[] words;
    private final long ones;
    private final long[] before;
    private final char[] within;
    private final int[] hints;

    /** Always 0. A store that might follow keeps the compiler from dropping reads whose sum nothing needs. */
    private long unused;

    private Bits(long[] words) {
        int blocks = (words.length + WORDS - 1) / WORDS + 1; // the last one is empty, and ends the search
        this.words = words;
        this.before = new long[blocks / BLOCKS + 1];
        this.within = new char[blocks];
        int[] found = new int[16];
        int hinted = 0;
        long count = 0;
        for (int block = 0; block < blocks; block++) {
            if (block % BLOCKS == 0) {
                before[block / BLOCKS] = count;
            }
            within[block] = (char) (count - before[block / BLOCKS]);
            int end = (int) Math.min(words.length, (block + 1L) * WORDS);
            for (int word = block * WORDS; word < end; word++) {
                count += Long.bitCount(words[word]);
                if ((long) hinted << HINTED < count) {
                    found = hinted < found.length ? found : Arrays.copyOf(found, hinted * 2);
                    found[hinted++] = word;
                }
            }
        }
        this.hints = Arrays.copyOf(found, hinted + 1);
        hints[hinted] = words.length;
        this.ones = count;
    }

    /**
     * The indices below {@code n} that a predicate takes; it is called on several threads.
     * @throws IllegalArgumentException if n is negative or more than 137 * 10^9
     */
    public static Bits of(long n, LongPredicate taken) {
        long[] words = new long[words(n)];
        IntStream.range(0, words.length).parallel().forEach(word -> {
            long from = (long) word * Long.SIZE;
            int count = (int) Math.min(Long.SIZE, n - from);
            long bits = 0;
            for (int bit = 0; bit < count; bit++) {
                bits |= taken.test(from + bit) ? 1L << bit : 0;
            }
            words[word] = bits;
        });
        return new Bits(words);
    }

    private static int words(long n) {
        if (n < 0 || n > MAX) {
            throw new IllegalArgumentException("an index has at most %d samples, was asked for %d".formatted(MAX, n));
        }
        return (int) ((n + Long.SIZE - 1) / Long.SIZE);
    }

    @Override
    public long size() {
        return ones;
    }

    /** Bytes of memory. */
    public long bytes() {
        return 8L * words.length + 8L * before.length + 2L * within.length + 4L * hints.length;
    }

    private long before(int block) {
        return before[block / BLOCKS] + within[block];
    }

    @Override
    public long at(long place) {
        Objects.checkIndex(place, ones);
        int block = block(place);
        return inBlock(block, (int) (place - before(block)));
    }

    /**
     * In three steps: a small directory finds the blocks, then their words are read, then counted. The words of many
     * samples lie in no processor's cache, and the waits for them overlap only where no mispredicted branch is between.
     */
    @Override
    public void at(long[] places) {
        int[] likely = new int[places.length]; // the words that have them, by proportion
        for (int i = 0; i < places.length; i++) {
            int hint = (int) (Objects.checkIndex(places[i], ones) >>> HINTED);
            int block = block(places[i]);
            int left = (int) (places[i] - before(block));
            int ahead = Math.min(WORDS - 1, left * (hints[hint + 1] - hints[hint]) >>> HINTED);
            likely[i] = Math.min(block * WORDS + ahead, words.length - 1);
            places[i] = (long) block << Integer.SIZE | left;
        }
        long read = 0;
        for (int i = 0; i < places.length; i++) {
            read += words[(int) (places[i] >>> Integer.SIZE) * WORDS] + words[likely[i]];
        }
        if (unused != 0) {
            unused = read;
        }
        for (int i = 0; i < places.length; i++) {
            places[i] = inBlock((int) (places[i] >>> Integer.SIZE), (int) places[i]);
        }
    }

    /** The index of a block's one of this number. */
    private long inBlock(int block, int number) {
        int left = number;
        int word = block * WORDS;
        for (int count = Long.bitCount(words[word]); left >= count; count = Long.bitCount(words[word])) {
            left -= count;
            word++;
        }
        return (long) word * Long.SIZE + inWord(words[word], left);
    }

    /** The last block with at most this number of ones before it: a guess by proportion, and a search where it fails. */
    private int block(long place) {
        int hint = (int) (place >>> HINTED);
        long first = hints[hint];
        long range = hints[hint + 1] - first;
        int guess = (int) (first + ((place & (1 << HINTED) - 1) * range >>> HINTED)) / WORDS;
        if (before(guess) > place) {
            return last(place, (int) first / WORDS, guess - 1);
        }
        return before(guess + 1) > place ? guess : last(place, guess + 1, hints[hint + 1] / WORDS);
    }

    /** The last block of {@code [low, high]} with at most this number of ones before it. */
    private int last(long place, int low, int high) {
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (before(middle) <= place) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /**
     * The place of a word's one of this number, without a branch: the ones up to each byte are counted at once, the bytes
     * that end before the one sought are counted, and a table has the rest.
     */
    private static int inWord(long word, int number) {
        long counts = word - (word >>> 1 & 0x5555555555555555L);
        counts = (counts & 0x3333333333333333L) + (counts >>> 2 & 0x3333333333333333L);
        counts = (counts + (counts >>> 4) & 0x0F0F0F0F0F0F0F0FL) * BYTES;
        int place = Long.bitCount((number * BYTES | TOPS) - counts & TOPS) * Byte.SIZE;
        int before = (int) (counts << Byte.SIZE >>> place & 0xFF);
        return place + IN_BYTE[(int) (word >>> place & 0xFF) << 3 | number - before];
    }

    private static byte[] inByte() {
        byte[] places = new byte[256 * Byte.SIZE];
        for (int bits = 0; bits < 256; bits++) {
            int number = 0;
            for (int place = 0; place < Byte.SIZE; place++) {
                if ((bits >>> place & 1) == 1) {
                    places[bits << 3 | number++] = (byte) place;
                }
            }
        }
        return places;
    }

    /** The largest index below this one that is not in the set; -1 if there is none. */
    long gapBefore(long index) {
        int word = (int) (index / Long.SIZE);
        long gaps = ~words[word] & (1L << index) - 1;
        while (gaps == 0 && word > 0) {
            gaps = ~words[--word];
        }
        return gaps == 0 ? -1 : (long) word * Long.SIZE + Long.SIZE - 1 - Long.numberOfLeadingZeros(gaps);
    }

    /** Bits that are appended one after another. Not thread-safe. */
    public static final class Builder {

        private final boolean unary;
        private long[] words = new long[16];
        private long length;

        /** @param unary whether a count becomes a zero and then as many ones; otherwise it is one bit: more than 0 or not */
        public Builder(boolean unary) {
            this.unary = unary;
        }

        /** Appends what was counted for one sample. */
        public void count(int count) {
            if (!unary) {
                add(count > 0);
                return;
            }
            add(false);
            for (int i = 0; i < count; i++) {
                add(true);
            }
        }

        private void add(boolean taken) {
            int word = (int) (length / Long.SIZE);
            if (word == words.length) {
                words = Arrays.copyOf(words, words(Math.min(MAX, length / 2 * 3)));
            }
            words[word] |= taken ? 1L << length : 0;
            length++;
        }

        public Bits build() {
            return new Bits(Arrays.copyOf(words, words(length)));
        }
    }
}
