package io.penstock.internal.index;

import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A set of indices below n, as n bits with a directory, so that the i-th of them is found in constant time.
 *
 * <p><b>Memory</b>: n bits, and at most 4 % more: the number of ones before each block of 512 bits, relative to that
 * before each 128 blocks, and the word of every 4,096th one.
 * @see <a href="https://doi.org/10.1007/978-3-540-68552-4_12">Vigna, Broadword implementation of rank/select queries</a>
 */
public final class Bits implements Selection {

    private static final int BLOCK = 3; // bits of a word's number within a block
    private static final int WORDS = 1 << BLOCK;

    /** G1 has an array of many words at the start of a region, so that each block from here on is a cache line. */
    private static final int FIRST = 6;

    private static final int COUNTED = 7; // bits of a block's number within those counted from one absolute number
    private static final int HINTED = 12; // bits of a one's number that a hint leaves open

    /** Runs of as many words or more take less memory, 21 bytes each at most. */
    private static final int WORDS_A_RUN = 3;

    /** Ones whose median difference is the step of runs. */
    private static final int SAMPLED = 1_000;

    private static final long BYTES = 0x0101010101010101L;
    private static final long TOPS = 0x8080808080808080L;

    /** The place of a byte's one of a number: at the byte times eight, plus the number. */
    private static final byte[] IN_BYTE = inByte();

    private static final long MAX = ((long) HeapLimit.MAX_ARRAY - FIRST) / WORDS * WORDS * Long.SIZE;

    private final long[] words;
    private final long ones;
    private final long[] before;
    private final char[] within;
    private final int[] hints;

    /** Always 0. A store that might follow keeps the compiler from dropping reads whose sum nothing needs. */
    private long unused;

    /** @param words whole blocks from {@link #FIRST} on */
    private Bits(long[] words) {
        int blocks = (words.length - FIRST) / WORDS + 1; // the last one is empty, and ends the search
        this.words = words;
        this.before = new long[(blocks >>> COUNTED) + 1];
        this.within = new char[blocks];
        int[] found = new int[16];
        int hinted = 0;
        long count = 0;
        for (int block = 0; block < blocks; block++) {
            int absolute = block >>> COUNTED;
            if (block == absolute << COUNTED) {
                before[absolute] = count;
            }
            within[block] = (char) (count - before[absolute]);
            int end = (int) Math.min(words.length - FIRST, (block + 1L) * WORDS);
            for (int word = block * WORDS; word < end; word++) {
                count += Long.bitCount(words[FIRST + word]);
                if ((long) hinted << HINTED < count) {
                    found = hinted < found.length ? found : Arrays.copyOf(found, hinted * 2);
                    found[hinted++] = word;
                }
            }
        }
        this.hints = Arrays.copyOf(found, hinted + 1);
        hints[hinted] = words.length - FIRST;
        this.ones = count;
    }

    /**
     * The indices below {@code n} that a predicate takes; it is called on several threads.
     * @throws IllegalArgumentException if n is negative or more than 137 * 10^9
     */
    public static Bits of(long n, LongPredicate taken) {
        long[] words = new long[length(n)];
        IntStream.range(FIRST, words.length).parallel().forEach(word -> {
            long from = (long) (word - FIRST) * Long.SIZE;
            long count = Math.min(Long.SIZE, n - from);
            long bits = 0;
            for (int bit = 0; bit < count; bit++) {
                bits |= taken.test(from + bit) ? 1L << bit : 0;
            }
            words[word] = bits;
        });
        return new Bits(words);
    }

    /** The number of words for this number of bits. */
    private static int length(long n) {
        Arguments.refuse(n < 0 || n > MAX, "an index has at most %d samples, was asked for %d", MAX, n);
        int bits = WORDS * Long.SIZE;
        return FIRST + (int) ((n + bits - 1) / bits) * WORDS;
    }

    @Override
    public long size() {
        return ones;
    }

    /** The same set, as runs of equal steps where these take less memory. */
    public Selection compact() {
        long step = step();
        int most = words.length / WORDS_A_RUN;
        LongStream.Builder found = LongStream.builder();
        int runs = 0;
        long count = 0;
        long last = -1;
        for (int word = FIRST; word < words.length && runs <= most; word++) {
            long left = step == 1 ? starts(word) : words[word];
            for (; left != 0 && runs <= most; left &= left - 1) { // one word may have more runs than are kept
                int bit = Long.numberOfTrailingZeros(left);
                long index = (word - FIRST) * (long) Long.SIZE + bit;
                if (last < 0 || index - last != step) {
                    found.add(count + Long.bitCount(words[word] & (1L << bit) - 1))
                            .add(index);
                    runs++;
                }
                last = index;
            }
            count += Long.bitCount(words[word]);
        }
        return runs == 0 || runs > most
                ? this
                : new Runs(step, found.add(count).add(last + step).build().toArray());
    }

    /** The difference of most neighbours, where the first ones have one. */
    private long step() {
        long[] steps = LongStream.range(1, Math.min(ones, SAMPLED))
                .map(place -> at(place) - at(place - 1))
                .sorted()
                .toArray();
        return steps.length == 0 ? 1 : steps[steps.length / 2];
    }

    /** The bits of a word behind a zero. */
    private long starts(int word) {
        long last = word == FIRST ? 0 : words[word - 1] >>> Long.SIZE - 1;
        return words[word] & ~(words[word] << 1 | last);
    }

    /** Bytes of memory. */
    public long bytes() {
        return 8L * words.length + 8L * before.length + 2L * within.length + 4L * hints.length;
    }

    private long before(int block) {
        return before[block >>> COUNTED] + within[block];
    }

    @Override
    public long at(long place) {
        return inBlock(found(Objects.checkIndex(place, ones)));
    }

    /**
     * In three steps: a small directory finds the blocks, then their words are read, then counted. The words of many
     * samples lie in no processor's cache, and the waits for them overlap only where no mispredicted branch is between.
     */
    @Override
    public void at(long[] places) {
        for (int i = 0; i < places.length; i++) {
            places[i] = found(Objects.checkIndex(places[i], ones));
        }
        long read = 0;
        for (long place : places) {
            int first = first(place);
            read += words[first] + words[first + WORDS - 1]; // of two cache lines under some collectors
        }
        if (unused != 0) {
            unused = read;
        }
        for (int i = 0; i < places.length; i++) {
            places[i] = inBlock(places[i]);
        }
    }

    /** A block and the number of its ones before a place, as one number. */
    private long found(long place) {
        int block = block(place);
        return (long) block << Integer.SIZE | place - before(block);
    }

    /** The first word of what {@link #found} found. */
    private static int first(long found) {
        return FIRST + (int) (found >>> Integer.SIZE) * WORDS;
    }

    /** The index of what {@link #found} found. The search halves the words three times, without a branch. */
    private long inBlock(long found) {
        int word = first(found);
        int left = (int) found;
        int ones = ones(word) + ones(word + 1) + ones(word + 2) + ones(word + 3);
        int skip = notAbove(ones, left);
        left -= ones & skip;
        word += 4 & skip;
        ones = ones(word) + ones(word + 1);
        skip = notAbove(ones, left);
        left -= ones & skip;
        word += 2 & skip;
        ones = ones(word);
        skip = notAbove(ones, left);
        left -= ones & skip;
        word += 1 & skip;
        return (word - FIRST) * (long) Long.SIZE + inWord(words[word], left);
    }

    /** All bits if a number of ones is at most this one, and none otherwise. */
    private static int notAbove(int ones, int number) {
        return ~(number - ones >> Integer.SIZE - 1);
    }

    private int ones(int word) {
        return Long.bitCount(words[word]);
    }

    /** The last block with at most this number of ones before it: a guess by proportion, and a search where it fails. */
    private int block(long place) {
        int hint = (int) (place >>> HINTED);
        long first = hints[hint];
        long range = hints[hint + 1] - first;
        int guess = (int) (first + ((place & (1 << HINTED) - 1) * range >>> HINTED) >>> BLOCK);
        // most guesses that fail are one block off
        guess += (int) (1 + (place - before(guess + 1) >> Long.SIZE - 1) + (place - before(guess) >> Long.SIZE - 1));
        return before(guess) <= place && before(guess + 1) > place
                ? guess
                : last((int) first / WORDS, hints[hint + 1] / WORDS, each -> before(each) <= place);
    }

    /** The last number of {@code [first, last]} for which something holds that holds for the first, and for all before. */
    static int last(int first, int last, IntPredicate holds) {
        int low = first;
        int high = last;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (holds.test(middle)) {
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
        long gaps = ~words[FIRST + word] & (1L << index) - 1;
        while (gaps == 0 && word > 0) {
            gaps = ~words[FIRST + --word];
        }
        return gaps == 0 ? -1 : (long) word * Long.SIZE + Long.SIZE - 1 - Long.numberOfLeadingZeros(gaps);
    }

    /** Bits that are appended one after another. Not thread-safe. */
    public static final class Builder {

        private final boolean unary;
        private long[] words = new long[FIRST + 2 * WORDS];
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
            int word = FIRST + (int) (length / Long.SIZE);
            if (word == words.length) {
                words = Arrays.copyOf(words, length(Math.min(MAX, length / 2 * 3)));
            }
            words[word] |= taken ? 1L << length : 0;
            length++;
        }

        public Bits build() {
            return new Bits(Arrays.copyOf(words, length(length)));
        }
    }
}
