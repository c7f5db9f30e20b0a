package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Arrow's own library writes. */
class ArrowTablesTest {

    private static final TableOptions SMALL = TableOptions.standard().maxGroupBytes(8 << 20);

    private static Table open(byte[] bytes, TableOptions options) {
        return Table.open(MemoryStore.of("memory", Map.of("a.arrow", bytes)), "a.arrow", TableFormat.arrow(), options);
    }

    private static Row row(Table table, long index) {
        return Objects.requireNonNull(table.get(index).block());
    }

    private static String text(Tensor tensor) {
        return new String(tensor.toByteArray(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "false, NO_COMPRESSION",
        "true, NO_COMPRESSION",
        "false, ZSTD",
        "true, ZSTD",
        "false, LZ4_FRAME",
        "true, LZ4_FRAME"
    })
    void rows_ofEveryType_areFieldsLikeThoseOfParquet(boolean isStream, CodecType codec) {
        Table table = open(MadeArrow.bytes(3, isStream, codec, false), SMALL);

        assertThat(table.size()).isEqualTo(15);
        assertThat(table.groupRows()).isEqualTo(5);
        assertThat(table.fields())
                .extracting(TableField::toString)
                .containsExactly(
                        "n i64",
                        "text u8[n]",
                        "large u8[n]",
                        "view u8[n]",
                        "flag bool",
                        "decimal f64",
                        "day i32",
                        "id u8[n]",
                        "list i64[n]",
                        "lists f32[n]",
                        "lists.lengths i32[n]",
                        "pair i32[n]",
                        "struct.x f64",
                        "struct.y u16",
                        "word u8[n]");
        for (int n = 0; n < 15; n++) {
            Row row = row(table, n);
            int i = n % 5;
            long[] list = new long[i];
            Arrays.setAll(list, j -> n(row) + j);
            assertThat(row.tensor("n")).isEqualTo(Tensor.scalar((long) n));
            assertThat(text(row.tensor("text"))).isEqualTo("row " + n);
            assertThat(text(row.tensor("large"))).isEqualTo("large " + n);
            assertThat(text(row.tensor("view"))).isEqualTo(i % 2 == 0 ? "v" + n : "a longer view " + n);
            assertThat(row.tensor("flag")).isEqualTo(Tensor.scalar(n % 2 == 1));
            assertThat(row.tensor("decimal").doubleAt(0)).isEqualTo(-n / 100.0);
            assertThat(row.tensor("day")).isEqualTo(Tensor.scalar(18_000 + n));
            assertThat(row.tensor("id").toByteArray()).containsExactly(n, 1, 2);
            assertThat(row.tensor("list")).isEqualTo(Tensor.ofLongs(list));
            assertThat(row.tensor("lists.lengths")).isEqualTo(Tensor.ofInts(new int[] {i, i + 1}));
            assertThat(row.tensor("lists").shape().elements()).isEqualTo(2L * i + 1);
            assertThat(row.tensor("pair")).isEqualTo(Tensor.ofInts(new int[] {n, -n}));
            assertThat(row.tensor("struct.x")).isEqualTo(Tensor.scalar(n / 4.0));
            assertThat(row.tensor("struct.y").longAt(0)).isEqualTo(65_000 + n);
            assertThat(text(row.tensor("word"))).isEqualTo("word " + i % 3);
        }
    }

    /** Polars for Node 0.26.1 wrote 20,000 rows, in lz4 whose blocks refer to the ones before them. */
    @Test
    void rows_ofLinkedLz4ByPolars_areRead() {
        Table table = open(polars(), SMALL);

        assertThat(table.fields()).extracting(TableField::toString).containsExactly("n i32", "word u8[n]");
        assertThat(table.size()).isEqualTo(20_000);
        for (int i = 0; i < 20_000; i++) {
            assertThat(n(row(table, i))).isEqualTo(i % 1000);
            assertThat(text(row(table, i).tensor("word"))).isEqualTo("word " + i % 5);
        }
    }

    private static byte[] polars() {
        try (InputStream file = ArrowTablesTest.class.getResourceAsStream("polars-lz4.arrow")) {
            return Objects.requireNonNull(file).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long n(Row row) {
        return row.tensor("n").longAt(0);
    }

    @Test
    void columns_someChosen_areReadAlone() {
        Table table = open(MadeArrow.bytes(2, false, CodecType.NO_COMPRESSION, false), SMALL.columns("struct", "n"));

        assertThat(table.schema().names()).containsExactly("struct.x", "struct.y", "n");
        assertThat(row(table, 7).tensor("struct.y").longAt(0)).isEqualTo(65_007);
    }

    @Test
    void nulls_areRefusedUnlessFilled() {
        byte[] bytes = MadeArrow.bytes(1, true, CodecType.NO_COMPRESSION, true);

        Table refusing = open(bytes, SMALL.columns("n", "lists"));
        Row filled = row(open(bytes, SMALL.fillNulls(1)), 3);

        assertThatThrownBy(() -> refusing.get(3).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("a.arrow, record batch 0, row 3: column n is null");
        assertThat(row(refusing, 4).tensor("n")).isEqualTo(Tensor.scalar(4L));
        assertThat(filled.tensor("n")).isEqualTo(Tensor.scalar(1L));
        assertThat(filled.tensor("struct.y").longAt(0)).isEqualTo(1);
        for (String empty : List.of("text", "view", "word", "list", "lists", "pair")) {
            assertThat(filled.tensor(empty).byteSize()).as(empty).isZero();
        }
        assertThat(filled.tensor("flag").dtype()).isEqualTo(DType.BOOL);
    }

    @Test
    void wrongFiles_sayWhatIsWrong() {
        byte[] bytes = MadeArrow.bytes(1, false, CodecType.NO_COMPRESSION, false);

        assertThatThrownBy(() -> open(bytes, SMALL.columns("none")))
                .hasMessageContaining("there is no column \"none\", only [n, text");
        assertThatThrownBy(() -> open(Arrays.copyOf(bytes, bytes.length - 1), SMALL))
                .hasMessageContaining("a.arrow: it is cut off: it does not end in ARROW1");
        assertThatThrownBy(() -> open("FEA1....".getBytes(StandardCharsets.UTF_8), SMALL))
                .hasMessageContaining("Feather version 1");
        assertThatThrownBy(() -> open(new byte[0], SMALL)).hasMessageContaining("neither an Arrow file nor a stream");
        assertThatThrownBy(() -> open("fare,company\n7,Red\n".getBytes(StandardCharsets.UTF_8), SMALL))
                .hasMessageContaining("it is damaged, or no Arrow file");
    }

    @Test
    void compressedBuffer_claimsMoreThanItCanHold_isRefusedBeforeMemoryIsTaken() {
        for (CodecType codec : List.of(CodecType.ZSTD, CodecType.LZ4_FRAME)) {
            byte[] bytes = MadeArrow.bytes(1, false, codec, false);
            ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            int magic = codec == CodecType.ZSTD ? 0xFD2FB528 : 0x184D2204;
            for (int at = Long.BYTES; at + Integer.BYTES <= bytes.length; at++) {
                if (file.getInt(at) == magic) {
                    file.putLong(at - Long.BYTES, Integer.MAX_VALUE - 17);
                }
            }

            Table table = open(bytes, TableOptions.standard().maxGroupBytes(Long.MAX_VALUE));

            assertThatThrownBy(() -> row(table, 0))
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("bytes claims to be 2147483630");
        }
    }

    /** Any number of them fits into no bytes, so the claimed number has to be bounded by itself. */
    @Test
    void listsWithoutElements_areRowsOfNothing_andCannotClaimMemory() {
        TableOptions options = SMALL.lists("lists", 1);
        byte[] bytes = MadeArrow.emptyLists();
        Table table = open(bytes, options);
        ByteBuffer claiming = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at + Long.BYTES <= bytes.length; at += Integer.BYTES) {
            if (claiming.getLong(at) == MadeArrow.BATCH_ROWS) {
                claiming.putLong(at, Integer.MAX_VALUE);
            }
        }

        assertThat(table.size()).isEqualTo(MadeArrow.BATCH_ROWS);
        assertThat(row(table, 4).tensor("lists").shape()).isEqualTo(Shape.of(0));
        assertThatThrownBy(() -> row(open(bytes, options), 4)).isInstanceOf(FormatException.class);
    }

    /** Any byte, and any number in the metadata, may be damaged. */
    @Tag("repeated")
    @Test
    void damagedFiles_areReadOrRefusedWithinTheirMemory() {
        Random random = new Random(3);
        List<byte[]> files = new ArrayList<>();
        for (CodecType codec : List.of(CodecType.NO_COMPRESSION, CodecType.ZSTD, CodecType.LZ4_FRAME)) {
            files.add(MadeArrow.bytes(1, false, codec, true));
            files.add(MadeArrow.bytes(1, true, codec, true));
        }
        files.add(polars());

        for (int i = 0; i < (Boolean.getBoolean("penstock.endurance") ? 600 : 150); i++) {
            byte[] damaged = files.get(i % files.size()).clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                damaged[random.nextInt(damaged.length)] = (byte) (random.nextBoolean() ? -1 : random.nextInt());
            }
            byte[] cut = random.nextInt(8) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length)) : damaged;
            loadAll(cut);
        }
    }

    static void loadAll(byte[] bytes) {
        Hostile.bytes(() -> {
            Table table = open(bytes, SMALL.fillNulls(0));
            for (long row = 0; row < Math.min(table.size(), 50); row++) {
                long index = row;
                try {
                    table.get(index).block();
                } catch (DataException refused) {
                    assertThat(refused.getMessage()).contains("a.arrow");
                    Hostile.bytes(() -> {
                        throw refused;
                    });
                }
            }
        });
    }
}
