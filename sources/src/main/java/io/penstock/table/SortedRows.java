package io.penstock.table;

import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.Summary;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/** The numbers of rows, sorted by series, in the order in which these come first, and within a series by place. */
final class SortedRows {

    private final Map<String, Integer> known = new LinkedHashMap<>();
    private final List<Placed> rows = new ArrayList<>();

    /** A row, by the number of its series and its place there. */
    private record Placed(int series, long place, int row) {}

    private SortedRows() {}

    /** Rows as they are sorted: reads those once whose places are not kept. */
    static Mono<Dataset<Row>> of(Dataset<Row> rows, Series series, Indexing indexing) {
        if (rows.size() > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException(
                    "at most 2^31 - 9 rows are sorted, the dataset has %,d; sort the files".formatted(rows.size()));
        }
        return rows.summarise("places " + series.named(), new Places(series), indexing)
                .map(sorted -> {
                    Arguments.refuse(sorted.rows.size() < rows.size(), "cannot sort rows of which some were skipped");
                    return rows.select(sorted.numbers());
                });
    }

    /** Series and places of neighbours. */
    private record Places(Series series) implements Summary<Row, SortedRows> {

        @Override
        public SortedRows empty() {
            return new SortedRows();
        }

        @Override
        public void add(SortedRows into, Row row) {
            into.add(into.number(key(row)), series.place(row));
        }

        private String key(Row row) {
            return series.series(row).stream()
                    .map(value -> value.type() + " " + new String(value.toByteArray(), StandardCharsets.ISO_8859_1))
                    .collect(Collectors.joining());
        }

        @Override
        public void merge(SortedRows into, SortedRows later) {
            int[] numbers = later.known.keySet().stream().mapToInt(into::number).toArray();
            later.rows.forEach(row -> into.add(numbers[row.series], row.place));
        }

        @Override
        public byte[] write(SortedRows summary) {
            int keys = summary.known.keySet().stream()
                    .mapToInt(key -> Integer.BYTES + key.length())
                    .sum();
            ByteBuffer bytes =
                    ByteBuffer.allocate(2 * Integer.BYTES + keys + summary.rows.size() * (Integer.BYTES + Long.BYTES));
            bytes.putInt(summary.known.size());
            summary.known
                    .keySet()
                    .forEach(key -> bytes.putInt(key.length()).put(key.getBytes(StandardCharsets.ISO_8859_1)));
            bytes.putInt(summary.rows.size());
            summary.rows.forEach(row -> bytes.putInt(row.series).putLong(row.place));
            return bytes.array();
        }

        @Override
        public SortedRows read(byte[] kept) {
            ByteBuffer bytes = ByteBuffer.wrap(kept);
            SortedRows summary = new SortedRows();
            for (int left = bytes.getInt(); left > 0; left--) {
                byte[] key = new byte[bytes.getInt()];
                bytes.get(key);
                summary.number(new String(key, StandardCharsets.ISO_8859_1));
            }
            for (int left = bytes.getInt(); left > 0; left--) {
                summary.add(bytes.getInt(), bytes.getLong());
            }
            return summary;
        }
    }

    private int number(String key) {
        return known.computeIfAbsent(key, its -> known.size());
    }

    private void add(int number, long place) {
        rows.add(new Placed(number, place, rows.size()));
    }

    /** Series by series: rows that are sorted within each, as those of a day after another, are compared once. */
    private long[] numbers() {
        List<List<Placed>> series = known.keySet().stream()
                .<List<Placed>>map(key -> new ArrayList<>())
                .toList();
        rows.forEach(row -> series.get(row.series).add(row));
        LongBuffer numbers = LongBuffer.allocate(rows.size());
        for (List<Placed> each : series) {
            each.sort(Comparator.comparingLong(Placed::place));
            each.forEach(row -> numbers.put(row.row));
        }
        return numbers.array();
    }
}
