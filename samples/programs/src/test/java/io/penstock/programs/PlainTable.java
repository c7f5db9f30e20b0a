package io.penstock.programs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
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

/** A small writer of Parquet files: plain values that are never null, one page for each column of a group. */
final class PlainTable {

    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final List<SchemaElement> schema;
    private final List<RowGroup> groups = new ArrayList<>();
    private long rows;

    /** A column of a group, its values as they are stored. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Column(Type type, List<String> path, byte[] values) {}

    /** @param elements below the root, of which {@code children} are its own */
    PlainTable(int children, SchemaElement... elements) throws IOException {
        schema = new ArrayList<>(List.of(new SchemaElement("schema").setNum_children(children)));
        schema.addAll(List.of(elements));
        out.write(MAGIC);
    }

    static SchemaElement required(String name) {
        return new SchemaElement(name).setRepetition_type(FieldRepetitionType.REQUIRED);
    }

    static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    void group(int count, Column... columns) throws IOException {
        List<ColumnChunk> chunks = new ArrayList<>();
        long bytes = 0;
        for (Column column : columns) {
            ColumnChunk chunk = chunk(column, count);
            bytes += chunk.getMeta_data().getTotal_compressed_size();
            chunks.add(chunk);
        }
        groups.add(new RowGroup(chunks, bytes, count));
        rows += count;
    }

    private ColumnChunk chunk(Column column, int count) throws IOException {
        long begin = out.size();
        PageHeader header = new PageHeader(PageType.DATA_PAGE, column.values.length, column.values.length)
                .setData_page_header(new DataPageHeader(count, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
        Util.writePageHeader(header, out);
        out.write(column.values);
        long size = out.size() - begin;
        ColumnMetaData meta = new ColumnMetaData(
                column.type,
                List.of(Encoding.PLAIN, Encoding.RLE),
                column.path,
                CompressionCodec.UNCOMPRESSED,
                count,
                size,
                size,
                begin);
        return new ColumnChunk(begin).setMeta_data(meta);
    }

    /** The whole file. */
    byte[] file() throws IOException {
        int begin = out.size();
        Util.writeFileMetaData(new FileMetaData(1, schema, rows, groups), out);
        out.write(littleEndian(Integer.BYTES).putInt(out.size() - begin).array());
        out.write(MAGIC);
        return out.toByteArray();
    }
}
