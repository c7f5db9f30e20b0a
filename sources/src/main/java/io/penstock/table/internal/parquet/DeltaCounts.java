package io.penstock.table.internal.parquet;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;

/** Checks the number of values that delta-encoded bytes claim, since the library allocates for all of them at once. */
final class DeltaCounts {

    private static final int MAX_BLOCK = 1 << 20;

    private DeltaCounts() {}

    /** How many bytes of a page of version 1 are levels; -1 where they end behind it. */
    static int levels(byte[] page, ColumnDescriptor column) {
        int at = 0;
        for (int max : new int[] {column.getMaxRepetitionLevel(), column.getMaxDefinitionLevel()}) {
            if (max > 0 && at >= 0) {
                if (page.length - at < Integer.BYTES) {
                    return -1;
                }
                int length =
                        ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getInt(at);
                at = length < 0 || length > page.length - at - Integer.BYTES ? -1 : at + Integer.BYTES + length;
            }
        }
        return at;
    }

    /**
     * Checks a page's values.
     * @param at     where they begin
     * @param values that the page has at most
     */
    static void check(Encoding encoding, byte[] page, int at, int values) {
        boolean delta = encoding == Encoding.DELTA_BINARY_PACKED
                || encoding == Encoding.DELTA_LENGTH_BYTE_ARRAY
                || encoding == Encoding.DELTA_BYTE_ARRAY;
        if (!delta || at == page.length) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.wrap(page).position(Math.max(0, at));
        long block = number(bytes);
        long parts = number(bytes);
        long count = number(bytes);
        boolean right = at >= 0 && block > 0 && block <= MAX_BLOCK && parts > 0 && parts <= block && count <= values;
        if (!right) {
            throw new FormatException("delta-encoded values claim %d values in blocks of %d, the page has %d"
                    .formatted(count, block, values));
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
        throw new FormatException("delta-encoded values have no header");
    }
}
