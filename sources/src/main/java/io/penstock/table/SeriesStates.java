package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.order.internal.Mixing;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Tensor;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Which rows continue the series of the row before. Rows are examined in pieces, each with the row before it, so that
 * {@link Dataset#counts} finds and keeps the states: those of a piece are one number.
 */
final class SeriesStates {

    /** The rows of a piece: 3^19 is the largest power below 2^31. */
    private static final int PIECE = 19;

    /** A row of no window. It is 0, so that the rows of a piece are left out which an indexing's policy skips. */
    private static final int LEFT_OUT = 0;

    private static final int BEGINS = 1;
    private static final int CONTINUES = 2;
    private static final int STATES = 3;

    private final SeriesColumns columns;
    private final RowWindows windows;
    private final List<String> needed;
    private final int[] places;

    /** The series whose names hash into {@code [from, to)}. */
    record Share(long seed, double from, double to) {
        @Override
        public String toString() {
            return "share %s to %s, seed %d".formatted(from, to, seed);
        }

        boolean has(Supplier<String> series) {
            if (from <= 0 && to >= 1) {
                return true;
            }
            double hash = (Mixing.fold(seed, Mixing.hash(series.get())) >>> 11) * 0x1p-53;
            return hash >= from && hash < to;
        }
    }

    /** @param needed the columns whose numbers may not be missing */
    SeriesStates(SeriesColumns columns, RowWindows windows, List<String> needed, Row first) {
        this.columns = columns;
        this.windows = windows;
        this.needed = needed;
        this.places = needed.stream()
                .mapToInt(name -> SeriesColumns.column(first, name))
                .toArray();
    }

    /** The states of all rows, piece by piece, for {@link #starts}. */
    Mono<int[]> of(Dataset<Row> rows, Indexing indexing) {
        long pieces = (rows.size() + PIECE - 1) / PIECE;
        return new RowSpans("pieces", rows.size(), pieces, PIECE, 1, PIECE)
                .of(rows)
                .counts(toString(), this::states, indexing);
    }

    private int states(Group<Row> piece) {
        List<Row> rows = piece.samples();
        int states = 0;
        int power = 1;
        for (int i = piece.number() == 0 ? 0 : 1; i < rows.size(); i++) {
            states += power * state(i == 0 ? null : rows.get(i - 1), rows.get(i));
            power *= STATES;
        }
        return states;
    }

    private int state(@Nullable Row before, Row row) {
        List<Tensor> series = columns.series(row);
        long place = columns.place(row);
        boolean follows = before != null && columns.series(before).equals(series);
        if (follows && before != null && windows.order != null) {
            long last = columns.place(before);
            if (place <= last) {
                throw new FormatException(
                        ("the order of rows must rise within a series, is %d after %d for %s; sort the "
                                        + "files by series and order, or let the rows be sorted")
                                .formatted(place, last, columns.words(series)));
            }
            follows = windows.step == null || place - last == windows.step;
        }
        boolean isUsed = place >= windows.from
                && place < windows.until
                && windows.share.has(() -> columns.words(series))
                && !isMissing(row);
        return isUsed ? follows ? CONTINUES : BEGINS : LEFT_OUT;
    }

    private boolean isMissing(Row row) {
        for (int column : places) {
            if (Double.isNaN(WindowFields.number(row, column))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a window of this many rows begins at a row.
     * @throws IllegalArgumentException if none does
     */
    static LongPredicate starts(int[] states, long rows, int span, int stride) {
        long[] starts = new long[Math.toIntExact((rows + Long.SIZE - 1) / Long.SIZE)];
        long run = 0;
        long longest = 0;
        for (long row = 0; row < rows; ) {
            int piece = states[(int) (row / PIECE)];
            for (long end = Math.min(rows, row + PIECE); row < end; row++) {
                int state = piece % STATES;
                piece /= STATES;
                run = state == LEFT_OUT ? 0 : state == BEGINS ? 1 : run + 1;
                longest = Math.max(longest, run);
                if (run >= span && (run - span) % stride == 0) {
                    long start = row - span + 1;
                    starts[(int) (start / Long.SIZE)] |= 1L << start;
                }
            }
        }
        if (longest < span) {
            throw new IllegalArgumentException(
                    ("no window of %d rows: of %,d rows at most %d of a series follow one another; take shorter ones, "
                                    + "or let the rows be sorted if those of a series lie apart")
                            .formatted(span, rows, longest));
        }
        return row -> (starts[(int) (row / Long.SIZE)] >>> row & 1) == 1;
    }

    @Override
    public String toString() {
        return columns
                + (windows.step == null ? "" : ", step " + windows.step)
                + (windows.from == Long.MIN_VALUE ? "" : ", from " + windows.from)
                + (windows.until == Long.MAX_VALUE ? "" : ", until " + windows.until)
                + (windows.share.from > 0 || windows.share.to < 1 ? ", " + windows.share : "")
                + (needed.isEmpty() ? "" : ", with " + needed);
    }
}
