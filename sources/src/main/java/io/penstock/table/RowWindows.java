package io.penstock.table;

import io.penstock.fault.FormatException;
import io.penstock.internal.Arguments;
import io.penstock.internal.Thrown;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.Schema;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Windows over the rows of series, for forecasts: {@code length} rows of the past and {@code horizon} rows after them.
 * The rows are those of a table, or of any dataset of rows. Immutable; every method returns a copy.
 * <pre>{@code
 *  Dataset<Row> windows = RowWindows.of(24).horizon(6).by("store").order("day")
 *          .features("sales", "price").target("sales").future("price")
 *          .over(table, Indexing.keptIn(folder))
 *          .block();
 * }</pre>
 *
 * <p>A window is a row with the fields {@code features}, {@code f32[length, columns]}; {@code target},
 * {@code f32[horizon]}, or {@code f32[horizon, columns]} of several columns; and {@code future},
 * {@code f32[horizon, columns]}.
 *
 * <p>A series is the rows that follow one another with the same values in the columns of {@link #by}. It ends where
 * {@link #step} finds a gap, where a number is missing, and where {@link #from}, {@link #until} or {@link #share} leave
 * rows out. No window spans two series. The first window of a series begins at its first row.
 *
 * <p><b>Memory</b>: 1.04 bits a row; 2.7 more while they are found; 8 bytes a row more if {@link #sorted}.
 */
public final class RowWindows {

    private final int length;
    private final List<Consumer<RowWindows>> settings;
    private int horizon;
    private int stride = 1;
    List<String> by = List.of();

    @Nullable String order;

    @Nullable Long step;

    private boolean sorted;
    long from = Long.MIN_VALUE;
    long until = Long.MAX_VALUE;
    Series.Share share = new Series.Share(0, 0, 1);
    private boolean keepsMissing;
    private List<String> features = List.of();
    private List<String> target = List.of();
    private List<String> future = List.of();

    private RowWindows(int length, List<Consumer<RowWindows>> settings) {
        this.length = length;
        this.settings = settings;
        settings.forEach(setting -> setting.accept(this));
    }

    /**
     * Windows of this many rows of the past.
     * @throws IllegalArgumentException if it is less than 1
     */
    public static RowWindows of(int length) {
        return new RowWindows(atLeast("length", length, 1), List.of());
    }

    private static int atLeast(String what, int value, int min) {
        Arguments.refuse(value < min, "the %s of a window must be at least %d, was %d", what, min, value);
        return value;
    }

    private RowWindows with(Consumer<RowWindows> setting) {
        return new RowWindows(
                length, Stream.concat(settings.stream(), Stream.of(setting)).toList());
    }

    /** With this many rows after the past. */
    public RowWindows horizon(int rows) {
        return with(copy -> copy.horizon = atLeast("horizon", rows, 0));
    }

    /** With this many rows between the beginnings of two windows of a series; 1 unless set. */
    public RowWindows stride(int rows) {
        return with(copy -> copy.stride = atLeast("stride", rows, 1));
    }

    /** With the columns that tell series apart, numbers or texts; all rows are one series unless set. */
    public RowWindows by(String... columns) {
        List<String> names = List.of(columns);
        return with(copy -> copy.by = names);
    }

    /**
     * With the column by which the rows of a series rise: whole numbers, or dates and times as ISO 8601 writes them.
     * A date counts days since 1970, a time milliseconds.
     */
    public RowWindows order(String column) {
        return with(copy -> copy.order = column);
    }

    /** A series ends where the order rises by another number than this one. Any rise is the next row unless set. */
    public RowWindows step(long rise) {
        return with(copy -> copy.step = rise);
    }

    /**
     * For rows that are not sorted by series and order, such as those of a day after another: reads all once and sorts
     * their numbers. An {@link Indexing#keptIn index that is kept} has their places, so a later process reads changed
     * files alone. Windows then read rows from many places, so the table's cache should hold it.
     * <p><b>Memory</b>: 8 bytes a row, and 30 more while they are sorted, 70 where they do not rise within a series; at
     * most 2^31 - 9 rows. <b>Disk</b>: 12 bytes a row.
     */
    public RowWindows sorted() {
        return with(copy -> copy.sorted = true);
    }

    /** Only rows whose order is at least this. */
    public RowWindows from(long place) {
        return with(copy -> copy.from = place);
    }

    /** Only rows whose order is less than this: {@code until(t)} and {@code from(t)} have no row in common. */
    public RowWindows until(long place) {
        return with(copy -> copy.until = place);
    }

    /**
     * Only series whose values of {@link #by} hash into a share: {@code share(seed, 0, 0.8)} and
     * {@code share(seed, 0.8, 1)} have no series in common. {@link Dataset#split} would tear series apart.
     */
    public RowWindows share(long seed, double least, double end) {
        Arguments.refuse(
                !(least >= 0 && least < end && end <= 1), "a share must be in [0, 1], was %s to %s", least, end);
        return with(copy -> copy.share = new Series.Share(seed, least, end));
    }

    /** Keeps windows with numbers that are missing, which are NaN; {@link TableOptions#fillNulls} makes NaN of nulls. */
    public RowWindows keepMissing() {
        return with(copy -> copy.keepsMissing = true);
    }

    /** With the columns of the past; all numbers but those of {@link #by} and {@link #order} unless set. */
    public RowWindows features(String... columns) {
        List<String> names = List.of(columns);
        return with(copy -> copy.features = names);
    }

    /** With the columns to be forecast; those of {@link #features} unless these or {@link #future} are set. */
    public RowWindows target(String... columns) {
        List<String> names = List.of(columns);
        return with(copy -> copy.target = names);
    }

    /** With the columns that are known of the horizon beforehand, such as holidays. */
    public RowWindows future(String... columns) {
        List<String> names = List.of(columns);
        return with(copy -> copy.future = names);
    }

    /** How windows are laid out: for batches and caches. */
    public Schema<Row> schema() {
        return Row.schema(names());
    }

    private boolean hasTarget() {
        return horizon > 0 && (!target.isEmpty() || future.isEmpty());
    }

    private List<String> names() {
        return Stream.of("features", hasTarget() ? "target" : "", future.isEmpty() ? "" : "future")
                .filter(name -> !name.isEmpty())
                .toList();
    }

    /**
     * A place in the order of rows for {@link #from} and {@link #until}: a whole number, a date in days since 1970, or a
     * time in milliseconds.
     * @param text such as {@code 17}, {@code 2024-12-31} or {@code 2024-12-31T23:59:00Z}
     * @throws FormatException if it is none
     */
    public static long place(String text) {
        try {
            if (text.matches("-?\\d{1,18}")) {
                return Long.parseLong(text);
            }
            if (text.length() <= 10) {
                return LocalDate.parse(text).toEpochDay();
            }
            String time = text.replace(' ', 'T');
            int zone = Math.max(time.indexOf('Z'), Math.max(time.indexOf('+'), time.indexOf('-', 10)));
            return zone < 0
                    ? LocalDateTime.parse(time).toInstant(ZoneOffset.UTC).toEpochMilli()
                    : OffsetDateTime.parse(time).toInstant().toEpochMilli();
        } catch (DateTimeException e) {
            throw new FormatException(
                    "a place in a series is a whole number, a date as 2024-12-31 or a time as 2024-12-31T23:59:00, was \"%s\""
                            .formatted(text),
                    e);
        }
    }

    /**
     * The windows over some rows. Every row is loaded and examined once, unless the index of an earlier process is kept;
     * other lengths, horizons and strides use the same index.
     * @return fails with a {@link FormatException} if there is no such column, or one is no number; with a
     *     {@link io.penstock.fault.SampleException} if a row cannot be loaded, or the order does not rise within a
     *     series; with an {@link IllegalArgumentException} if there is no window
     */
    public Mono<Dataset<Row>> over(Dataset<Row> rows, Indexing indexing) {
        Arguments.refuse(
                horizon == 0 && (!target.isEmpty() || !future.isEmpty()),
                "a target and a future need a horizon of at least 1 row");
        boolean needsOrder = step != null || sorted || from != Long.MIN_VALUE || until != Long.MAX_VALUE;
        Arguments.refuse(order == null && needsOrder, "step, sorted, from and until need a column of the order");
        Arguments.refuse(rows.size() == 0, "there are no rows to make windows of");
        return rows.get(0).flatMap(Thrown.function(first -> {
            WindowFields fields = fields(first);
            Stream<String> used =
                    fields.columns().stream().flatMap(List::stream).distinct();
            Series series = new Series(this, first, keepsMissing ? List.of() : used.toList());
            Mono<Dataset<Row>> inOrder = sorted ? SortedRows.of(rows, series, indexing) : Mono.just(rows);
            return inOrder.flatMap(ready -> windows(ready, fields, series, indexing));
        }));
    }

    private Mono<Dataset<Row>> windows(Dataset<Row> rows, WindowFields fields, Series series, Indexing indexing) {
        int span = Math.addExact(length, horizon);
        String words = "windows of %d and %d rows, stride %d, %s".formatted(length, horizon, stride, series);
        return series.states(rows, indexing).map(Thrown.function(found -> {
            LongPredicate starts = Series.starts(found, rows.size(), span, stride);
            // from each row on, whether it is one of a series or not
            return new RowSpans("spans", rows.size(), rows.size() - span + 1, 1, 0, span)
                    .of(rows)
                    .selectIf(words, starts)
                    .map(fields.toString(), group -> fields.of(group.samples()));
        }));
    }

    private WindowFields fields(Row first) {
        List<String> past = features;
        if (past.isEmpty()) {
            past = first.names().stream()
                    .filter(name -> !by.contains(name) && !name.equals(order))
                    .filter(name -> first.tensor(name).shape().rank() == 0)
                    .toList();
        }
        List<String> ahead = hasTarget() ? target.isEmpty() ? past : target : List.of();
        return WindowFields.of(names(), first, length, horizon, List.of(past, ahead, future));
    }
}
