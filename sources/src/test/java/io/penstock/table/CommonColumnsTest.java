package io.penstock.table;

import static io.penstock.table.ParquetMaker.element;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.DType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.junit.jupiter.api.Test;

/** Parts of one table that have other columns, other orders of them, or other types. */
class CommonColumnsTest {

    @Test
    void numbersOfOneColumn_areAsWideAsTheWidestPart() {
        try (Table table = parquet(
                numbers("c", Type.INT32, 7, UnaryOperator.identity()),
                numbers("c", Type.INT64, 1L << 40, UnaryOperator.identity()))) {
            assertThat(table.fields()).containsExactly(new TableField("c", DType.I64, 0));
            assertThat(row(table, 0).tensor("c").longAt(0)).isEqualTo(7);
            assertThat(row(table, 1).tensor("c").longAt(0)).isEqualTo(1L << 40);
        }
    }

    @Test
    void signedAndUnsignedAndFloats_widenToWhatHoldsBoth() {
        UnaryOperator<SchemaElement> unsigned = element -> element.setConverted_type(ConvertedType.UINT_32);

        try (Table table = parquet(
                numbers("c", Type.INT32, -1, unsigned), numbers("c", Type.INT32, -1, UnaryOperator.identity()))) {
            assertThat(row(table, 0).tensor("c").longAt(0)).isEqualTo(4294967295L);
            assertThat(row(table, 1).tensor("c").longAt(0)).isEqualTo(-1);
        }
        long half = Double.doubleToRawLongBits(0.5);
        try (Table table = parquet(
                numbers("c", Type.INT32, -3, UnaryOperator.identity()),
                numbers("c", Type.DOUBLE, half, UnaryOperator.identity()))) {
            assertThat(row(table, 0).tensor("c").doubleAt(0)).isEqualTo(-3);
            assertThat(row(table, 1).tensor("c").doubleAt(0)).isEqualTo(0.5);
        }
    }

    @Test
    void aKeyOfARow_changesWithTheTypeThatItIsReadAs() {
        byte[] narrow = numbers("c", Type.INT32, 7, UnaryOperator.identity());

        try (Table alone = parquet(narrow, narrow);
                Table widened = parquet(narrow, numbers("c", Type.INT64, 1, UnaryOperator.identity()))) {
            assertThat(widened.id(0).key()).isNotEqualTo(alone.id(0).key());
            assertThat(widened.fingerprint()).isNotEqualTo(alone.fingerprint());
        }
    }

    @Test
    void typesThatNoTypeHolds_areRefusedInWords() {
        byte[] text = file("c", Type.BYTE_ARRAY, new byte[] {1, 0, 0, 0, 'a'}, UnaryOperator.identity());

        assertThatThrownBy(() -> parquet(numbers("c", Type.INT32, 7, UnaryOperator.identity()), text))
                .isInstanceOf(FormatException.class)
                .hasMessage("column c is i32 in memory:parts/a.parquet, and text in memory:parts/b.parquet; write "
                        + "all files alike, or choose other columns");
    }

    @Test
    void times_ofTwoUnits_areRefused() {
        assertThatThrownBy(() -> parquet(
                        numbers("t", Type.INT64, 1, e -> e.setConverted_type(ConvertedType.TIMESTAMP_MILLIS)),
                        numbers("t", Type.INT64, 1, e -> e.setConverted_type(ConvertedType.TIMESTAMP_MICROS))))
                .hasMessageContaining("column t is i64 in ms in memory:parts/a.parquet, and i64 in µs in");
    }

    @Test
    void aColumnThatAPartLacks_isRefusedWithTheMend_orFilled() {
        byte[] a = numbers("c", Type.INT32, 7, UnaryOperator.identity());
        byte[] b = numbers("d", Type.INT64, 8, UnaryOperator.identity());

        assertThatThrownBy(() -> parquet(a, b))
                .isInstanceOf(FormatException.class)
                .hasMessage("memory:parts/a.parquet has no column d, which memory:parts/b.parquet has; say what "
                        + "nulls become (fillNulls, or d=0 in a flag), or choose other columns");
        try (Table table = parquet(TableOptions.standard().fillNulls(-1), a, b)) {
            assertThat(table.schema().names()).containsExactly("c", "d");
            assertThat(row(table, 0).tensor("d").longAt(0)).isEqualTo(-1);
            assertThat(row(table, 1).tensor("c").longAt(0)).isEqualTo(-1);
            assertThat(row(table, 1).tensor("d").longAt(0)).isEqualTo(8);
        }
        try (Table table = parquet(TableOptions.standard().columns("d").fillNulls("d", 5), a, b)) {
            assertThat(row(table, 0).tensor("d").longAt(0)).isEqualTo(5);
        }
        assertThatThrownBy(() -> parquet(TableOptions.standard().columns("e"), a, b))
                .hasMessage("memory:parts/a.parquet: there is no column \"e\", only [c]");
    }

    @Test
    void csv_goesByTheNamesOfItsHeader() {
        MemoryStore store = MemoryStore.of(
                "parts", Map.of("a.csv", bytes("x,y\n1,2\n"), "b.csv", bytes("y,x\n4,3\n"), "c.csv", bytes("x\n5\n")));
        TableOptions options = TableOptions.standard().type("x", DType.I32).type("y", DType.I32);

        try (Table table = Table.openCsv(store, "", options.fillNulls("y", 0), null)) {
            assertThat(row(table, 1).tensor("x").longAt(0)).isEqualTo(3);
            assertThat(row(table, 1).tensor("y").longAt(0)).isEqualTo(4);
            assertThat(row(table, 2).tensor("y").longAt(0)).isZero();
        }
        assertThatThrownBy(() -> Table.openCsv(store, "", options, null))
                .hasMessageContaining("memory:parts/c.csv has no column y, which memory:parts/a.csv has");
    }

    private static Row row(Table table, long index) {
        return Objects.requireNonNull(table.get(index).block());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Table parquet(byte[] a, byte[] b) {
        return parquet(TableOptions.standard(), a, b);
    }

    private static Table parquet(TableOptions options, byte[] a, byte[] b) {
        return Table.openParquet(MemoryStore.of("parts", Map.of("a.parquet", a, "b.parquet", b)), "", options);
    }

    private static byte[] numbers(String name, Type type, long bits, UnaryOperator<SchemaElement> annotated) {
        byte[] value = ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(bits)
                .array();
        return file(name, type, type == Type.INT32 ? Arrays.copyOf(value, 4) : value, annotated);
    }

    private static byte[] file(String name, Type type, byte[] value, UnaryOperator<SchemaElement> annotated) {
        ParquetMaker.Column column =
                ParquetMaker.Column.of(annotated.apply(element(name, FieldRepetitionType.REQUIRED)), type);
        byte[] page = ParquetMaker.page(1, Encoding.PLAIN, value);
        return ParquetMaker.file(page, ParquetMaker.footer(column, CompressionCodec.UNCOMPRESSED, 1, 1, page.length));
    }
}
