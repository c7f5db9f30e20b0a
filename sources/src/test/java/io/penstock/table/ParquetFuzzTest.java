package io.penstock.table;

import static io.penstock.table.ParquetMaker.element;
import static io.penstock.table.ParquetMaker.join;
import static io.penstock.table.ParquetMaker.levels;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.github.luben.zstd.Zstd;
import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Type;
import org.junit.jupiter.params.provider.MethodSource;

/** Parquet files that no writer wrote: whole ones, footers over good pages, and pages under a good footer. */
class ParquetFuzzTest {

    private static final TableOptions OPTIONS =
            TableOptions.standard().maxGroupBytes(16 << 20).fillNulls(0);
    private static final int ROWS = 4;

    private static final List<ParquetMaker.Column> COLUMNS = List.of(
            required(Type.INT64),
            ParquetMaker.Column.of(element("c", FieldRepetitionType.OPTIONAL), Type.INT32),
            required(Type.BYTE_ARRAY),
            ParquetMaker.Column.list(Type.INT32),
            ParquetMaker.Column.of(
                    element("c", FieldRepetitionType.REQUIRED).setType_length(3), Type.FIXED_LEN_BYTE_ARRAY),
            required(Type.BOOLEAN),
            required(Type.INT96),
            ParquetMaker.Column.of(
                    element("c", FieldRepetitionType.OPTIONAL)
                            .setConverted_type(ConvertedType.DECIMAL)
                            .setPrecision(20)
                            .setScale(2),
                    Type.BYTE_ARRAY));

    private static ParquetMaker.Column required(Type type) {
        return ParquetMaker.Column.of(element("c", FieldRepetitionType.REQUIRED), type);
    }

    @MethodSource("files")
    @FuzzTest(maxDuration = "10m")
    void file_ofAnyBytes_isReadOrRefused(byte[] file) {
        requireReadOrRefused(file, "a.parquet");
    }

    @MethodSource("footers")
    @FuzzTest(maxDuration = "10m")
    void footer_ofAnyBytes_isReadOrRefused(byte[] footer) {
        byte[] pages = ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[ROWS * Long.BYTES]);
        requireReadOrRefused(ParquetMaker.file(pages, footer), "a.parquet");
    }

    /** The first byte says which column, the second with which codec. */
    @MethodSource("pages")
    @FuzzTest(maxDuration = "10m")
    void pages_ofAnyBytes_areReadOrRefused(byte[] input) {
        if (input.length < 2) {
            return;
        }
        ParquetMaker.Column column = COLUMNS.get(input[0] & 7);
        CompressionCodec codec = CompressionCodec.findByValue((input[1] & 0xFF) % CompressionCodec.values().length);
        byte[] pages = Arrays.copyOfRange(input, 2, input.length);
        byte[] footer = ParquetMaker.footer(column, codec, ROWS, ROWS, pages.length);
        requireReadOrRefused(ParquetMaker.file(pages, footer), "a.parquet, row group 0, column c: ");
    }

    private static void requireReadOrRefused(byte[] file, String place) {
        Hostile.decoded(() -> {
            try (Table table = Table.open(
                    MemoryStore.of("fuzz", Map.of("a.parquet", file)), "a.parquet", TableFormat.parquet(), OPTIONS)) {
                for (long i = 0; i < Math.min(table.size(), ROWS); i++) {
                    table.get(i).block();
                }
            } catch (FormatException e) {
                assertThat(e.getMessage()).contains(place);
                throw e;
            }
        });
    }

    private static byte[] valid() {
        byte[] pages = ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[ROWS * Long.BYTES]);
        return ParquetMaker.file(pages, validFooter(pages.length));
    }

    private static byte[] validFooter(int pageBytes) {
        return ParquetMaker.footer(COLUMNS.get(0), CompressionCodec.UNCOMPRESSED, ROWS, ROWS, pageBytes);
    }

    static Stream<byte[]> files() {
        return mutations(valid());
    }

    static Stream<byte[]> footers() {
        int pageBytes = ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[ROWS * Long.BYTES]).length;
        List<byte[]> seeds = new ArrayList<>();
        for (ParquetMaker.Column column : COLUMNS) {
            seeds.add(ParquetMaker.footer(column, CompressionCodec.SNAPPY, ROWS, ROWS, pageBytes));
        }
        mutations(validFooter(pageBytes)).forEach(seeds::add);
        return seeds.stream();
    }

    static Stream<byte[]> pages() {
        byte[] numbers = new byte[ROWS * Long.BYTES];
        byte[] ints = new byte[ROWS * Integer.BYTES];
        byte[] texts = join(text("a"), text("bc"), text(""), text("d"));
        byte[] indices = {1, ROWS << 1, 0};
        byte[] delta = {(byte) 128, 1, 4, ROWS, 2, 2, 0, 0, 0, 0};
        List<byte[]> seeds = new ArrayList<>(List.of(
                seed(0, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, numbers)),
                seed(
                        0,
                        0,
                        ParquetMaker.dictionary(1, new byte[8]),
                        ParquetMaker.page(ROWS, Encoding.RLE_DICTIONARY, indices)),
                seed(0, 0, ParquetMaker.page(ROWS, Encoding.DELTA_BINARY_PACKED, delta)),
                seed(0, 0, ParquetMaker.page2(ROWS, ROWS, Encoding.PLAIN, 0, 0, numbers)),
                seed(1, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, join(levels(ROWS, 1), ints))),
                seed(1, 0, ParquetMaker.page2(ROWS, ROWS, Encoding.PLAIN, 0, 2, join(new byte[] {ROWS << 1, 1}, ints))),
                seed(2, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, texts)),
                seed(2, 0, ParquetMaker.page(ROWS, Encoding.DELTA_LENGTH_BYTE_ARRAY, join(delta, new byte[8]))),
                seed(2, 0, ParquetMaker.page(ROWS, Encoding.DELTA_BYTE_ARRAY, join(delta, delta, new byte[8]))),
                seed(3, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, join(levels(ROWS, 0), levels(ROWS, 3), ints))),
                seed(4, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[3 * ROWS])),
                seed(4, 0, ParquetMaker.page(ROWS, Encoding.BYTE_STREAM_SPLIT, new byte[3 * ROWS])),
                seed(5, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[] {5})),
                seed(5, 0, ParquetMaker.page(ROWS, Encoding.RLE, levels(ROWS, 1))),
                seed(6, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, new byte[12 * ROWS])),
                seed(7, 0, ParquetMaker.page(ROWS, Encoding.PLAIN, join(levels(ROWS, 1), texts)))));
        PageHeader header = new PageHeader(PageType.DATA_PAGE, numbers.length, 0)
                .setData_page_header(new DataPageHeader(ROWS, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        seeds.add(seed(0, CompressionCodec.ZSTD.getValue(), ParquetMaker.page(header, Zstd.compress(numbers))));
        for (CompressionCodec codec : CompressionCodec.values()) {
            seeds.add(seed(0, codec.getValue(), ParquetMaker.page(ROWS, Encoding.PLAIN, numbers)));
        }
        for (byte[] seed : List.copyOf(seeds)) {
            for (int at = 2; at < seed.length; at += 3) {
                byte[] changed = seed.clone();
                changed[at] ^= (byte) 0x81;
                seeds.add(changed);
            }
        }
        return seeds.stream();
    }

    private static byte[] text(String text) {
        byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
        return join(ParquetMaker.u32(bytes.length), bytes);
    }

    private static byte[] seed(int column, int codec, byte[]... pages) {
        return join(new byte[] {(byte) column, (byte) codec}, join(pages));
    }

    private static Stream<byte[]> mutations(byte[] valid) {
        List<byte[]> seeds = new ArrayList<>(List.of(valid, new byte[0]));
        for (int at = 0; at < valid.length; at += 2) {
            byte[] changed = valid.clone();
            changed[at] ^= (byte) 0xFF;
            seeds.add(changed);
            seeds.add(Arrays.copyOf(valid, at + 1));
        }
        return seeds.stream();
    }
}
