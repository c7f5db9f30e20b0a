package io.penstock.programs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.Encoding;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Type;
import org.apache.parquet.format.Util;

/**
 * A small writer of Parquet files with pictures, as Hugging Face's sets keep them: a struct {@code image} of
 * {@code bytes} and {@code path}, and an integer {@code label}; plain values, one page for each column of a group.
 */
final class PictureTable {

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);
    private static final List<SchemaElement> SCHEMA = List.of(
            new SchemaElement("schema").setNum_children(2),
            required("image").setNum_children(2),
            required("bytes").setType(Type.BYTE_ARRAY),
            required("path").setType(Type.BYTE_ARRAY),
            required("label").setType(Type.INT64));

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private PictureTable() {}

    private static SchemaElement required(String name) {
        return new SchemaElement(name).setRepetition_type(FieldRepetitionType.REQUIRED);
    }

    /** A file of pictures, whose labels are their numbers from {@code first} on. */
    static byte[] of(List<byte[]> pictures, int first, int groupRows) throws IOException {
        PictureTable table = new PictureTable();
        table.out.write(MAGIC);
        FileMetaData meta = new FileMetaData(1, SCHEMA, pictures.size(), new java.util.ArrayList<>());
        for (int from = 0; from < pictures.size(); from += groupRows) {
            List<byte[]> rows = pictures.subList(from, Math.min(pictures.size(), from + groupRows));
            meta.addToRow_groups(table.group(rows, first + from));
        }
        int begin = table.out.size();
        Util.writeFileMetaData(meta, table.out);
        table.out.write(littleEndian(4).putInt(table.out.size() - begin).array());
        table.out.write(MAGIC);
        return table.out.toByteArray();
    }

    private RowGroup group(List<byte[]> pictures, int first) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream paths = new ByteArrayOutputStream();
        ByteArrayOutputStream labels = new ByteArrayOutputStream();
        int rows = pictures.size();
        for (int number = first; number < first + rows; number++) {
            write(bytes, pictures.get(number - first));
            write(paths, "%05d.jpg".formatted(number).getBytes(StandardCharsets.US_ASCII));
            labels.write(littleEndian(Long.BYTES).putLong(number).array());
        }
        List<ColumnChunk> columns = List.of(
                column(Type.BYTE_ARRAY, List.of("image", "bytes"), bytes.toByteArray(), rows),
                column(Type.BYTE_ARRAY, List.of("image", "path"), paths.toByteArray(), rows),
                column(Type.INT64, List.of("label"), labels.toByteArray(), rows));
        long total = columns.stream()
                .mapToLong(column -> column.getMeta_data().getTotal_compressed_size())
                .sum();
        return new RowGroup(columns, total, rows);
    }

    private static void write(ByteArrayOutputStream values, byte[] value) throws IOException {
        values.write(littleEndian(Integer.BYTES).putInt(value.length).array());
        values.write(value);
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private ColumnChunk column(Type type, List<String> path, byte[] values, int rows) throws IOException {
        long begin = out.size();
        PageHeader header = new PageHeader(PageType.DATA_PAGE, values.length, values.length)
                .setData_page_header(new DataPageHeader(rows, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        Util.writePageHeader(header, out);
        out.write(values);
        long size = out.size() - begin;
        ColumnMetaData meta = new ColumnMetaData(
                type,
                List.of(Encoding.PLAIN, Encoding.RLE),
                path,
                CompressionCodec.UNCOMPRESSED,
                rows,
                size,
                size,
                begin);
        return new ColumnChunk(begin).setMeta_data(meta);
    }
}
