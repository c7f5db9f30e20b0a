package io.penstock.bench.suite;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.impl.ColumnReaderImpl;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type.Repetition;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/** A loop on one thread over the row groups of a {@link MadeTable}, with Parquet's own column readers and no checks. */
record BareTable(MadeTable table, Path file, List<List<MadeTable.Chunk>> groups) {

    /** Copies all rows, in their order, into a batch of columns. */
    void read(int batchRows) throws IOException {
        ByteBuffer batch =
                ByteBuffer.allocateDirect(batchRows * table.rowBytes()).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            for (List<MadeTable.Chunk> group : groups) {
                int at = 0;
                for (MadeTable.Chunk chunk : group) {
                    ByteBuffer bytes = ByteBuffer.allocate(chunk.length());
                    while (bytes.hasRemaining()) {
                        channel.read(bytes, chunk.start() + bytes.position());
                    }
                    copy(chunk, bytes.array(), batch, at, batchRows);
                    at += batchRows * chunk.column().width();
                }
            }
        }
    }

    private static void copy(MadeTable.Chunk chunk, byte[] bytes, ByteBuffer batch, int at, int batchRows) {
        ColumnReader reader = new ColumnReaderImpl(
                descriptor(chunk.column()), new Pages(bytes, chunk.rows()), new PrimitiveConverter() {}, null);
        int width = chunk.column().width();
        for (int row = 0; row < chunk.rows(); row++) {
            int to = at + row % batchRows * width;
            switch (chunk.column().type()) {
                case INT64 -> batch.putLong(to, reader.getLong());
                case FLOAT -> batch.putFloat(to, reader.getFloat());
                default -> batch.put(to, reader.getBinary().getBytesUnsafe());
            }
            reader.consume();
        }
    }

    private static ColumnDescriptor descriptor(MadeTable.Column column) {
        PrimitiveTypeName type = switch (column.type()) {
            case INT64 -> PrimitiveTypeName.INT64;
            case FLOAT -> PrimitiveTypeName.FLOAT;
            default -> PrimitiveTypeName.BINARY;
        };
        String name = column.name();
        return new ColumnDescriptor(new String[] {name}, new PrimitiveType(Repetition.REQUIRED, type, name), 0, 0);
    }

    /** Pages of a column. */
    private static final class Pages implements PageReader {
        private final byte[] bytes;
        private final ByteArrayInputStream in;
        private final long values;

        Pages(byte[] bytes, long values) {
            this.bytes = bytes;
            this.in = new ByteArrayInputStream(bytes);
            this.values = values;
        }

        @Override
        public long getTotalValueCount() {
            return values;
        }

        @Override
        @SuppressWarnings("NullAway") // the library's contract: null where there is none
        public @Nullable DictionaryPage readDictionaryPage() {
            return null;
        }

        @Override
        public DataPage readPage() {
            try {
                PageHeader header = Util.readPageHeader(in);
                int length = header.getCompressed_page_size();
                byte[] page = new byte[header.getUncompressed_page_size()];
                Snappy.uncompress(bytes, bytes.length - in.available(), length, page, 0);
                in.skip(length);
                return new DataPageV1(
                        BytesInput.from(page),
                        header.getData_page_header().getNum_values(),
                        page.length,
                        null,
                        Encoding.RLE,
                        Encoding.RLE,
                        Encoding.PLAIN);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
