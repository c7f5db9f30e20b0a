package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.kit.CountingStore;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.DType;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** Row groups are read while the rows of others are delivered. Each file is a row group, of four lines. */
class TableAheadTest {

    private static final int FILES = 12;
    private static final int ROWS = 4;
    private static final int OPEN = 3;
    private static final TableOptions TYPES = TableOptions.standard().type("n", DType.I64);

    private final CountingStore store = new CountingStore();

    TableAheadTest() {
        for (int file = 0; file < FILES; file++) {
            StringBuilder lines = new StringBuilder("n\n");
            for (int row = 0; row < ROWS; row++) {
                lines.append(file * ROWS + row).append('\n');
            }
            store.put("%02d.csv".formatted(file), lines.toString());
        }
    }

    private Table open(TableOptions options) {
        Table table = Table.open(store, "", TableFormat.csv(), options);
        Objects.requireNonNull(table.get(0).block()); // what a row group takes is known then
        store.asked();
        return table;
    }

    private static Set<String> files(List<String> asked) {
        Set<String> files = new HashSet<>();
        asked.forEach(ask -> files.add(ask.substring(0, 2)));
        return files;
    }

    private static Set<String> filesOfRows(long... rows) {
        Set<String> files = new HashSet<>();
        LongStream.of(rows).forEach(row -> files.add("%02d".formatted(row / ROWS)));
        return files;
    }

    @Test
    void prefetch_ofRows_readsTheirGroupsOnceAndNoOther() {
        try (Table table = open(TYPES)) {
            table.prefetch(new long[] {4, 7, 20, 21, 0}).block();

            assertThat(files(store.asked())).isEqualTo(filesOfRows(4, 20));
            StepVerifier.create(table.get(5)).expectNextCount(1).verifyComplete();
            table.prefetch(new long[] {5, 22}).block();
            assertThat(store.asked()).isEmpty();
        }
    }

    @Test
    void prefetch_ofAUsersDecorator_readsTheGroupsOfTheTable() {
        try (Table table = open(TYPES)) {
            Dataset<Row> patient = Dataset.wrapping(table, row -> table.get(row).retry(3));

            patient.map("same", row -> row)
                    .slice(4, 24)
                    .prefetch(new long[] {0, 17})
                    .block();

            assertThat(files(store.asked())).isEqualTo(filesOfRows(4, 21));
            assertThat(patient.id(5).name()).isEqualTo(table.id(5).name());
        }
    }

    @Test
    void prefetch_ofMoreThanFitsBesideTheOpenOnes_readsNothing() {
        try (Table table = open(TYPES.cacheBytes(1))) {
            table.prefetch(new long[] {4, 20}).block();

            assertThat(store.asked()).isEmpty();
        }
    }

    @Test
    void prefetch_beforeDemand_readsNothing() {
        try (Table table = open(TYPES)) {
            StepVerifier.create(table.prefetch(new long[] {4}), 0)
                    .expectSubscription()
                    .thenCancel()
                    .verify();
            table.prefetch(new long[] {4});

            assertThat(store.asked()).isEmpty();
        }
    }

    @Test
    void prefetch_ofAGroupThatIsDamaged_isNoErrorAndTheRowTells() {
        store.put("05.csv", "n\n20\n21\nx\n23\n");
        try (Table table = open(TYPES)) {
            table.prefetch(new long[] {20, 24}).block();

            assertThat(files(store.asked())).isEqualTo(filesOfRows(20, 24));
            StepVerifier.create(table.get(22))
                    .verifyErrorSatisfies(e -> assertThat(e).hasMessageContaining("05.csv"));
        }
    }

    @Test
    void stream_inWindows_readsTheNextGroupsBesideTheFirstRow() {
        Sampler sampler = Sampler.windowed(3, ROWS, OPEN);
        Draws draws = sampler.draws(FILES * ROWS);
        long[] next = LongStream.range(OPEN * ROWS, 2 * OPEN * ROWS)
                .map(number -> draws.at(number).index())
                .toArray();
        try (Table table = open(TYPES)) {
            StepVerifier.create(table.stream(sampler, Execution.standard().inFlight(1)), 1)
                    .expectNextCount(1)
                    .then(() -> awaitReadsOf(filesOfRows(next)))
                    .thenCancel()
                    .verify();
        }
    }

    private void awaitReadsOf(Set<String> files) {
        Set<String> asked = new HashSet<>();
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!asked.containsAll(files) && System.nanoTime() < deadline) {
            asked.addAll(files(store.asked()));
            Thread.onSpinWait();
        }
        assertThat(asked).containsAll(files);
    }
}
