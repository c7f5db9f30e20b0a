package io.penstock.table.internal.delimited;

import io.penstock.fault.FormatException;
import io.penstock.store.internal.StoreInput;
import io.penstock.store.internal.TextStart;
import java.util.Arrays;

/**
 * Where the records of a file lie, in groups of some {@value #TARGET_BYTES} bytes: a group is read and decoded at once.
 * 20 bytes a group.
 *
 * @param header  where the first record after the header begins
 * @param offsets where each group begins, and at last where the last one ends
 * @param rows    that each group has
 * @param lines   the number of the line that each group begins with, from 1
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RecordGroups(long header, long[] offsets, int[] rows, long[] lines) {

    static final int TARGET_BYTES = 256 * 1024;
    private static final int MAX_RECORD = 256 << 20;
    static final int MAX_BYTES = MAX_RECORD + 2 * TARGET_BYTES;
    private static final int WINDOW = 64 * 1024;

    int size() {
        return rows.length;
    }

    /**
     * Scans a file once, from its first byte to its last.
     * @throws FormatException if a quote is never closed, or a record is too long
     */
    static RecordGroups scan(StoreInput input, RecordSyntax syntax, String name) {
        return new Scan(syntax, name).of(input);
    }

    /** A scan under way. */
    private static final class Scan {
        private final String name;
        private final Records records;
        private long[] offsets = new long[16];
        private int[] rows = new int[16];
        private long[] lines = new long[16];
        private int groups;
        private long header;
        private boolean inHeader;
        private int groupRows;
        private long groupStart;
        private long groupLine = 1;
        private long recordStart;

        Scan(RecordSyntax syntax, String name) {
            this.name = name;
            this.records = new Records(syntax, 1);
            this.inHeader = syntax.hasCells();
        }

        RecordGroups of(StoreInput input) {
            byte[] window = new byte[WINDOW];
            long offset = 0;
            for (int count = input.read(window, 0, WINDOW); count >= 0; count = input.read(window, 0, WINDOW)) {
                long at = offset;
                if (offset == 0) {
                    at = TextStart.markBytes(window, count, name);
                    recordStart = at;
                    groupStart = at;
                }
                long windowEnd = offset + count;
                while (at >= offset && at < windowEnd && records.endsIn(window, (int) (at - offset), count, offset)) {
                    at = records.end();
                    take(at);
                }
                offset = at < offset ? at : windowEnd;
                if (offset < windowEnd) { // a quote that was none took many lines
                    input.seek(offset);
                }
                if (offset - recordStart > MAX_RECORD) {
                    throw new FormatException("%s, line %d: the record has more than %d bytes%s"
                            .formatted(
                                    name,
                                    records.line(),
                                    MAX_RECORD,
                                    records.isQuoted() ? "; a quote in it may not be closed" : ""));
                }
            }
            if (recordStart < offset) {
                if (records.isQuoted()) {
                    throw new FormatException(
                            "%s, line %d: a quote in this record is never closed".formatted(name, records.line()));
                }
                records.endAt(offset);
                take(offset);
            }
            if (groupRows > 0) {
                close(offset);
            }
            long[] starts = Arrays.copyOf(offsets, groups + 1);
            starts[groups] = offset;
            return new RecordGroups(header, starts, Arrays.copyOf(rows, groups), Arrays.copyOf(lines, groups));
        }

        private void take(long end) {
            recordStart = end;
            if (records.isBlank()) {
                return;
            }
            if (inHeader) {
                inHeader = false;
                header = end;
                groupStart = end;
                groupLine = records.nextLine();
                return;
            }
            groupRows++;
            if (end - groupStart >= TARGET_BYTES) {
                close(end);
            }
        }

        private void close(long end) {
            if (groups + 1 == offsets.length) {
                offsets = Arrays.copyOf(offsets, 2 * offsets.length);
                rows = Arrays.copyOf(rows, offsets.length);
                lines = Arrays.copyOf(lines, offsets.length);
            }
            offsets[groups] = groupStart;
            rows[groups] = groupRows;
            lines[groups++] = groupLine;
            groupStart = end;
            groupLine = records.nextLine();
            groupRows = 0;
        }
    }
}
