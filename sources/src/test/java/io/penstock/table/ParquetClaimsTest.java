package io.penstock.table;

import static io.penstock.table.ParquetMaker.element;
import static io.penstock.table.ParquetMaker.join;
import static io.penstock.table.ParquetMaker.levels;
import static io.penstock.table.ParquetMaker.u32;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Counts and lengths that a few bytes of Parquet claim: each is refused before memory is taken for it. */
class ParquetClaimsTest {

    private static final int ROWS = 4;

    /** A packed run of 2^31 - 8 values, as a varint. */
    private static final byte[] ENDLESS = {-1, -1, -1, -1, 3};

    private static final ParquetMaker.Column OPTIONAL =
            ParquetMaker.Column.of(element("c", FieldRepetitionType.OPTIONAL), Type.INT32);
    private static final ParquetMaker.Column NUMBERS =
            ParquetMaker.Column.of(element("c", FieldRepetitionType.REQUIRED), Type.INT64);
    private static final ParquetMaker.Column BITS =
            ParquetMaker.Column.of(element("c", FieldRepetitionType.REQUIRED), Type.BOOLEAN);
    private static final ParquetMaker.Column TEXTS =
            ParquetMaker.Column.of(element("c", FieldRepetitionType.REQUIRED), Type.BYTE_ARRAY);
    private static final ParquetMaker.Column LISTS = ParquetMaker.Column.list(Type.INT32);

    static Stream<Arguments> claims() {
        byte[] ints = new byte[ROWS * Integer.BYTES];
        byte[] endlessLevels = join(u32(ENDLESS.length), ENDLESS);
        return Stream.of(
                claim("levels", OPTIONAL, ParquetMaker.page(ROWS, Encoding.PLAIN, join(endlessLevels, ints))),
                claim(
                        "levels of version 2",
                        OPTIONAL,
                        ParquetMaker.page2(ROWS, ROWS, Encoding.PLAIN, 0, ENDLESS.length, join(ENDLESS, ints))),
                claim("lists", LISTS, ParquetMaker.page(ROWS, Encoding.PLAIN, join(endlessLevels, levels(4, 3), ints))),
                claim(
                        "levels in lists",
                        LISTS,
                        ParquetMaker.page(ROWS, Encoding.PLAIN, join(levels(4, 0), endlessLevels, ints))),
                claim("levels that end", OPTIONAL, ParquetMaker.page(ROWS, Encoding.PLAIN, u32(1 << 30))),
                claim("level values", OPTIONAL, ParquetMaker.page(ROWS, Encoding.PLAIN, join(levels(4, 99), ints))),
                claim("bits", BITS, ParquetMaker.page(ROWS, Encoding.RLE, endlessLevels)),
                claim(
                        "numbers of a dictionary",
                        NUMBERS,
                        join(
                                ParquetMaker.dictionary(1, new byte[Long.BYTES]),
                                ParquetMaker.page(ROWS, Encoding.RLE_DICTIONARY, join(new byte[] {0}, ENDLESS)))),
                claim("dictionary", NUMBERS, ParquetMaker.dictionary(1 << 29, new byte[Long.BYTES])),
                claim("deltas", NUMBERS, ParquetMaker.page(ROWS, Encoding.DELTA_BINARY_PACKED, delta(1 << 29, 0))),
                claim("rests", TEXTS, texts(delta(ROWS, 0), delta(1 << 29, 0))),
                claim("beginnings", TEXTS, texts(delta(1, 1 << 30), delta(1, 0))),
                claim("length of a text", TEXTS, ParquetMaker.page(ROWS, Encoding.PLAIN, u32(Integer.MAX_VALUE))),
                claim("rows", OPTIONAL, ParquetMaker.page(1 << 30, Encoding.PLAIN, join(u32(6), nulls(1 << 30)))));
    }

    private static Arguments claim(String what, ParquetMaker.Column column, byte[] pages) {
        return Arguments.of(what, column, pages);
    }

    /** One block of one part, of numbers that are all the first one. */
    private static byte[] delta(int count, int first) {
        return join(new byte[] {(byte) 128, 1, 4}, varint(count), varint(2 * first), new byte[] {0, 0, 0, 0, 0});
    }

    private static byte[] texts(byte[] beginnings, byte[] rests) {
        return ParquetMaker.page(ROWS, Encoding.DELTA_BYTE_ARRAY, join(beginnings, rests));
    }

    private static byte[] nulls(int count) {
        return Arrays.copyOf(varint(count << 1), 6);
    }

    private static byte[] varint(int value) {
        byte[] bytes = new byte[5];
        int at = 0;
        for (int left = value; ; left >>>= 7) {
            boolean last = (left & ~0x7F) == 0;
            bytes[at++] = (byte) (last ? left : left | 0x80);
            if (last) {
                return Arrays.copyOf(bytes, at);
            }
        }
    }

    @MethodSource("claims")
    @ParameterizedTest(name = "{0}")
    void count_thatNoBytesHold_isRefusedWithFileColumnAndByte(String what, ParquetMaker.Column column, byte[] pages) {
        int rows = what.equals("rows") ? 1 << 30 : ROWS;
        byte[] footer = ParquetMaker.footer(column, CompressionCodec.UNCOMPRESSED, rows, rows, pages.length);

        requireRefused(ParquetMaker.file(pages, footer), "a.parquet, row group 0, column c: ", " at byte ");
    }

    @Test
    void footer_whoseListClaimsMoreThanItHas_isRefused() {
        byte[] columns = {0x15, 2, 0x19, (byte) 0xFC, -1, -1, -1, 0x2F};

        requireRefused(ParquetMaker.file(new byte[0], columns), "a.parquet: its footer is damaged");
    }

    @Test
    void footer_ofPartsWithinParts_isRefused() {
        byte[] parts = new byte[200_000];
        Arrays.fill(parts, (byte) 0xFC);

        requireRefused(ParquetMaker.file(new byte[0], parts), "a.parquet: its footer is damaged");
    }

    @Test
    void pageHeader_whoseTextClaimsMoreThanItHas_isRefused() {
        byte[] header = {0x15, 0, 0x15, 8, 0x15, 8, 0x2C, 0x5C, 0x18, -1, -1, -1, 0x2F};
        byte[] footer = ParquetMaker.footer(NUMBERS, CompressionCodec.UNCOMPRESSED, ROWS, ROWS, header.length);

        requireRefused(ParquetMaker.file(header, footer), "a.parquet, row group 0, column c: ", " at byte 4");
    }

    private static void requireRefused(byte[] file, String... words) {
        Hostile.decoded(() -> {
            try (Table table = Table.open(
                    MemoryStore.of("claims", Map.of("a.parquet", file)),
                    "a.parquet",
                    TableFormat.parquet(),
                    TableOptions.standard().maxGroupBytes(16 << 20))) {
                table.get(0).block();
                throw new AssertionError("was read");
            } catch (FormatException e) {
                assertThat(e.getMessage()).contains(List.of(words)).doesNotContainPattern("(damaged|read): -?\\d*$");
                throw e;
            }
        });
    }
}
