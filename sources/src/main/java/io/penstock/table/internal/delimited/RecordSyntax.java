package io.penstock.table.internal.delimited;

/**
 * How a file of records is read byte by byte. The index of records and the decoder of a group share it, so that they
 * cannot disagree about where a record ends. Quotes, separators and line feeds are ASCII, which no part of another
 * character is in UTF-8.
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

    /** At the beginning of a cell. */
    static final int START = 0;

    /** In a cell without quotes. */
    static final int PLAIN = 1;

    /** In a cell, within quotes. */
    static final int QUOTED = 2;

    /** After a quote that closes, or is the first of two. */
    static final int CLOSED = 3;

    /** After the line feed that ends a record. */
    static final int END = 4;

    private final byte separator;

    RecordSyntax(char separator) {
        this.separator = (byte) separator;
    }

    /** Whether the first record has the names of the columns. */
    boolean hasHeader() {
        return this != JSON_LINES;
    }

    /** Whether a byte is there in a record that counts as empty. */
    boolean isBlank(byte b) {
        return b == '\n' || b == '\r' || this == JSON_LINES && (b == ' ' || b == '\t');
    }

    /** The state after a byte. */
    int next(int state, byte b) {
        if (b == '\n') {
            return state == QUOTED ? QUOTED : END;
        }
        if (this == JSON_LINES) {
            return PLAIN;
        }
        if (state == QUOTED) {
            return b == '"' ? CLOSED : QUOTED;
        }
        if (b == separator) {
            return START;
        }
        if (b == '"' && state != PLAIN) {
            return QUOTED;
        }
        return state == CLOSED && b == '\r' ? CLOSED : PLAIN;
    }
}
