package io.penstock.bench.suite;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
import org.xerial.snappy.Snappy;

/**
 * Writes a Parquet file as others do: plain values in pages of some 256 KiB, compressed by snappy. Its rows have a
 * number {@code id}, floats {@code x0}, {@code x1} and so on, and {@code text} of a length if that is not 0.
 *
 * @param floats    columns of floats
 * @param textBytes of each row
 */
record MadeTable(int rows, int groupRows, int floats, int textBytes) {

    private static final int PAGE = 256 << 10;
    private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

    /**
     * One of its columns.
     *
     * @param width of a value in a batch
     */
    record Column(String name, Type type, int width) {

        private int storedWidth() {
            return type == Type.BYTE_ARRAY ? Integer.BYTES + width : width;
        }
    }

    /** Where a column of a group lies. */
    record Chunk(Column column, int rows, long start, int length) {}

    List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        columns.add(new Column("id", Type.INT64, Long.BYTES));
        for (int i = 0; i < floats; i++) {
            columns.add(new Column("x" + i, Type.FLOAT, Float.BYTES));
        }
        if (textBytes > 0) {
            columns.add(new Column("text", Type.BYTE_ARRAY, textBytes));
        }
        return columns;
    }

    /** Of a row in a batch. */
    int rowBytes() {
        return columns().stream().mapToInt(Column::width).sum();
    }

    /** Writes the file; the chunks of each group. */
    List<List<Chunk>> write(Path file) throws IOException {
        List<List<Chunk>> groups = new ArrayList<>();
        List<SchemaElement> schema = new ArrayList<>(
                List.of(new SchemaElement("rows").setNum_children(columns().size())));
        for (Column column : columns()) {
            schema.add(new SchemaElement(column.name())
                    .setType(column.type())
                    .setRepetition_type(FieldRepetitionType.REQUIRED));
        }
        FileMetaData footer = new FileMetaData(1, schema, rows, new ArrayList<>());
        SplittableRandom random = new SplittableRandom(1);
        long at = MAGIC.length;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
            out.write(MAGIC);
            for (int from = 0; from < rows; from += groupRows) {
                int count = Math.min(groupRows, rows - from);
                List<Chunk> group = new ArrayList<>();
                List<ColumnChunk> chunks = new ArrayList<>();
                for (Column column : columns()) {
                    byte[] pages = pages(column, from, count, random);
                    out.write(pages);
                    group.add(new Chunk(column, count, at, pages.length));
                    chunks.add(metadata(column, count, at, pages.length));
                    at += pages.length;
                }
                groups.add(group);
                footer.addToRow_groups(new RowGroup(chunks, at, count));
            }
            ByteArrayOutputStream end = new ByteArrayOutputStream();
            Util.writeFileMetaData(footer, end);
            out.write(end.toByteArray());
            out.write(little(Integer.BYTES).putInt(end.size()).array());
            out.write(MAGIC);
        }
        return groups;
    }

    private static ColumnChunk metadata(Column column, int values, long start, int length) {
        return new ColumnChunk(start)
                .setMeta_data(new ColumnMetaData(
                        column.type(),
                        List.of(Encoding.PLAIN, Encoding.RLE),
                        List.of(column.name()),
                        CompressionCodec.SNAPPY,
                        values,
                        length,
                        length,
                        start));
    }

    private byte[] pages(Column column, int from, int count, SplittableRandom random) throws IOException {
        int width = column.storedWidth();
        int most = Math.max(1, PAGE / width);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] text = new byte[textBytes];
        for (int first = 0; first < count; first += most) {
            int values = Math.min(most, count - first);
            byte[] plain = new byte[values * width];
            ByteBuffer page = ByteBuffer.wrap(plain).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < values; i++) {
                switch (column.type()) {
                    case INT64 -> page.putLong(from + first + i);
                    case FLOAT -> page.putFloat(random.nextInt(10_000) / 100f);
                    default -> {
                        random.nextBytes(text);
                        page.putInt(textBytes).put(text);
                    }
                }
            }
            byte[] stored = Snappy.compress(plain);
            PageHeader header = new PageHeader(PageType.DATA_PAGE, plain.length, stored.length)
                    .setData_page_header(new DataPageHeader(values, Encoding.PLAIN, Encoding.RLE, Encoding.RLE));
            Util.writePageHeader(header, out);
            out.write(stored);
        }
        return out.toByteArray();
    }

    private static ByteBuffer little(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
