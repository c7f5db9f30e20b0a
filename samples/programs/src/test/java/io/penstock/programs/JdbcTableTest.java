package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.programs.JdbcTable.Flower;
import io.penstock.tensor.Schema;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@link JdbcTable} over a database in memory. */
class JdbcTableTest {

    private static final String URL = "jdbc:h2:mem:garden";
    private static final int ROWS = 20;
    private static final Schema<Flower> SCHEMA = Schema.of(Flower.class);
    /** The database lives as long as this is open. */
    @SuppressWarnings("NullAway.Init")
    private Connection garden;

    @BeforeEach
    void plant() throws SQLException {
        garden = DriverManager.getConnection(URL);
        execute("CREATE TABLE flowers (id BIGINT PRIMARY KEY, version BIGINT, length REAL, width REAL, kind INT)");
        for (int i = 0; i < ROWS; i++) {
            execute("INSERT INTO flowers VALUES (%d, 1, %d.5, 0.25, %d)".formatted(10 * i, i, i % 3));
        }
    }

    @AfterEach
    void clear() throws SQLException {
        execute("DROP ALL OBJECTS");
        garden.close();
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = garden.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The table behind a cache, with loads counted. */
    private static Dataset<Flower> cached(Tier tier, AtomicInteger loads) throws SQLException {
        return new JdbcTable(URL)
                .open()
                .map("count", flower -> {
                    loads.incrementAndGet();
                    return flower;
                })
                .cache(tier, SCHEMA);
    }

    private static List<Float> lengths(Dataset<Flower> flowers) {
        List<Float> lengths = new ArrayList<>();
        flowers.stream(Sampler.sequential())
                .doOnNext(each -> lengths.add(each.value().length()))
                .blockLast();
        return lengths;
    }

    @Test
    void stream_shuffled_isEveryRowOnce() throws SQLException {
        List<Float> lengths = new ArrayList<>();

        new JdbcTable(URL)
                .open().stream(Sampler.shuffled(7))
                        .transform(Batches.of(8, SCHEMA))
                        .doOnNext(batch -> addLengths(batch, lengths))
                        .blockLast();

        assertThat(lengths).hasSize(ROWS).doesNotHaveDuplicates().contains(0.5f, ROWS - 0.5f);
    }

    private static void addLengths(Batch batch, List<Float> lengths) {
        try (batch) {
            for (int i = 0; i < batch.size(); i++) {
                lengths.add((float) batch.tensor("length").doubleAt(i));
            }
        }
    }

    @Test
    void cache_rowThatChanged_isLoadedAgainAlone() throws SQLException {
        AtomicInteger loads = new AtomicInteger();
        try (Tier tier = RamTier.ofBytes(1 << 20)) {
            lengths(cached(tier, loads));
            lengths(cached(tier, loads));
            assertThat(loads).hasValue(ROWS);

            execute("UPDATE flowers SET length = 99, version = 2 WHERE id = 30");

            assertThat(lengths(cached(tier, loads)).get(3)).isEqualTo(99);
            assertThat(loads).hasValue(ROWS + 1);
        }
    }

    @Test
    void get_rowThatChangedSinceTheOpening_fails() throws SQLException {
        Dataset<Flower> table = new JdbcTable(URL).open();
        execute("UPDATE flowers SET length = 99, version = 2 WHERE id = 30");

        assertThatThrownBy(() -> table.get(3).block()).hasMessage("flower 30 has changed; open the table again");
        assertThat(table.get(4).block()).isEqualTo(new Flower(4.5f, 0.25f, 1));
    }
}
