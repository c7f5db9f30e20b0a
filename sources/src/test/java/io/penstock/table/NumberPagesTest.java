package io.penstock.table;

import static io.penstock.table.ParquetMaker.join;
import static io.penstock.table.ParquetMaker.levels;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.table.ParquetMaker.Column;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns of one number a row, in pages of every kind. */
class NumberPagesTest {

    /** The numbers of a dictionary page: 3, 5, 7. */
    private static final byte[] DICTIONARY = ParquetMaker.dictionary(3, ints(3, 5, 7));

    /** Its numbers 2, 0 and 1, in a run of eight with 2 bits each. */
    private static final byte[] OF_DICTIONARY = {2, 3, 0b01_00_10, 0};

    /** Eight levels of version 2, of which the second and the third are null. */
    private static final byte[] TWO_NULLS = {3, (byte) 0b1111_1001};

    @TempDir
    private Path folder;

    private static SchemaElement required() {
        return ParquetMaker.element("c", FieldRepetitionType.REQUIRED);
    }

    private static SchemaElement optional() {
        return ParquetMaker.element("c", FieldRepetitionType.OPTIONAL);
    }

    private static byte[] ints(int... values) {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * values.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        return bytes.array();
    }

    private double[] read(Column column, int rows, TableOptions options, byte[]... pages) throws IOException {
        byte[] data = join(pages);
        Path file = folder.resolve("a.parquet");
        Files.write(
                file,
                ParquetMaker.file(
                        data, ParquetMaker.footer(column, CompressionCodec.UNCOMPRESSED, rows, rows, data.length)));
        try (Table table = Table.open(file, TableFormat.parquet(), options)) {
            double[] values = new double[rows];
            for (int row = 0; row < rows; row++) {
                Tensor value = Objects.requireNonNull(table.get(row).block()).tensor("c");
                values[row] = value.dtype() == DType.BOOL ? value.longAt(0) : value.doubleAt(0);
            }
            return values;
        }
    }

    private double[] read(Column column, int rows, byte[]... pages) throws IOException {
        return read(column, rows, TableOptions.standard(), pages);
    }

    @Test
    void pagesOfNumbersAsTheyAre() throws IOException {
        byte[] first = ParquetMaker.page(3, Encoding.PLAIN, ints(1, -2, 3));
        byte[] second = ParquetMaker.page2(2, 2, Encoding.PLAIN, 0, 0, ints(4, Integer.MAX_VALUE));

        assertThat(read(Column.of(required(), Type.INT32), 5, first, second))
                .containsExactly(1, -2, 3, 4, Integer.MAX_VALUE);
    }

    @Test
    void numbersOfADictionary_thenNumbersAsTheyAre() throws IOException {
        byte[] some = ParquetMaker.page(3, Encoding.RLE_DICTIONARY, OF_DICTIONARY);
        byte[] more = ParquetMaker.page(2, Encoding.PLAIN, ints(11, 13));

        assertThat(read(Column.of(required(), Type.INT32), 5, DICTIONARY, some, more))
                .containsExactly(7, 3, 5, 11, 13);
    }

    @Test
    void numbersThatMayBeNull_ofWhichNoneIs() throws IOException {
        byte[] first = ParquetMaker.page(2, Encoding.PLAIN, join(levels(2, 1), ints(1, 2)));
        byte[] second = ParquetMaker.page2(1, 1, Encoding.PLAIN, 0, 2, join(new byte[] {2, 1}, ints(3)));

        assertThat(read(Column.of(optional(), Type.INT32), 3, first, second)).containsExactly(1, 2, 3);
    }

    @Test
    void nulls_becomeWhatIsSaid_orAreRefused() throws IOException {
        Column column = Column.of(optional(), Type.INT32);
        byte[] page = ParquetMaker.page2(8, 8, Encoding.PLAIN, 0, 2, join(TWO_NULLS, ints(1, 4, 5, 6, 7, 8)));

        assertThat(read(column, 8, TableOptions.standard().fillNulls(-1), page))
                .containsExactly(1, -1, -1, 4, 5, 6, 7, 8);
        assertThatThrownBy(() -> read(column, 8, page))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("row 1: column c is null");
    }

    @Test
    void smallerNumbers_andBits() throws IOException {
        Column bytes = Column.of(required().setConverted_type(ConvertedType.INT_8), Type.INT32);
        byte[] small = ParquetMaker.page(3, Encoding.PLAIN, ints(1, -2, 127));
        byte[] bits = ParquetMaker.page(3, Encoding.PLAIN, new byte[] {0b101});

        assertThat(read(bytes, 3, small)).containsExactly(1, -2, 127);
        assertThat(read(Column.of(required(), Type.BOOLEAN), 3, bits)).containsExactly(1, 0, 1);
    }

    @Test
    void aPageThatIsTooShort_isRefused() {
        byte[] good = ParquetMaker.page(2, Encoding.PLAIN, ints(1, 2));
        byte[] torn = ParquetMaker.page(2, Encoding.PLAIN, new byte[7]);

        assertThatThrownBy(() -> read(Column.of(required(), Type.INT32), 4, good, torn))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining(
                        "a.parquet, row group 0, column c: the page at byte " + ("PAR1".length() + good.length));
    }

    @Test
    void aDictionaryThatIsNotThere_isRefused() {
        byte[] page = ParquetMaker.page(3, Encoding.RLE_DICTIONARY, OF_DICTIONARY);

        assertThatThrownBy(() -> read(Column.of(required(), Type.INT32), 3, page))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("dictionary");
    }
}
