package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.FormatException;
import io.penstock.fault.SampleException;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

class RowWindowsTest {

    private static final TableOptions TYPES = TableOptions.standard()
            .type("day", DType.I64)
            .type("sales", DType.F32)
            .type("price", DType.F64)
            .fillNulls("sales", Double.NaN);

    @TempDir
    Path folder;

    /** A row as plain code sees it. */
    private record Plain(String store, long day, float sales, double price) {
        String csv() {
            return "%s,%d,%s,%s%n".formatted(store, day, Float.isNaN(sales) ? "" : Float.toString(sales), price);
        }

        Row row() {
            return new Row(
                    List.of("store", "day", "sales", "price"),
                    List.of(Tensor.utf8(store), Tensor.scalar(day), Tensor.scalar(sales), Tensor.scalar(price)));
        }
    }

    /** Rows that are no table's. */
    private record InMemory(List<Plain> rows, Fingerprint fingerprint) implements Dataset<Row> {

        InMemory(List<Plain> rows) {
            this(rows, Fingerprint.of("rows " + rows.hashCode()));
        }

        @Override
        public long size() {
            return rows.size();
        }

        @Override
        public Mono<Row> get(long index) {
            return Mono.fromCallable(() -> rows.get((int) index).row());
        }
    }

    /** What windows are asked for, and what plain loops make of it. */
    private record Case(int length, int horizon, int stride, boolean daily, boolean sorted, long from, long until) {

        static Case random(Random random) {
            long from = random.nextInt(4) == 0 ? 5 : Long.MIN_VALUE;
            long until = random.nextInt(4) == 0 ? 25 : Long.MAX_VALUE;
            return new Case(
                    1 + random.nextInt(6),
                    random.nextInt(4),
                    1 + random.nextInt(3),
                    random.nextBoolean(),
                    random.nextBoolean(),
                    from,
                    until);
        }

        RowWindows windows() {
            RowWindows windows = RowWindows.of(length)
                    .horizon(horizon)
                    .stride(stride)
                    .by("store")
                    .order("day");
            windows = horizon == 0 ? windows : windows.target("sales").future("price");
            windows = daily ? windows.step(1) : windows;
            windows = sorted ? windows.sorted() : windows;
            windows = from == Long.MIN_VALUE ? windows : windows.from(from);
            return until == Long.MAX_VALUE ? windows : windows.until(until);
        }

        /** Every stretch of rows without a break, and windows of it, row by row. */
        List<List<float[]>> expected(List<Plain> rows) {
            List<Plain> ordered = new ArrayList<>(rows);
            if (sorted) {
                ordered.sort((a, b) -> a.store.equals(b.store)
                        ? Long.compare(a.day, b.day)
                        : Integer.compare(first(rows, a.store), first(rows, b.store)));
            }
            List<List<Plain>> stretches = new ArrayList<>();
            Plain last = null;
            for (Plain row : ordered) {
                boolean joins = last != null
                        && last.store.equals(row.store)
                        && isUsed(last)
                        && (!daily || row.day == last.day + 1);
                last = row;
                if (isUsed(row)) {
                    if (!joins) {
                        stretches.add(new ArrayList<>());
                    }
                    stretches.get(stretches.size() - 1).add(row);
                }
            }
            List<List<float[]>> windows = new ArrayList<>();
            for (List<Plain> stretch : stretches) {
                for (int start = 0; start + length + horizon <= stretch.size(); start += stride) {
                    windows.add(window(stretch.subList(start, start + length + horizon)));
                }
            }
            return windows;
        }

        private static int first(List<Plain> rows, String store) {
            return rows.stream().map(Plain::store).toList().indexOf(store);
        }

        private boolean isUsed(Plain row) {
            return !Float.isNaN(row.sales) && row.day >= from && row.day < until;
        }

        private List<float[]> window(List<Plain> rows) {
            float[] past = new float[2 * length];
            for (int i = 0; i < length; i++) {
                past[2 * i] = rows.get(i).sales;
                past[2 * i + 1] = (float) rows.get(i).price;
            }
            float[] sales = new float[horizon];
            float[] price = new float[horizon];
            for (int i = 0; i < horizon; i++) {
                sales[i] = rows.get(length + i).sales;
                price[i] = (float) rows.get(length + i).price;
            }
            return horizon == 0 ? List.of(past) : List.of(past, sales, price);
        }
    }

    /** Series of 1 to 40 rows with gaps and missing numbers, series after series and rising. */
    private static List<Plain> made(Random random, int series) {
        List<Plain> rows = new ArrayList<>();
        for (int store = 0; store < series; store++) {
            int count = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(40);
            long day = random.nextInt(5);
            for (int i = 0; i < count; i++) {
                float sales = random.nextInt(12) == 0 ? Float.NaN : random.nextFloat();
                rows.add(new Plain("s" + store, day, sales, random.nextDouble()));
                day += random.nextInt(8) == 0 ? 3 : 1;
            }
        }
        return rows;
    }

    private Dataset<Row> csv(String name, List<Plain> rows) throws IOException {
        Path files = Files.createDirectory(folder.resolve(name));
        int half = rows.size() / 2;
        write(files.resolve("a.csv"), rows.subList(0, half));
        write(files.resolve("b.csv"), rows.subList(half, rows.size()));
        return Table.open(files, TableFormat.csv(), TYPES);
    }

    private static void write(Path file, List<Plain> rows) throws IOException {
        StringBuilder text = new StringBuilder("store,day,sales,price\n");
        rows.forEach(row -> text.append(row.csv()));
        Files.writeString(file, text);
    }

    private static Dataset<Row> over(RowWindows windows, Dataset<Row> rows) {
        return Objects.requireNonNull(windows.over(rows, Indexing.inMemory()).block());
    }

    private static List<Row> all(Dataset<Row> windows) {
        return all(windows, Sampler.sequential());
    }

    private static List<Row> all(Dataset<Row> windows, Sampler sampler) {
        return Objects.requireNonNull(windows.stream(sampler)
                .filter(Sample::isPresent)
                .map(Sample::value)
                .collectList()
                .block());
    }

    @Test
    void over_madeTables_asPlainLoops() throws IOException {
        Random random = new Random(7);
        int windows = 0;
        for (int table = 0; table < 50; table++) {
            Case wanted = Case.random(random);
            List<Plain> rows = made(random, 1 + random.nextInt(9));
            if (wanted.sorted) {
                Collections.shuffle(rows, random);
            }
            List<List<float[]>> expected = wanted.expected(rows);
            Dataset<Row> dataset = table % 2 == 0 ? csv("t" + table, rows) : new InMemory(rows);

            if (expected.isEmpty()) {
                assertThatThrownBy(() -> over(wanted.windows(), dataset)).isInstanceOf(IllegalArgumentException.class);
            } else {
                assertThat(all(over(wanted.windows(), dataset)))
                        .as("%s over %s", wanted, rows)
                        .isEqualTo(
                                expected.stream().map(each -> row(wanted, each)).toList());
            }
            windows += expected.size();
        }
        assertThat(windows).isGreaterThan(500);
    }

    private static Row row(Case wanted, List<float[]> values) {
        List<Tensor> tensors = new ArrayList<>(List.of(Tensor.ofFloats(values.get(0), wanted.length, 2)));
        if (wanted.horizon > 0) {
            tensors.add(Tensor.ofFloats(values.get(1), wanted.horizon));
            tensors.add(Tensor.ofFloats(values.get(2), wanted.horizon, 1));
        }
        return new Row(wanted.windows().schema().names(), tensors);
    }

    private static List<Plain> series(String store, int from, int to) {
        List<Plain> rows = new ArrayList<>();
        for (int day = from; day < to; day++) {
            rows.add(new Plain(store, day, day, -day));
        }
        return rows;
    }

    private static List<Plain> stores(int count, int days) {
        List<Plain> rows = new ArrayList<>();
        for (int store = 0; store < count; store++) {
            rows.addAll(series("s" + store, 0, days));
        }
        return rows;
    }

    @Test
    void over_noColumnsNamed_allNumbersOfThePastAreForecast() {
        RowWindows windows = RowWindows.of(3).horizon(2).by("store").order("day");

        Row first = all(over(windows, new InMemory(series("a", 0, 9)))).get(0);

        assertThat(first.names()).containsExactly("features", "target");
        assertThat(first.tensor("features")).isEqualTo(Tensor.ofFloats(new float[] {0, 0, 1, -1, 2, -2}, 3, 2));
        assertThat(first.tensor("target")).isEqualTo(Tensor.ofFloats(new float[] {3, -3, 4, -4}, 2, 2));
    }

    @Test
    void features_namedInAnArrayThatChanges_stay() {
        String[] features = {"sales"};
        RowWindows windows = RowWindows.of(2).by("store").order("day").features(features);

        features[0] = "price";

        assertThat(all(over(windows.horizon(1), new InMemory(series("a", 0, 3))))
                        .get(0)
                        .tensor("features"))
                .isEqualTo(Tensor.ofFloats(new float[] {0, 1}, 2, 1));
    }

    @Test
    void over_splits_haveNoRowAndNoSeriesInCommon() {
        Dataset<Row> rows = new InMemory(stores(40, 10));
        RowWindows windows =
                RowWindows.of(2).horizon(1).by("store").order("day").features("sales");

        long all = over(windows, rows).size();
        long left = over(windows.share(3, 0, 0.7), rows).size();
        long right = over(windows.share(3, 0.7, 1), rows).size();
        List<Row> before = all(over(windows.until(6), rows));
        List<Row> after = all(over(windows.from(6), rows));

        assertThat(left % 8).isZero();
        assertThat(left).isBetween(8L * 20, 8L * 36);
        assertThat(left + right).isEqualTo(all);
        assertThat(before)
                .allSatisfy(row -> assertThat(row.tensor("target").floatAt(0)).isLessThan(6));
        assertThat(after)
                .allSatisfy(row -> assertThat(row.tensor("features").floatAt(0)).isGreaterThanOrEqualTo(6));
    }

    @Test
    void over_missingKept_windowsHaveNaN() {
        List<Plain> rows = series("a", 0, 4);
        rows.set(1, new Plain("a", 1, Float.NaN, 0));
        RowWindows windows = RowWindows.of(2).by("store").order("day").features("sales");

        assertThat(over(windows, new InMemory(rows)).size()).isEqualTo(1);
        assertThat(all(over(windows.keepMissing(), new InMemory(rows))).get(0).tensor("features"))
                .isEqualTo(Tensor.ofFloats(new float[] {0, Float.NaN}, 2, 1));
    }

    @Test
    void over_rowsOutOfOrder_refusedUnlessSorted() {
        List<Plain> rows = stores(2, 5);
        Collections.swap(rows, 1, 3);
        RowWindows windows = RowWindows.of(5).by("store").order("day").features("sales");

        assertThatThrownBy(() -> over(windows, new InMemory(rows)))
                .isInstanceOf(SampleException.class)
                .hasMessageContaining("is 2 after 3 for store s0; sort the files by series and order");
        assertThat(over(windows.sorted(), new InMemory(rows)).size()).isEqualTo(2);
    }

    @Test
    void over_seriesInterleaved_saysWhyThereIsNone() {
        List<Plain> rows = new ArrayList<>();
        for (int day = 0; day < 9; day++) {
            rows.add(new Plain("a", day, 1, 1));
            rows.add(new Plain("b", day, 1, 1));
        }

        assertThatThrownBy(() -> over(RowWindows.of(3).by("store").order("day"), new InMemory(rows)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no window of 3 rows: of 18 rows at most 1 of a series follow one another");
        assertThatThrownBy(() -> over(RowWindows.of(19), new InMemory(rows)))
                .hasMessageContaining("no window of 19 rows: of 18 rows at most 18");
    }

    @Test
    void over_datesAsText_countDays() {
        List<Row> rows = new ArrayList<>();
        for (String day : List.of("2024-02-28", "2024-02-29", "2024-03-01", "2024-03-03")) {
            rows.add(new Row(List.of("day", "x"), List.of(Tensor.utf8(day), Tensor.scalar(1f))));
        }
        Dataset<Row> dataset =
                Dataset.wrapping(new InMemory(series("a", 0, 4)), index -> Mono.just(rows.get((int) index)));
        RowWindows windows = RowWindows.of(2).order("day").step(1);

        assertThat(over(windows, dataset).size()).isEqualTo(2);
        assertThat(over(windows.from(RowWindows.place("2024-02-29")), dataset).size())
                .isEqualTo(1);
    }

    @Test
    void over_keptIndex_otherLengthsReadNoRowAgain() {
        AtomicInteger loads = new AtomicInteger();
        InMemory rows = new InMemory(stores(3, 30));
        Dataset<Row> counted = Dataset.wrapping(rows, index -> {
            loads.incrementAndGet();
            return rows.get(index);
        });
        Indexing kept = Indexing.keptIn(folder.resolve("index"));
        RowWindows windows = RowWindows.of(5).by("store").order("day");
        windows.over(counted, kept).block();
        int first = loads.getAndSet(0);

        Dataset<Row> others = windows.horizon(7).stride(2).over(counted, kept).block();

        assertThat(first).isGreaterThan(90);
        assertThat(loads).hasValue(1);
        assertThat(Objects.requireNonNull(others).size()).isEqualTo(3 * 10);
    }

    @Test
    void over_sortedKept_isSortedWithoutReadingAgain() {
        AtomicInteger loads = new AtomicInteger();
        List<Plain> plain = stores(40, 500); // more than a part of the kept places has
        Collections.shuffle(plain, new Random(3));
        InMemory rows = new InMemory(plain);
        Dataset<Row> counted = Dataset.wrapping(rows, index -> {
            loads.incrementAndGet();
            return rows.get(index);
        });
        Indexing kept = Indexing.keptIn(folder.resolve("index"));
        RowWindows windows = RowWindows.of(5).by("store").order("day").step(1).sorted();
        Dataset<Row> first = Objects.requireNonNull(windows.over(counted, kept).block());
        loads.set(0);

        Dataset<Row> second = Objects.requireNonNull(windows.over(counted, kept).block());

        assertThat(loads).hasValue(1); // its columns
        assertThat(second.fingerprint()).isEqualTo(first.fingerprint());
        assertThat(second.size()).isEqualTo(40 * 496);
        assertThat(second.get(777).block())
                .isEqualTo(over(windows, rows).get(777).block());
    }

    @Test
    void over_everyParameter_changesTheFingerprint() {
        Dataset<Row> rows = new InMemory(stores(3, 30));
        RowWindows windows =
                RowWindows.of(2).horizon(2).by("store").order("day").features("sales");
        List<RowWindows> others = List.of(
                windows,
                RowWindows.of(3).horizon(2).by("store").order("day").features("sales"),
                windows.horizon(3),
                windows.stride(2),
                windows.step(1),
                windows.sorted(),
                windows.from(1),
                windows.until(25),
                windows.share(1, 0, 0.9),
                windows.share(2, 0, 0.9),
                windows.keepMissing(),
                windows.features("price"),
                windows.target("price"),
                windows.future("price"));

        Set<Fingerprint> fingerprints = new HashSet<>();
        others.forEach(each -> fingerprints.add(over(each, rows).fingerprint()));

        assertThat(fingerprints).hasSameSizeAs(others);
    }

    @Test
    void over_notNumbers_refused() {
        Dataset<Row> rows = new InMemory(series("a", 0, 9));

        assertThatThrownBy(() -> over(RowWindows.of(2).features("store"), rows))
                .hasMessageContaining(
                        "column store is u8[1]: a window has numbers alone; choose others, or give a column "
                                + "of texts its type (type, or store:float in a flag)");
        assertThatThrownBy(() -> over(RowWindows.of(2).features("cost"), rows))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("there is no column \"cost\" for windows, only [store, day, sales, price]");
        assertThatThrownBy(
                        () -> over(RowWindows.of(2).by("store").order("price").features("sales"), rows.select(1, 2)))
                .isInstanceOf(SampleException.class);
    }

    @Test
    void stream_resumedAtAnotherWorldSize_hasTheRestExactly() {
        Dataset<Row> windows = over(
                RowWindows.of(4).horizon(2).by("store").order("day").features("sales"), new InMemory(stores(5, 20)));
        Sampler sampler = Sampler.shuffled(11).epochs(2);
        List<Row> whole = all(windows, sampler);

        for (int at : new int[] {1, 17, 74, 76, 149}) {
            Sampler rest = sampler.resumeAt(windows.stream(sampler)
                    .elementAt(at - 1)
                    .map(sample -> sample.draw().next())
                    .block());
            assertThat(all(windows, rest)).isEqualTo(whole.subList(at, 150));
            for (int rank = 0; at < 75 && rank < 3; rank++) {
                List<Row> ranks = all(windows, rest.epochs(1).shard(Shard.of(rank, 3)));
                for (int i = 0; at + 3 * i + rank < 75; i++) {
                    assertThat(ranks.get(i)).isEqualTo(whole.get(at + 3 * i + rank));
                }
            }
        }
    }
}
