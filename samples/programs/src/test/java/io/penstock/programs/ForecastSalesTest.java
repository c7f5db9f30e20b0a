package io.penstock.programs;

import static io.penstock.programs.PlainTable.littleEndian;
import static io.penstock.programs.PlainTable.required;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Indexing;
import io.penstock.programs.PlainTable.Column;
import io.penstock.table.Table;
import io.penstock.table.TableFormat;
import io.penstock.table.TableOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.parquet.format.Type;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link ForecastSales} on a made table in Parquet: stores of other levels, a pattern of the week, noise and gaps. */
class ForecastSalesTest {

    private static final int STORES = 20;
    private static final int DAYS = 200;
    private static final int FIRST_TO_VALIDATE = 140;
    private static final double[] WEEK = {0.7, 0.8, 0.9, 1, 1.2, 1.6, 0.8};
    private static final Sampler ORDER = Sampler.shuffled(42).epochs(8);

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        Random random = new Random(5);
        PlainTable table = new PlainTable(
                3,
                required("store").setType(Type.INT64),
                required("day").setType(Type.INT64),
                required("sales").setType(Type.FLOAT));
        for (int store = 0; store < STORES; store++) {
            double level = 100 + 10 * random.nextInt(10);
            ByteBuffer stores = littleEndian(Long.BYTES * DAYS);
            ByteBuffer days = littleEndian(Long.BYTES * DAYS);
            ByteBuffer sales = littleEndian(Float.BYTES * DAYS);
            for (int day = 0; day < DAYS; day++) {
                if (random.nextInt(200) > 0) { // else the shop was closed
                    stores.putLong(store);
                    days.putLong(day);
                    sales.putFloat((float) (level * WEEK[day % 7] + 15 * random.nextGaussian()));
                }
            }
            table.group(
                    stores.position() / Long.BYTES,
                    column(Type.INT64, "store", stores),
                    column(Type.INT64, "day", days),
                    column(Type.FLOAT, "sales", sales));
        }
        Files.write(folder.resolve("sales.parquet"), table.file());
    }

    private static Column column(Type type, String name, ByteBuffer values) {
        byte[] bytes = new byte[values.position()];
        values.flip().get(bytes);
        return new Column(type, List.of(name), bytes);
    }

    private ForecastSales open(Table table) {
        return ForecastSales.open(table, FIRST_TO_VALIDATE, Indexing.keptIn(folder.resolve("index")));
    }

    private Table table() {
        return Table.open(folder.resolve("sales.parquet"), TableFormat.parquet(), TableOptions.standard());
    }

    @Test
    void train_overWindows_beatsTheNaiveForecasts() {
        try (Table table = table()) {
            ForecastSales model = open(table);

            model.train(ORDER).blockLast();

            double[] errors = model.errors();
            assertThat(errors[0]).isLessThan(0.6 * errors[1]).isLessThan(0.9 * errors[2]);
        }
    }

    @Test
    void train_resumed_hasTheSameWeights() {
        try (Table table = table()) {
            ForecastSales whole = open(table);
            whole.train(ORDER.epochs(2)).blockLast();
            ForecastSales parts = open(table);

            Position half = Objects.requireNonNull(
                    parts.train(ORDER.epochs(2)).take(whole.windows() / 16).blockLast());
            parts.train(ORDER.epochs(2).resumeAt(half)).blockLast();

            assertThat(parts.weights()).isEqualTo(whole.weights());
        }
    }
}
