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
    static final int MAX_RECORD = 256 << 20;
    private static final int WINDOW = 64 * 1024;

    int size() {
        return rows.length;
    }

    /**
     * Scans a file once, from its first byte to its last.
     * @throws FormatException if a quote is never closed or seems not to be, or a record is too long
     */
    static RecordGroups scan(StoreInput input, RecordSyntax syntax, String name) {
        return new Scan(syntax, name).of(input);
    }

    /** A scan under way. */
    private static final class Scan {
        private final RecordSyntax syntax;
        private final String name;
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
        private long recordLine = 1;
        private long line = 1;
        private long quoteLine;

        Scan(RecordSyntax syntax, String name) {
            this.syntax = syntax;
            this.name = name;
            this.inHeader = syntax.hasHeader();
        }

        RecordGroups of(StoreInput input) {
            byte[] window = new byte[WINDOW];
            long offset = 0;
            int state = RecordSyntax.START;
            boolean blank = true;
            for (int count = input.read(window, 0, WINDOW); count >= 0; count = input.read(window, 0, WINDOW)) {
                int from = offset == 0 ? TextStart.markBytes(window, count, name) : 0;
                if (offset == 0) {
                    recordStart = from;
                    groupStart = from;
                }
                for (int i = from; i < count; i++) {
                    byte b = window[i];
                    int before = state;
                    state = syntax.next(before, b);
                    if (state == RecordSyntax.QUOTED && before == RecordSyntax.START) {
                        quoteLine = line;
                    } else if (state == RecordSyntax.PLAIN && before == RecordSyntax.CLOSED && line > quoteLine) {
                        throw new FormatException(
                                ("%s, line %d: a quote that begins a cell here is closed on line %d, and"
                                                + " text follows it: is it never closed? put the cell into quotes, with two"
                                                + " for one")
                                        .formatted(name, quoteLine, line));
                    }
                    blank &= syntax.isBlank(b);
                    if (b == '\n') {
                        line++;
                        if (state == RecordSyntax.END) {
                            end(offset + i + 1, blank);
                            blank = true;
                            state = RecordSyntax.START;
                        }
                    }
                }
                offset += count;
                if (offset - recordStart > MAX_RECORD) {
                    throw new FormatException("%s, line %d: the record has more than %d bytes%s"
                            .formatted(name, recordLine, MAX_RECORD, quote(state)));
                }
            }
            if (state == RecordSyntax.QUOTED) {
                throw new FormatException(
                        "%s, line %d: a quote in this record is never closed".formatted(name, recordLine));
            }
            end(offset, blank);
            if (groupRows > 0) {
                close(offset);
            }
            long[] starts = Arrays.copyOf(offsets, groups + 1);
            starts[groups] = offset;
            return new RecordGroups(header, starts, Arrays.copyOf(rows, groups), Arrays.copyOf(lines, groups));
        }

        private static String quote(int state) {
            return state == RecordSyntax.QUOTED ? "; a quote in it may not be closed" : "";
        }

        private void end(long end, boolean blank) {
            recordStart = end;
            recordLine = line;
            if (blank) {
                return;
            }
            if (inHeader) {
                inHeader = false;
                header = end;
                groupStart = end;
                groupLine = line;
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
            groupLine = line;
            groupRows = 0;
        }
    }
}
