package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.MemoryBudget;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DataPageHeaderV2;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.jspecify.annotations.Nullable;
import shaded.parquet.org.apache.thrift.TConfiguration;
import shaded.parquet.org.apache.thrift.TException;
import shaded.parquet.org.apache.thrift.protocol.TCompactProtocol;
import shaded.parquet.org.apache.thrift.transport.TIOStreamTransport;

/**
 * The pages of a column in one row group, checked before the library decodes them: their lengths, their checksums where
 * they have some, and the counts from which the library allocates arrays.
 *
 * <p>The library's own reader of files needs Hadoop's classes, 20 MB of them, and its schemas a geometry library. So
 * page headers are read here, with its Thrift classes, and its encodings decode the pages.
 */
final class ColumnPages implements PageReader {

    /** What the library keeps in memory for a text of a dictionary, besides its bytes. */
    private static final int DICTIONARY_VALUE = 56;

    private final ColumnDescriptor column;
    private final ColumnMetaData metadata;
    private final byte[] bytes;
    private final int start;
    private final int end;
    private final ByteArrayInputStream in;
    private final MemoryBudget budget;
    private final PageClaims claims;
    private long valuesLeft;
    private int lastPage;
    private @Nullable DataPage first;

    ColumnPages(ColumnDescriptor column, ColumnMetaData metadata, ByteBuffer stored, MemoryBudget budget) {
        this.column = column;
        this.metadata = metadata;
        this.bytes = stored.array();
        this.start = stored.arrayOffset() + stored.position();
        this.end = start + stored.remaining();
        this.in = new ByteArrayInputStream(bytes, start, end - start);
        this.budget = budget;
        this.claims = new PageClaims(column, budget);
        this.valuesLeft = metadata.getNum_values();
    }

    @Override
    public long getTotalValueCount() {
        return metadata.getNum_values();
    }

    /** Where the page began that was read last, in the column's bytes. */
    int page() {
        return lastPage;
    }

    @Override
    @SuppressWarnings("NullAway") // the library's contract: null where there is none
    public @Nullable DictionaryPage readDictionaryPage() {
        PageHeader header = header();
        if (header == null) {
            return null;
        }
        if (!header.isSetDictionary_page_header()) {
            first = page(header);
            return null;
        }
        DictionaryPageHeader dictionary = header.getDictionary_page_header();
        byte[] page = decoded(body(header), header.getCompressed_page_size(), header.getUncompressed_page_size());
        int values = dictionary.getNum_values();
        require(
                values >= 0 && (long) values * leastBytes() <= page.length,
                "a dictionary of %d values has %d bytes",
                values,
                page.length);
        claims.require((long) values * DICTIONARY_VALUE);
        return new DictionaryPage(BytesInput.from(page), values, encoding(dictionary.getEncoding()));
    }

    /** That a value takes in a dictionary. */
    private int leastBytes() {
        return switch (column.getPrimitiveType().getPrimitiveTypeName()) {
            case BOOLEAN -> 1;
            case INT32, FLOAT, BINARY -> Integer.BYTES; // a text begins with its length
            case INT64, DOUBLE -> Long.BYTES;
            case INT96, FIXED_LEN_BYTE_ARRAY -> column.getPrimitiveType().getTypeLength();
        };
    }

    @Override
    @SuppressWarnings("NullAway")
    public @Nullable DataPage readPage() {
        DataPage page = first;
        first = null;
        while (page == null && valuesLeft > 0) {
            PageHeader header = header();
            require(header != null, "pages end %d values early", valuesLeft);
            page = page(header);
        }
        return page;
    }

    private @Nullable PageHeader header() {
        if (in.available() == 0) {
            return null;
        }
        lastPage = end - start - in.available();
        try {
            TConfiguration limits =
                    TConfiguration.custom().setMaxMessageSize(in.available()).build();
            PageHeader header = new PageHeader();
            header.read(new TCompactProtocol(new TIOStreamTransport(limits, in)));
            return header;
        } catch (StackOverflowError e) { // the library reads them by calling itself
            throw new FormatException("the header of a page has parts within parts without end");
        } catch (TException e) {
            throw new FormatException("the header of a page cannot be read: " + ParquetColumnReader.reason(e), e);
        }
    }

    /** Where the stored bytes begin of the page whose header was read. */
    private int body(PageHeader header) {
        int length = header.getCompressed_page_size();
        require(
                length >= 0 && length <= in.available() && header.getUncompressed_page_size() >= 0,
                "a page claims %d bytes, %d are left",
                length,
                in.available());
        int from = end - in.available();
        in.skip(length);
        if (header.isSetCrc()) {
            CRC32 sum = new CRC32();
            sum.update(bytes, from, length);
            require((int) sum.getValue() == header.getCrc(), "the checksum of a page is wrong");
        }
        return from;
    }

    private byte[] decoded(int from, int stored, int length) {
        budget.take(length);
        try {
            return PageCodec.decode(metadata.getCodec(), bytes, from, stored, length);
        } finally {
            budget.give(length);
        }
    }

    private @Nullable DataPage page(PageHeader header) {
        if (header.isSetData_page_header()) {
            return page(header, header.getData_page_header());
        }
        if (header.isSetData_page_header_v2()) {
            return page(header, header.getData_page_header_v2());
        }
        body(header); // an index, or a kind that came later
        return null;
    }

    private DataPage page(PageHeader header, DataPageHeader data) {
        take(data.getNum_values());
        byte[] page = decoded(body(header), header.getCompressed_page_size(), header.getUncompressed_page_size());
        Encoding values = encoding(data.getEncoding());
        Encoding repetition = encoding(data.getRepetition_level_encoding());
        Encoding definition = encoding(data.getDefinition_level_encoding());
        claims.values(
                values, page, claims.levels(page, repetition, definition, data.getNum_values()), data.getNum_values());
        return new DataPageV1(
                BytesInput.from(page), data.getNum_values(), page.length, null, repetition, definition, values);
    }

    private DataPage page(PageHeader header, DataPageHeaderV2 data) {
        take(data.getNum_values());
        int from = body(header);
        int stored = header.getCompressed_page_size();
        int repetition = data.getRepetition_levels_byte_length();
        int definition = data.getDefinition_levels_byte_length();
        require(
                repetition >= 0 && definition >= 0 && repetition <= stored && definition <= stored - repetition,
                "levels of %d and %d bytes are in a page of %d",
                repetition,
                definition,
                stored);
        int levels = repetition + definition;
        int length = header.getUncompressed_page_size() - levels;
        require(length >= 0, "a page claims %d bytes after its levels", length);
        boolean plain = data.isSetIs_compressed() && !data.isIs_compressed()
                || metadata.getCodec() == CompressionCodec.UNCOMPRESSED;
        byte[] values = plain
                ? Arrays.copyOfRange(bytes, from + levels, from + stored)
                : decoded(from + levels, stored - levels, length);
        Encoding encoding = encoding(data.getEncoding());
        claims.levels(ByteBuffer.wrap(bytes, from, repetition), column.getMaxRepetitionLevel(), data.getNum_values());
        claims.levels(
                ByteBuffer.wrap(bytes, from + repetition, definition),
                column.getMaxDefinitionLevel(),
                data.getNum_values());
        claims.values(encoding, values, 0, data.getNum_values());
        return DataPageV2.uncompressed(
                data.getNum_rows(),
                data.getNum_nulls(),
                data.getNum_values(),
                BytesInput.from(bytes, from, repetition),
                BytesInput.from(bytes, from + repetition, definition),
                encoding,
                BytesInput.from(values),
                null);
    }

    private void take(int values) {
        require(values >= 0 && values <= valuesLeft, "a page claims %d values, %d are left", values, valuesLeft);
        claims.require(values / Byte.SIZE); // a bit says of each whether it is null
        valuesLeft -= values;
    }

    private static Encoding encoding(org.apache.parquet.format.@Nullable Encoding encoding) {
        if (encoding == null) {
            throw new FormatException("a page has an encoding that is not known");
        }
        return Encoding.valueOf(encoding.name());
    }

    @SuppressWarnings("AnnotateFormatMethod") // its annotation is in a library of its own
    private static void require(boolean right, String message, Object... values) {
        if (!right) {
            throw new FormatException(message.formatted(values));
        }
    }
}
