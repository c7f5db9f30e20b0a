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
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
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
                        + "nulls become (fillNulls, or d=0 or =NaN in a flag), or choose other columns");
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
    void open_oneDamagedFileOfMany_isNamed() {
        byte[] good = MadeArrow.bytes(1, false, CodecType.NO_COMPRESSION, false);
        byte[] cut = Arrays.copyOf(good, good.length - 20);
        Map<String, byte[]> parquet = Map.of("a.parquet", cut, "b.parquet", cut);
        Map<String, byte[]> arrow = new TreeMap<>(Map.of("a.arrow", good, "b.arrow", cut, "c.arrow", good));
        Map<String, byte[]> lines = Map.of(
                "a.jsonl", "{\"x\":\"1\"}\n".getBytes(StandardCharsets.UTF_8),
                "b.jsonl", new byte[] {0, 1, '\n', '{', '\n'},
                "c.jsonl.gz", "no gzip".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() ->
                        Table.open(MemoryStore.of("m", parquet), "", TableFormat.parquet(), TableOptions.standard()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("m/a.parquet: it is not a Parquet file");
        assertThatThrownBy(
                        () -> Table.open(MemoryStore.of("m", arrow), "", TableFormat.arrow(), TableOptions.standard()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("m/b.arrow: it is cut off");
        TableOptions x = TableOptions.standard().columns("x");
        assertThatThrownBy(() -> Table.open(MemoryStore.of("m", lines), "", TableFormat.jsonLines(), x))
                .hasMessageContaining("c.jsonl.gz");
        Table two = Table.open(MemoryStore.of("m", lines), "{a,b}.jsonl", TableFormat.jsonLines(), x);
        assertThat(two.size()).isEqualTo(3);
        assertThatThrownBy(() -> row(two, 1)).hasMessageContaining("m/b.jsonl, line 1: it is damaged JSON");
        assertThatThrownBy(() -> row(two, 2)).hasMessageContaining("m/b.jsonl, line 2: it is damaged JSON");
    }

    @Test
    void csv_goesByTheNamesOfItsHeader() {
        MemoryStore store = MemoryStore.of(
                "parts", Map.of("a.csv", bytes("x,y\n1,2\n"), "b.csv", bytes("y,x\n4,3\n"), "c.csv", bytes("x\n5\n")));
        TableOptions options = TableOptions.standard().type("x", DType.I32).type("y", DType.I32);

        try (Table table = Table.open(store, "", TableFormat.csv(), options.fillNulls("y", 0))) {
            assertThat(row(table, 1).tensor("x").longAt(0)).isEqualTo(3);
            assertThat(row(table, 1).tensor("y").longAt(0)).isEqualTo(4);
            assertThat(row(table, 2).tensor("y").longAt(0)).isZero();
        }
        assertThatThrownBy(() -> Table.open(store, "", TableFormat.csv(), options))
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
        return Table.open(
                MemoryStore.of("parts", Map.of("a.parquet", a, "b.parquet", b)), "", TableFormat.parquet(), options);
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
