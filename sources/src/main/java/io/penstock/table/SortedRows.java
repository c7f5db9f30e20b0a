package io.penstock.table;

import io.penstock.internal.Arguments;
import io.penstock.internal.HeapLimit;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.pipeline.Summary;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** The numbers of rows, sorted by series, in the order in which these come first, and within a series by place. */
final class SortedRows {

    private final Map<String, Integer> known = new LinkedHashMap<>();

    /** Of each row the number of its series, and its place there. */
    private int[] series = new int[64];

    private long[] places = new long[64];
    private int size;

    private SortedRows() {}

    /** Rows as they are sorted: reads those once whose places are not kept. */
    static Mono<Dataset<Row>> of(Dataset<Row> rows, Series series, Indexing indexing) {
        boolean tooMany = rows.size() > HeapLimit.MAX_ARRAY;
        Arguments.refuse(tooMany, "at most 2^31 - 9 rows are sorted, the dataset has %,d; sort the files", rows.size());
        return rows.summarise("places " + series.named(), new Places(series), indexing)
                .map(sorted -> {
                    Arguments.refuse(sorted.size < rows.size(), "cannot sort rows of which some were skipped");
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
            later.rows().forEach(row -> into.add(numbers[later.series[row]], later.places[row]));
        }

        @Override
        public byte[] write(SortedRows summary) {
            int keys = summary.known.keySet().stream()
                    .mapToInt(key -> Integer.BYTES + key.length())
                    .sum();
            ByteBuffer bytes =
                    ByteBuffer.allocate(2 * Integer.BYTES + keys + summary.size * (Integer.BYTES + Long.BYTES));
            bytes.putInt(summary.known.size());
            summary.known
                    .keySet()
                    .forEach(key -> bytes.putInt(key.length()).put(key.getBytes(StandardCharsets.ISO_8859_1)));
            bytes.putInt(summary.size);
            summary.rows().forEach(row -> bytes.putInt(summary.series[row]).putLong(summary.places[row]));
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
        if (size == places.length) {
            int more = (int) Math.min(HeapLimit.MAX_ARRAY, size * 3L / 2);
            series = Arrays.copyOf(series, more);
            places = Arrays.copyOf(places, more);
        }
        series[size] = number;
        places[size++] = place;
    }

    private IntStream rows() {
        return IntStream.range(0, size);
    }

    /** Counts the rows of each series to put them there, and sorts those of a series where they do not rise. */
    private long[] numbers() {
        int[] ends = new int[known.size() + 1];
        rows().forEach(row -> ends[series[row] + 1]++);
        Arrays.parallelPrefix(ends, Integer::sum);
        long[] numbers = new long[size];
        rows().forEach(row -> numbers[ends[series[row]]++] = row); // from where the series begins to where it ends
        for (int its = 0; its < known.size(); its++) {
            sort(numbers, its == 0 ? 0 : ends[its - 1], ends[its]);
        }
        return numbers;
    }

    private void sort(long[] numbers, int from, int end) {
        boolean rises =
                IntStream.range(from + 1, end).allMatch(i -> places[(int) numbers[i - 1]] <= places[(int) numbers[i]]);
        if (!rises) {
            long[] sorted = Arrays.stream(numbers, from, end)
                    .boxed()
                    .sorted(Comparator.comparingLong(row -> places[row.intValue()]))
                    .mapToLong(row -> row)
                    .toArray();
            System.arraycopy(sorted, 0, numbers, from, sorted.length);
        }
    }
}
