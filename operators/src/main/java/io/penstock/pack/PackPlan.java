package io.penstock.pack;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Grouping;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which sequences go into which row: a pure function of the lengths, the row size and the seed. {@link Packing#plan}
 * makes it.
 *
 * <p>Sequences are taken in a random order of the seed, in windows of 4,096. Within a window the longest goes first,
 * each to the row that it leaves the least room in: best fit decreasing. Rows with room stay open for later windows.
 * Within its row a sequence has the place that the random order gives it, so places say nothing about lengths.
 *
 * <p><b>Memory</b>: 8 bytes a sequence and 4 a row, and 4 more a sequence where long ones are split. <b>Threads</b>:
 * immutable.
 */
public final class PackPlan implements Grouping {

    /** Sorted at once: few enough for the processor's caches. */
    private static final int WINDOW = 4_096;

    private final int rowSize;
    private final int[] lengths;
    private final Pieces pieces;
    private final int[] firsts; // of each row among the pieces, and the end of the last one
    private final Fingerprint fingerprint;

    private PackPlan(int rowSize, int[] lengths, Pieces pieces, int[] firsts, Fingerprint fingerprint) {
        this.rowSize = rowSize;
        this.lengths = lengths;
        this.pieces = pieces;
        this.firsts = firsts;
        this.fingerprint = fingerprint;
    }

    /** What goes into rows: sequences, or parts of one from a token on. All begin at 0 if there are no begins. */
    private static final class Pieces {

        final int[] sequences;
        final int @Nullable [] begins;

        Pieces(int[] sequences, int @Nullable [] begins) {
            this.sequences = sequences;
            this.begins = begins;
        }

        int count() {
            return sequences.length;
        }

        int begin(int piece) {
            return begins == null ? 0 : begins[piece];
        }

        /** The same pieces in another order: piece i goes to {@code places[i]}. */
        Pieces at(int[] places) {
            int[] moved = new int[count()];
            int @Nullable [] movedBegins = begins == null ? null : new int[count()];
            for (int i = 0; i < places.length; i++) {
                moved[places[i]] = sequences[i];
                if (begins != null && movedBegins != null) {
                    movedBegins[places[i]] = begins[i];
                }
            }
            return new Pieces(moved, movedBegins);
        }
    }

    static PackPlan of(int rowSize, TooLong tooLong, long seed, int[] given) {
        int[] lengths = Lengths.checked(given);
        Pieces shuffled = pieces(rowSize, tooLong, seed, lengths);
        PackPlan unplaced = new PackPlan(
                rowSize,
                lengths,
                shuffled,
                new int[0],
                Lengths.fingerprint(
                        "rows of %d tokens, %s what is too long, seed %d"
                                .formatted(rowSize, tooLong.name().toLowerCase(Locale.ROOT), seed),
                        lengths));
        return unplaced.placed();
    }

    private static Pieces pieces(int rowSize, TooLong tooLong, long seed, int[] lengths) {
        if (tooLong == TooLong.FAIL) {
            refuseTooLong(rowSize, lengths);
        }
        boolean split = tooLong == TooLong.SPLIT;
        int[] order = Lengths.shuffled(lengths.length, seed);
        long count = 0;
        for (int length : lengths) {
            count += length == 0 ? 0 : split ? (length - 1) / rowSize + 1 : 1;
        }
        int[] sequences = new int[Math.toIntExact(count)];
        int @Nullable [] begins = split ? new int[sequences.length] : null;
        int at = 0;
        for (int sequence : order) {
            for (int begin = 0; begin < lengths[sequence]; begin += rowSize) {
                sequences[at] = sequence;
                if (begins == null) {
                    at++;
                    break;
                }
                begins[at++] = begin;
            }
        }
        return new Pieces(sequences, begins);
    }

    private static void refuseTooLong(int rowSize, int[] lengths) {
        int first = IntStream.range(0, lengths.length)
                .filter(i -> lengths[i] > rowSize)
                .findFirst()
                .orElse(-1);
        if (first >= 0) {
            throw new IllegalArgumentException(
                    "sequence %d has %,d tokens, a row has %,d; take longer rows, or tooLong(CUT) or tooLong(SPLIT)"
                            .formatted(first, lengths[first], rowSize));
        }
    }

    /** The plan with its pieces row by row, in the order that they have here within each row. */
    private PackPlan placed() {
        int count = pieces.count();
        BestFit rows = new BestFit(rowSize);
        int[] rowOf = new int[count];
        for (int from = 0; from < count; from += WINDOW) {
            place(from, Math.min(from + WINDOW, count), rows, rowOf);
        }
        int[] next = new int[rows.count() + 1]; // where the next piece of a row goes
        for (int row : rowOf) {
            next[row + 1]++;
        }
        Arrays.parallelPrefix(next, Integer::sum);
        int[] starts = next.clone();
        for (int i = 0; i < count; i++) {
            rowOf[i] = next[rowOf[i]]++;
        }
        return new PackPlan(rowSize, lengths, pieces.at(rowOf), starts, fingerprint);
    }

    private void place(int from, int to, BestFit rows, int[] rowOf) {
        long[] byLength = new long[to - from];
        for (int i = from; i < to; i++) {
            byLength[i - from] = (long) length(i) << Integer.SIZE | i;
        }
        Arrays.sort(byLength);
        for (int i = byLength.length - 1; i >= 0; i--) {
            rowOf[(int) byLength[i]] = rows.place((int) (byLength[i] >>> Integer.SIZE));
        }
    }

    /** The number of rows. */
    @Override
    public long size() {
        return firsts.length - 1L;
    }

    /** The number of tokens in all rows; those of sequences that were cut are not counted. */
    public long tokens() {
        return IntStream.range(0, pieces.count()).mapToLong(this::length).sum();
    }

    /** The share of the rows' cells that have a token. */
    public double fill() {
        return (double) tokens() / size() / rowSize;
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    /** The sequences of a row. One that is split is there once for each part. */
    @Override
    public long[] members(long row) {
        return IntStream.range(first((int) row), first((int) row + 1))
                .mapToLong(piece -> pieces.sequences[piece])
                .toArray();
    }

    /** The first piece of a row. */
    int first(int row) {
        return firsts[row];
    }

    /** The length that the sequence of a piece had when the plan was made. */
    int planned(int piece) {
        return lengths[pieces.sequences[piece]];
    }

    int sequence(int piece) {
        return pieces.sequences[piece];
    }

    /** The token of its sequence that a piece begins with. */
    int begin(int piece) {
        return pieces.begin(piece);
    }

    /** How many tokens a piece has. */
    int length(int piece) {
        return Math.min(rowSize, planned(piece) - begin(piece));
    }

    int rowSize() {
        return rowSize;
    }

    int sequences() {
        return lengths.length;
    }

    @Override
    public String toString() {
        return "%,d rows of %,d tokens from %,d sequences".formatted(size(), rowSize, lengths.length);
    }
}
