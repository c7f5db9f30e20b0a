package io.penstock.table;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;

/** Frames Parquet files of one row group and one column, from the format's description alone. */
final class ParquetMaker {

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /**
     * A column.
     *
     * @param path     of the elements from below the root
     * @param elements the root is left out
     */
    record Column(Type type, List<String> path, List<SchemaElement> elements) {

        static Column of(SchemaElement element, Type type) {
            return new Column(type, List.of(element.getName()), List.of(element.setType(type)));
        }

        /** A list that may be null, of values that may be null. */
        static Column list(Type type) {
            return new Column(
                    type,
                    List.of("c", "list", "element"),
                    List.of(
                            element("c", FieldRepetitionType.OPTIONAL)
                                    .setNum_children(1)
                                    .setConverted_type(org.apache.parquet.format.ConvertedType.LIST),
                            element("list", FieldRepetitionType.REPEATED).setNum_children(1),
                            element("element", FieldRepetitionType.OPTIONAL).setType(type)));
        }
    }

    private ParquetMaker() {}

    static SchemaElement element(String name, FieldRepetitionType repetition) {
        return new SchemaElement(name).setRepetition_type(repetition);
    }

    /** A file of these bytes and this footer. */
    static byte[] file(byte[] data, byte[] footer) {
        return join(MAGIC, data, footer, u32(footer.length), MAGIC);
    }

    /** The footer of a file whose one row group has the pages of a column behind the magic word. */
    static byte[] footer(Column column, CompressionCodec codec, int rows, int values, int pageBytes) {
        List<SchemaElement> schema = new ArrayList<>(List.of(new SchemaElement("schema").setNum_children(1)));
        schema.addAll(column.elements());
        ColumnMetaData metadata = new ColumnMetaData(
                column.type(),
                List.of(Encoding.PLAIN),
                column.path(),
                codec,
                values,
                pageBytes,
                pageBytes,
                MAGIC.length);
        ColumnChunk chunk = new ColumnChunk(0).setMeta_data(metadata);
        RowGroup group = new RowGroup(List.of(chunk), pageBytes, rows);
        return bytes(out -> Util.writeFileMetaData(new FileMetaData(1, schema, rows, List.of(group)), out));
    }

    /** A page of version 1. */
    static byte[] page(int values, Encoding encoding, byte[] body) {
        return page(
                new PageHeader(PageType.DATA_PAGE, body.length, body.length)
                        .setData_page_header(new DataPageHeader(values, encoding, Encoding.RLE, Encoding.RLE)),
                body);
    }

    /** A page of version 2 with levels of these lengths, not compressed. */
    static byte[] page2(int rows, int values, Encoding encoding, int repetition, int definition, byte[] body) {
        DataPageHeaderV2 header =
                new DataPageHeaderV2(values, 0, rows, encoding, definition, repetition).setIs_compressed(false);
        return page(
                new PageHeader(PageType.DATA_PAGE_V2, body.length, body.length).setData_page_header_v2(header), body);
    }

    static byte[] dictionary(int values, byte[] body) {
        return page(
                new PageHeader(PageType.DICTIONARY_PAGE, body.length, body.length)
                        .setDictionary_page_header(new DictionaryPageHeader(values, Encoding.PLAIN)),
                body);
    }

    /** The header as it is, with the length of what is stored. */
    static byte[] page(PageHeader header, byte[] stored) {
        header.setCompressed_page_size(stored.length);
        return join(bytes(out -> Util.writePageHeader(header, out)), stored);
    }

    /** A number of levels of one value, as version 1 has them. */
    static byte[] levels(int count, int value) {
        return join(u32(2), new byte[] {(byte) (count << 1), (byte) value});
    }

    static byte[] u32(int value) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }

    static byte[] join(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(
                Arrays.stream(parts).mapToInt(part -> part.length).sum());
        for (byte[] part : parts) {
            all.put(part);
        }
        return all.array();
    }

    /** Writes to a stream in memory. */
    private interface Writing {
        void to(ByteArrayOutputStream out) throws IOException;
    }

    private static byte[] bytes(Writing writing) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writing.to(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
