package io.penstock.cli.source;

import io.penstock.internal.Arguments;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.table.Row;
import io.penstock.table.RowWindows;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Windows over the rows of a table, as {@code --window-rows} says them: {@code KEY=VALUE,…}. */
record WindowRows(RowWindows windows) {

    private static final String FORM =
            "windows are length=N,horizon=N,stride=N,by=COLUMNS,order=COLUMN,step=N,from=PLACE,until=PLACE,"
                    + "features=COLUMNS,target=COLUMNS,future=COLUMNS,sort=yes,missing=keep, with COLUMNS as a+b, was \"%s\"";

    /** @throws IllegalArgumentException if it does not read so */
    static WindowRows parse(String text) {
        Map<String, String> said = new LinkedHashMap<>();
        for (String each : text.split(",", -1)) {
            int equals = each.indexOf('=');
            boolean wrong = equals < 1
                    || equals == each.length() - 1
                    || said.put(each.substring(0, equals), each.substring(equals + 1)) != null;
            Arguments.refuse(wrong, FORM, text);
        }
        String length = said.remove("length");
        if (length == null) {
            throw new IllegalArgumentException(FORM.formatted(text));
        }
        RowWindows windows = RowWindows.of(number("length", length));
        for (Map.Entry<String, String> each : said.entrySet()) {
            windows = with(windows, each.getKey(), each.getValue(), text);
        }
        return new WindowRows(windows);
    }

    private static RowWindows with(RowWindows windows, String key, String value, String text) {
        String[] columns = value.split("\\+", -1);
        boolean isWord = key.equals("sort") || key.equals("missing");
        return switch (isWord ? key + "=" + value : key) {
            case "horizon" -> windows.horizon(number(key, value));
            case "stride" -> windows.stride(number(key, value));
            case "step" -> windows.step(RowWindows.place(value));
            case "by" -> windows.by(columns);
            case "order" -> windows.order(value);
            case "from" -> windows.from(RowWindows.place(value));
            case "until" -> windows.until(RowWindows.place(value));
            case "features" -> windows.features(columns);
            case "target" -> windows.target(columns);
            case "future" -> windows.future(columns);
            case "sort=yes" -> windows.sorted();
            case "missing=keep" -> windows.keepMissing();
            default -> throw new IllegalArgumentException(FORM.formatted(text));
        };
    }

    private static int number(String key, String value) {
        Arguments.refuse(
                !value.matches("\\d{1,9}"), "%s of --window-rows must be a number of rows, was \"%s\"", key, value);
        return Integer.parseInt(value);
    }

    /**
     * The windows over some rows. Blocks: all rows are examined, unless the directory of a cache knows them.
     * @param split the series that are read; null for all
     * @throws IllegalArgumentException if there is none
     */
    Cacheable<Row> over(Cacheable<Row> rows, @Nullable SplitShare split, @Nullable Path cache) {
        RowWindows some = split == null ? windows : windows.share(SplitShare.SEED, split.from(), split.to());
        Indexing indexing = cache == null ? Indexing.inMemory() : Indexing.keptIn(cache.resolve(Sources.LENGTHS));
        Dataset<Row> made =
                Objects.requireNonNull(some.over(rows.dataset(), indexing).block(), "windows");
        return new Cacheable<>(made, some.schema(), 0);
    }
}
