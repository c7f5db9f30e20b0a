package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.store.StoreEntry;
import io.penstock.store.StoreFile;
import io.penstock.store.internal.StoreFiles;
import io.penstock.store.internal.Waiting;
import io.penstock.table.TableOptions;
import io.penstock.table.internal.ColumnType;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.FileRange;
import io.penstock.table.internal.MemoryBudget;
import io.penstock.table.internal.TableFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.parquet.VersionParser;
import org.apache.parquet.VersionParser.ParsedVersion;
import org.apache.parquet.VersionParser.VersionParseException;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file: its footer, and the chosen columns of a row group at a time. The store fetches the bytes of these
 * columns alone, and the workers decode them.
 */
public final class ParquetFile extends TableFile {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final int TAIL = 64 * 1024;
    private static final int TRAILER = 8;
    private static final int MAX_FOOTER = 256 << 20;
    private static final String MAGIC = "PAR1";
    private static final String ENCRYPTED = "PARE";

    private final FileMetaData footer;
    private final List<String> names;
    private final List<ParquetLeaf> leaves;
    private final @Nullable ParsedVersion writer;

    private ParquetFile(
            String name,
            StoreFile file,
            FileMetaData footer,
            List<String> names,
            List<ParquetLeaf> leaves,
            TableOptions options) {
        super(name, file, leaves.stream().map(ParquetLeaf::type).toList(), rows(footer), options);
        this.footer = footer;
        this.names = names;
        this.leaves = leaves;
        this.writer = version(footer.getCreated_by());
    }

    /**
     * Reads the footer of a file, which blocks.
     * @param wanted columns and groups of columns; all if empty
     * @throws FormatException if it is no Parquet file, or encrypted
     */
    public static ParquetFile open(StoreFiles files, StoreEntry entry, List<String> wanted, TableOptions options) {
        String name = files.place(entry);
        return named(name, () -> {
            StoreFile file = new StoreFile(files.store(), entry);
            FileMetaData footer = footer(file);
            List<ParquetLeaf> all = ParquetLeaves.of(footer.getSchema());
            List<String> names = all.stream().map(leaf -> leaf.type().name()).toList();
            ParquetFile found = new ParquetFile(
                    name, file, footer, names, ColumnType.chosen(all, ParquetLeaf::type, wanted), options);
            found.requireCodecs();
            return found;
        });
    }

    private static @Nullable ParsedVersion version(@Nullable String createdBy) {
        try {
            return createdBy == null ? null : VersionParser.parse(createdBy);
        } catch (VersionParseException e) {
            return null;
        }
    }

    private static FileMetaData footer(StoreFile file) {
        long size = file.size();
        int read = (int) Math.min(size, TAIL);
        byte[] tail = bytes(Waiting.forValue(file.read(size - read, read)));
        String magic = read < TRAILER ? "" : new String(tail, read - 4, 4, StandardCharsets.ISO_8859_1);
        if (magic.equals(ENCRYPTED)) {
            throw new FormatException("it is encrypted, which is not supported");
        }
        if (!magic.equals(MAGIC)) {
            throw new FormatException("it is not a Parquet file: it does not end in " + MAGIC);
        }
        long length = ByteBuffer.wrap(tail).order(ByteOrder.LITTLE_ENDIAN).getInt(read - TRAILER) & 0xFFFFFFFFL;
        if (length > Math.min(MAX_FOOTER, size - TRAILER)) {
            throw new FormatException("its footer claims %d bytes, the file has %d".formatted(length, size));
        }
        int at = read - TRAILER - (int) length;
        if (at < 0) {
            tail = bytes(Waiting.forValue(file.read(size - TRAILER - length, (int) length)));
            at = 0;
        }
        try {
            FileMetaData footer = Util.readFileMetaData(
                    new ByteArrayInputStream(tail, at, (int) length), Math.max(1, (int) length)); // no list claims more
            if (footer.isSetEncryption_algorithm() && footer.getRow_groups() == null) {
                throw new FormatException("it is encrypted, which is not supported");
            }
            return footer;
        } catch (FormatException e) {
            throw e;
        } catch (StackOverflowError e) { // the library reads them by calling itself
            throw new FormatException("its footer is damaged: it has parts within parts without end");
        } catch (IOException | RuntimeException e) { // the library trusts what a footer says
            throw new FormatException("its footer is damaged: " + ParquetColumnReader.reason(e), e);
        }
    }

    @Override
    public List<String> names() {
        return names;
    }

    private static List<Integer> rows(FileMetaData footer) {
        List<Integer> rows = new ArrayList<>();
        for (RowGroup group : footer.getRow_groups()) {
            long count = group.getNum_rows();
            if (count < 0 || count > Integer.MAX_VALUE - 8) {
                throw new FormatException("row group %d claims %d rows".formatted(rows.size(), count));
            }
            rows.add((int) count);
        }
        return rows;
    }

    /** Libraries that some codecs need are asked for now, not in the middle of a run. */
    private void requireCodecs() {
        Set<CompressionCodec> codecs = EnumSet.noneOf(CompressionCodec.class);
        for (RowGroup group : footer.getRow_groups()) {
            for (ParquetLeaf leaf : leaves) {
                ColumnMetaData column = leaf.number() < group.getColumnsSize()
                        ? group.getColumns().get(leaf.number()).getMeta_data()
                        : null;
                if (column != null && column.getCodec() != null) {
                    codecs.add(column.getCodec());
                }
            }
        }
        codecs.forEach(PageCodec::require);
    }

    @Override
    protected String place(int group) {
        return "row group " + group;
    }

    private <T> T inColumn(int group, ParquetLeaf leaf, Supplier<T> work) {
        return at("%s, column %s".formatted(place(group), leaf.type().name()), work);
    }

    @Override
    protected List<FileRange> ranges(int group, MemoryBudget budget) {
        List<FileRange> ranges = new ArrayList<>();
        for (ParquetLeaf leaf : leaves) {
            ranges.add(inColumn(group, leaf, () -> {
                FileRange range = range(column(group, leaf), file.size());
                budget.take(range.length());
                return range;
            }));
        }
        return ranges;
    }

    @Override
    protected Decoded decode(int group, List<ByteBuffer> bytes, MemoryBudget budget) {
        int rows = groups().get(group);
        List<DecodedColumn> columns = new ArrayList<>();
        for (int i = 0; i < leaves.size(); i++) {
            ParquetLeaf leaf = leaves.get(i);
            ByteBuffer stored = bytes.set(i, NOTHING); // free for collection when the column is decoded
            Double fill = options.fillOf(leaf.type().name());
            ColumnMetaData column = column(group, leaf);
            columns.add(inColumn(
                    group,
                    leaf,
                    () -> ParquetColumnReader.decode(
                            leaf, column, range(column, file.size()).start(), stored, rows, writer, fill, budget)));
            budget.give(stored.remaining());
        }
        return new Decoded(columns, null);
    }

    /** What the footer says of a column in a row group. */
    private ColumnMetaData column(int group, ParquetLeaf leaf) {
        List<ColumnChunk> chunks = footer.getRow_groups().get(group).getColumns();
        if (leaf.number() >= chunks.size()) {
            throw new FormatException("the row group has only %d columns".formatted(chunks.size()));
        }
        ColumnChunk chunk = chunks.get(leaf.number());
        if (chunk.isSetCrypto_metadata()) {
            throw new FormatException("it is encrypted, which is not supported; choose other columns");
        }
        if (chunk.isSetFile_path()) {
            throw new FormatException("it lies in another file, which is not supported");
        }
        ColumnMetaData metadata = chunk.getMeta_data();
        if (metadata == null
                || !metadata.getPath_in_schema()
                        .equals(List.of(leaf.descriptor().getPath()))) {
            throw new FormatException("its place in the file is not known");
        }
        return metadata;
    }

    /** Where the pages of a column lie. */
    private static FileRange range(ColumnMetaData metadata, long size) {
        long start = metadata.getData_page_offset();
        long dictionary = metadata.getDictionary_page_offset();
        if (metadata.isSetDictionary_page_offset() && dictionary > 0 && dictionary < start) {
            start = dictionary;
        }
        long length = metadata.getTotal_compressed_size();
        if (start < 0 || length < 0 || length > Integer.MAX_VALUE - 8 || start > size - length) {
            throw new FormatException("it claims %d bytes at byte %d, the file has %d".formatted(length, start, size));
        }
        if (metadata.getNum_values() < 0) {
            throw new FormatException("it claims %d values".formatted(metadata.getNum_values()));
        }
        return new FileRange(start, (int) length);
    }
}
