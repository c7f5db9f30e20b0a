package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import io.penstock.table.internal.MemoryBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.bytes.ByteBufferInputStream;
import org.apache.parquet.bytes.BytesUtils;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.values.delta.DeltaBinaryPackingValuesReader;

/**
 * Checks the counts that the encoded bytes of a column's pages claim, since the library allocates for all of a run, a
 * block or a text at once, before it looks whether the bytes are there.
 * @see <a href="https://parquet.apache.org/docs/file-format/data-pages/encodings/">The encodings</a>
 */
final class PageClaims {

    private static final int MAX_BLOCK = 1 << 20;
    private static final int GROUP = 8;

    /** Groups that a packed run may always claim: writers that count them in one byte pad the last run. */
    private static final int SMALL_RUN = 64;

    private final ColumnDescriptor column;
    private final MemoryBudget budget;
    private long lastText; // its length: old writers let a page begin with a part of the last text before it

    PageClaims(ColumnDescriptor column, MemoryBudget budget) {
        this.column = column;
        this.budget = budget;
    }

    /** The memory that the library takes for a time: refused if it is not there. */
    void require(long bytes) {
        budget.take(bytes);
        budget.give(bytes);
    }

    /**
     * Checks the levels that a page of version 1 begins with.
     * @return where its values begin
     */
    int levels(byte[] page, Encoding repetition, Encoding definition, int values) {
        int at = levels(page, 0, repetition, column.getMaxRepetitionLevel(), values);
        return levels(page, at, definition, column.getMaxDefinitionLevel(), values);
    }

    private int levels(byte[] page, int at, Encoding encoding, int max, int values) {
        if (max == 0) {
            return at;
        }
        if (encoding != Encoding.RLE) {
            long bits = (long) values * BytesUtils.getWidthFromMaxInt(max);
            return (int) Math.min(page.length, at + (bits + 7) / Byte.SIZE);
        }
        ByteBuffer runs = sized(page, at, "levels");
        levels(runs, max, values);
        return runs.limit();
    }

    /** Checks levels that are all of a buffer, up to some max. */
    void levels(ByteBuffer levels, int max, int values) {
        if (max > 0) {
            runs(levels, BytesUtils.getWidthFromMaxInt(max), values, "levels");
        }
    }

    /**
     * Checks a page's values.
     * @param at     where they begin
     * @param values that the page has at most
     */
    void values(Encoding encoding, byte[] page, int at, int values) {
        if (at >= page.length) {
            return;
        }
        switch (encoding) {
            case RLE -> runs(sized(page, at, "values"), 1, values, "values");
            case RLE_DICTIONARY, PLAIN_DICTIONARY ->
                runs(ByteBuffer.wrap(page, at + 1, page.length - at - 1), page[at], values, "values");
            case DELTA_BINARY_PACKED, DELTA_LENGTH_BYTE_ARRAY -> delta(page, at, values);
            case DELTA_BYTE_ARRAY -> {
                try {
                    texts(page, at, values);
                } catch (IOException e) {
                    throw new UncheckedIOException(e); // the bytes end
                }
            }
            default -> {} // not counted, or by the library
        }
    }

    /** The bytes behind a length of four bytes, which it states. */
    private static ByteBuffer sized(byte[] page, int at, String what) {
        int left = page.length - at - Integer.BYTES;
        int length = left < 0
                ? -1
                : ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
        if (length < 0 || length > left) {
            throw new FormatException(
                    "%s claim %d bytes, %d are left of the page".formatted(what, length, Math.max(0, left)));
        }
        return ByteBuffer.wrap(page, at + Integer.BYTES, length);
    }

    private void runs(ByteBuffer bytes, int width, int values, String what) {
        long largest = 0;
        for (long left = values; left > 0 && bytes.hasRemaining(); ) {
            long header = number(bytes) & 0xFFFF_FFFFL;
            long count = header >>> 1;
            boolean packed = (header & 1) != 0;
            long stored = packed ? count * width : (width + 7L) / Byte.SIZE;
            if (packed) {
                boolean small = count <= SMALL_RUN;
                count *= GROUP;
                if (!small && (count - left >= GROUP || stored > bytes.remaining())) {
                    throw new FormatException("a run of %d %s is claimed in %d bytes, the page has %d values"
                            .formatted(count, what, bytes.remaining(), values));
                }
                largest = Math.max(largest, count);
            }
            bytes.position(bytes.position() + (int) Math.min(bytes.remaining(), Math.max(0, stored)));
            left -= count;
        }
        require(largest * (Integer.BYTES + Byte.BYTES));
    }

    /** Checks the header of delta-encoded numbers, and returns how many they are. */
    private int delta(byte[] page, int at, int values) {
        ByteBuffer bytes = ByteBuffer.wrap(page, at, page.length - at);
        long block = number(bytes);
        long parts = number(bytes);
        long count = number(bytes);
        if (block <= 0 || block > MAX_BLOCK || parts <= 0 || parts > block || count > values) {
            throw new FormatException("delta-encoded values claim %d values in blocks of %d, the page has %d"
                    .formatted(count, block, values));
        }
        require((count + block) * Long.BYTES);
        return (int) count;
    }

    /** Checks texts that each begin with a part of the one before: how much of that each claims. */
    private void texts(byte[] page, int at, int values) throws IOException {
        int count = delta(page, at, values);
        ByteBufferInputStream in = ByteBufferInputStream.wrap(ByteBuffer.wrap(page, at, page.length - at));
        DeltaBinaryPackingValuesReader prefixes = new DeltaBinaryPackingValuesReader();
        prefixes.initFromPage(values, in);
        if (delta(page, page.length - in.available(), values) != count) {
            throw new FormatException("texts do not have as many beginnings as ends");
        }
        DeltaBinaryPackingValuesReader rests = new DeltaBinaryPackingValuesReader();
        rests.initFromPage(values, in);
        for (int i = 0; i < count; i++) {
            long prefix = prefixes.readInteger();
            long rest = rests.readInteger();
            if (prefix < 0 || prefix > lastText || rest < 0 || rest > in.available()) {
                throw new FormatException("text %d claims %d bytes of the one before, which has %d, and %d more"
                        .formatted(i, prefix, lastText, rest));
            }
            lastText = prefix + rest;
            require(lastText);
        }
    }

    private static long number(ByteBuffer bytes) {
        long number = 0;
        for (int shift = 0; shift < Integer.SIZE && bytes.hasRemaining(); shift += 7) {
            int next = bytes.get();
            number |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new FormatException("a count of values cannot be read");
    }
}
