package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.order.internal.Mixing;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The series of rows: the columns that tell them, and which rows continue that of the row before. Rows are examined in
 * pieces, each with the row before it, so that {@link Dataset#counts} finds and keeps the states: those of a piece are one
 * number.
 */
final class Series {

    /** The rows of a piece: 3^19 is the largest power below 2^31. */
    private static final int PIECE = 19;

    /** A row of no window. It is 0, so that the rows of a piece are left out which an indexing's policy skips. */
    private static final int LEFT_OUT = 0;

    private static final int BEGINS = 1;
    private static final int CONTINUES = 2;
    private static final int STATES = 3;

    private final RowWindows windows;
    private final List<String> needed;
    private final int[] neededColumns;
    private final int[] by;
    private final int order;

    /** The series whose names hash into {@code [from, to)}. */
    record Share(long seed, double from, double to) {
        boolean has(Supplier<String> series) {
            if (isAll()) {
                return true;
            }
            double hash = (Mixing.fold(seed, Mixing.hash(series.get())) >>> 11) * 0x1p-53;
            return hash >= from && hash < to;
        }

        boolean isAll() {
            return from <= 0 && to >= 1;
        }
    }

    /**
     * Series of rows with columns as the first one's.
     * @param needed the columns whose numbers may not be missing
     * @throws FormatException if it lacks one
     */
    Series(RowWindows windows, Row first, List<String> needed) {
        this.windows = windows;
        this.needed = needed;
        this.neededColumns = columns(first, needed);
        this.by = columns(first, windows.by);
        this.order = windows.order == null ? -1 : columns(first, List.of(windows.order))[0];
    }

    /** Where columns are in a row. */
    static int[] columns(Row row, List<String> names) {
        for (String name : names) {
            if (!row.names().contains(name)) {
                throw new FormatException(
                        "there is no column \"%s\" for windows, only %s".formatted(name, row.names()));
            }
        }
        return names.stream().mapToInt(row.names()::indexOf).toArray();
    }

    /** What rows of one series have in common. */
    List<Tensor> series(Row row) {
        List<Tensor> values = new ArrayList<>(by.length);
        for (int column : by) {
            values.add(row.values().get(column));
        }
        return values;
    }

    /** The place of a row in its series; 0 where it has no order. */
    long place(Row row) {
        if (order < 0) {
            return 0;
        }
        Tensor value = row.values().get(order);
        if (value.isText()) {
            return RowWindows.place(value.toText());
        }
        double number = value.shape().rank() == 0 ? value.doubleAt(0) : Double.NaN;
        if (number != Math.rint(number)) {
            throw new FormatException("column %s, the order of rows, must have whole numbers, dates or times, has %s"
                    .formatted(windows.order, value));
        }
        return value.longAt(0);
    }

    /** What a series is called, and what shares are dealt by. */
    String words(List<Tensor> values) {
        if (values.isEmpty()) {
            return "the only series";
        }
        List<String> words = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Tensor value = values.get(i);
            boolean whole = value.shape().rank() == 0 && value.doubleAt(0) == value.longAt(0);
            words.add(windows.by.get(i) + " "
                    + (value.isText() ? value.toText() : whole ? Long.toString(value.longAt(0)) : value.toString()));
        }
        return String.join(", ", words);
    }

    /** The states of all rows, piece by piece, for {@link #starts}. */
    Mono<int[]> states(Dataset<Row> rows, Indexing indexing) {
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
        List<Tensor> series = series(row);
        long place = place(row);
        boolean follows = before != null && series(before).equals(series);
        if (follows && before != null && windows.order != null) {
            long last = place(before);
            if (place <= last) {
                throw new FormatException(
                        ("the order of rows must rise within a series, is %d after %d for %s; sort the "
                                        + "files by series and order, or let the rows be sorted")
                                .formatted(place, last, words(series)));
            }
            follows = windows.step == null || place - last == windows.step;
        }
        boolean isUsed = place >= windows.from
                && place < windows.until
                && windows.share.has(() -> words(series))
                && !isMissing(row);
        return isUsed ? follows ? CONTINUES : BEGINS : LEFT_OUT;
    }

    private boolean isMissing(Row row) {
        return IntStream.of(neededColumns).anyMatch(column -> Double.isNaN(WindowFields.number(row, column)));
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

    /** What tells the series, and their order. */
    String named() {
        return (windows.by.isEmpty() ? "of one series" : "by " + windows.by)
                + (windows.order == null ? "" : " in the order of " + windows.order);
    }

    @Override
    public String toString() {
        Share share = windows.share;
        return named()
                + (windows.step == null ? "" : ", step " + windows.step)
                + (windows.from == Long.MIN_VALUE ? "" : ", from " + windows.from)
                + (windows.until == Long.MAX_VALUE ? "" : ", until " + windows.until)
                + (share.isAll() ? "" : ", share %s to %s, seed %d".formatted(share.from, share.to, share.seed))
                + (needed.isEmpty() ? "" : ", with " + needed);
    }
}
