package io.penstock.table;

import io.penstock.internal.HeapLimit;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;

/** The numbers of rows, sorted by series, in the order in which these come first, and within a series by place. */
final class SortedRows {

    private final SeriesColumns columns;
    private final Map<List<Tensor>, Integer> known = new HashMap<>();
    private final int[] series;
    private final long[] places;
    private int added;

    private SortedRows(SeriesColumns columns, int rows) {
        this.columns = columns;
        this.series = new int[rows];
        this.places = new long[rows];
    }

    /** Rows as they are sorted: reads all of them once. */
    static Mono<Dataset<Row>> of(Dataset<Row> rows, SeriesColumns columns) {
        if (rows.size() > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException(
                    "at most 2^31 - 9 rows are sorted, the dataset has %,d; sort the files".formatted(rows.size()));
        }
        return Mono.defer(() -> rows.stream(Sampler.sequential())
                .collect(() -> new SortedRows(columns, (int) rows.size()), (sorted, row) -> sorted.add(row.value()))
                .map(sorted -> rows.select(sorted.numbers())));
    }

    private void add(Row row) {
        series[added] = known.computeIfAbsent(columns.series(row), its -> known.size());
        places[added++] = columns.place(row);
    }

    private long[] numbers() {
        int[] ends = new int[known.size()];
        for (int each : series) {
            ends[each]++;
        }
        Arrays.parallelPrefix(ends, Integer::sum);
        int[] sorted = new int[series.length];
        for (int row = series.length - 1; row >= 0; row--) {
            sorted[--ends[series[row]]] = row;
        }
        for (int i = 0; i < ends.length; i++) { // an end has become a beginning
            sort(sorted, ends[i], i + 1 < ends.length ? ends[i + 1] : sorted.length);
        }
        return Arrays.stream(sorted).asLongStream().toArray();
    }

    private void sort(int[] rows, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            if (places[rows[i]] < places[rows[i - 1]]) {
                int[] sorted = IntStream.range(from, to)
                        .mapToObj(at -> rows[at])
                        .sorted((a, b) -> Long.compare(places[a], places[b]))
                        .mapToInt(row -> row)
                        .toArray();
                System.arraycopy(sorted, 0, rows, from, sorted.length);
                return;
            }
        }
    }
}
