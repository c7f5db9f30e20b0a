package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnBuilder;
import io.penstock.table.internal.DecodedColumn;
import io.penstock.table.internal.MemoryBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.parquet.VersionParser.ParsedVersion;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReaderImpl;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.io.ParquetDecodingException;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a column of a row group: values with their levels become lists.
 * @see <a href="https://research.google/pubs/dremel-interactive-analysis-of-web-scale-datasets-2/">Melnik et al.,
 *     Dremel, on levels of repetition and definition</a>
 */
final class ParquetColumnReader {

    private static final long LIKELY_RATIO = 8; // of values over what is stored

    private final ParquetLeaf leaf;
    private final List<Integer> lists;
    private final int rows;
    private final ColumnBuilder column;

    private ParquetColumnReader(ParquetLeaf leaf, int rows, ColumnBuilder column) {
        this.leaf = leaf;
        this.lists = leaf.listLevels();
        this.rows = rows;
        this.column = column;
    }

    /**
     * Decodes all pages.
     * @param start where they begin in the file
     * @throws FormatException if the bytes are damaged
     */
    static DecodedColumn decode(
            ParquetLeaf leaf,
            ColumnMetaData metadata,
            long start,
            ByteBuffer bytes,
            int rows,
            @Nullable ParsedVersion writer,
            @Nullable Double fill,
            MemoryBudget budget) {
        ColumnPages pages = new ColumnPages(leaf.descriptor(), metadata, bytes, budget);
        ColumnBuilder column = new ColumnBuilder(leaf.type(), fill, budget);
        try {
            column.expect(expected(leaf, metadata, bytes.remaining()));
            ParquetElement.Stored stored = leaf.element().stored();
            if (stored != null && leaf.listLevels().isEmpty()) {
                new NumberPages(leaf, stored, rows, pages, column).read();
            } else if (metadata.getNum_values() > 0) {
                ColumnReader reader =
                        new ColumnReaderImpl(leaf.descriptor(), pages, new PrimitiveConverter() {}, writer);
                new ParquetColumnReader(leaf, rows, column).read(reader, metadata.getNum_values());
            }
        } catch (FormatException e) {
            throw new FormatException("%s, in the page at byte %d".formatted(e.getMessage(), start + pages.page()), e);
        } catch (IOException | RuntimeException e) { // the library trusts what pages say
            throw new FormatException(
                    "the page at byte %d is damaged: %s".formatted(start + pages.page(), reason(e)), e);
        }
        if (column.rows() != rows) {
            throw new FormatException("%d rows are wanted, %d came".formatted(rows, column.rows()));
        }
        return column.build();
    }

    /** How many bytes the values take by what the footer claims, within what the stored bytes make likely. */
    private static long expected(ParquetLeaf leaf, ColumnMetaData metadata, int stored) {
        long claimed = leaf.type().bytes()
                ? metadata.getTotal_uncompressed_size()
                : metadata.getNum_values() * leaf.type().dtype().bytes();
        return Math.min(claimed, LIKELY_RATIO * stored);
    }

    /** What a library says of damaged bytes, unless it met them by accident and says a bare number. */
    static String reason(Throwable e) {
        Throwable last =
                (e instanceof ParquetDecodingException || e instanceof UncheckedIOException) && e.getCause() != null
                        ? e.getCause()
                        : e;
        boolean accident = last instanceof IndexOutOfBoundsException || last instanceof NegativeArraySizeException;
        String message = last.getMessage();
        return accident || message == null ? "its lengths and counts contradict each other" : message;
    }

    private void read(ColumnReader reader, long values) {
        int defined = leaf.descriptor().getMaxDefinitionLevel();
        ParquetElement.Adding adding = leaf.element().adding();
        for (long i = 0; i < values; i++) {
            int definition = reader.getCurrentDefinitionLevel();
            requireLevel(definition, defined);
            requireLevel(reader.getCurrentRepetitionLevel(), lists.size());
            if (lists.isEmpty()) {
                row();
            } else if (!open(reader.getCurrentRepetitionLevel(), definition)) {
                reader.consume();
                continue;
            }
            if (definition == defined) {
                adding.add(reader, column);
            } else {
                column.missing(true);
            }
            reader.consume();
        }
    }

    static void requireLevel(int level, int max) {
        if (level > max) {
            throw new FormatException("a level is %d, the max is %d".formatted(level, max));
        }
    }

    private void row() {
        if (column.rows() == rows) {
            throw new FormatException("more than %d rows came".formatted(rows));
        }
        column.row();
    }

    /** Begins the lists and elements that a value is the first of; returns whether the innermost has an element. */
    private boolean open(int repetition, int definition) {
        if (repetition == 0) {
            row();
        } else if (column.rows() == 0 || definition < lists.get(repetition - 1)) {
            throw new FormatException("levels contradict each other");
        } else {
            column.element(repetition - 1);
        }
        for (int level = repetition; level < lists.size(); level++) {
            column.list(level);
            if (definition < lists.get(level)) {
                if (definition < lists.get(level) - 1) {
                    column.missing(false);
                }
                return false;
            }
            column.element(level);
        }
        return true;
    }
}
