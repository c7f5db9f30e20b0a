package io.penstock.table.internal.delimited;

/**
 * How the records of a file are written.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc4180">RFC 4180</a>
 */
enum RecordSyntax {

    /** Cells with commas between them. A cell may be in quotes; there, two quotes stand for one. */
    CSV(','),

    /** The same with tabs. */
    TSV('\t'),

    /** An object a line. */
    JSON_LINES('\n');

    private final byte separator;

    RecordSyntax(char separator) {
        this.separator = (byte) separator;
    }

    /** Whether records are of cells, and the first has the names of the columns. */
    boolean hasCells() {
        return this != JSON_LINES;
    }

    byte separator() {
        return separator;
    }

    /** Whether all bytes of a range are such as are in a record that counts as empty. */
    boolean isBlank(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] != '\r' && (hasCells() || bytes[i] != ' ' && bytes[i] != '\t')) {
                return false;
            }
        }
        return true;
    }
}
