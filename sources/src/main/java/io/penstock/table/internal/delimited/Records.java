package io.penstock.table.internal.delimited;

/**
 * Finds where records end. The index of records and the decoder of a group share it, so that they cannot disagree.
 * Quotes, separators and line feeds are ASCII, which no part of another character is in UTF-8.
 *
 * <p>A record ends with a line feed outside of quotes. If a quote closes on a later line and text follows it, it was
 * hardly meant as a quote: the record ends with the line that the quote is on. Only even numbers of quotes lie between
 * the two, and none of them opens a cell for long, so that hardly a byte is passed more than twice.
 */
final class Records {

    /** At the beginning of a cell. */
    private static final int START = 0;

    /** In a cell without quotes, or in a line of JSON. */
    private static final int PLAIN = 1;

    /** In a cell, within quotes. */
    private static final int QUOTED = 2;

    /** After a quote that closes, or is the first of two. */
    private static final int CLOSED = 3;

    private final RecordSyntax syntax;
    private final byte separator;
    private final byte quote;
    private boolean begun;
    private int state;
    private boolean blank;
    private long line;
    private long nextLine;
    private long end;
    private long quoteLine;
    private long quoteLineEnd; // -1 while it is not known

    /** @param line the number of the first line */
    Records(RecordSyntax syntax, long line) {
        this.syntax = syntax;
        this.separator = syntax.separator();
        this.quote = syntax.hasCells() ? (byte) '"' : (byte) '\n';
        this.nextLine = line;
    }

    /**
     * Goes on with some bytes of a record; false if it does not end within them.
     * @param offset of the array's first byte in the file
     */
    boolean endsIn(byte[] bytes, int from, int to, long offset) {
        if (!begun) {
            begun = true;
            line = nextLine;
            blank = true;
            state = syntax.hasCells() ? START : PLAIN;
        }
        int now = state;
        for (int i = from; i < to; ) {
            if (now == QUOTED) {
                while (i < to && bytes[i] != '"') {
                    if (bytes[i++] == '\n') {
                        nextLine++;
                        quoteLineEnd = quoteLineEnd < 0 ? offset + i : quoteLineEnd;
                    }
                }
                now = i++ < to ? CLOSED : QUOTED;
                continue;
            }
            if (now == CLOSED) {
                byte b = bytes[i];
                if (b == '"' || b == '\r' || b == separator) {
                    now = b == '"' ? QUOTED : b == '\r' ? CLOSED : START;
                    i++;
                    continue;
                }
                if (b != '\n' && quoteLineEnd >= 0) {
                    return cut();
                }
            }
            int start = i;
            while (i < to && bytes[i] != '\n' && bytes[i] != quote) {
                i++;
            }
            blank = blank && syntax.isBlank(bytes, start, i);
            if (i > start) {
                now = bytes[i - 1] == separator ? START : PLAIN;
            }
            if (i < to && bytes[i] == '\n') {
                nextLine++;
                return ended(offset + i + 1);
            }
            if (i++ < to) {
                blank = false;
                if (now == START) {
                    now = QUOTED;
                    quoteLine = nextLine;
                    quoteLineEnd = -1;
                }
            }
        }
        state = now;
        return false;
    }

    private boolean ended(long at) {
        end = at;
        begun = false;
        return true;
    }

    private boolean cut() {
        nextLine = quoteLine + 1;
        return ended(quoteLineEnd);
    }

    /** Ends the record where the bytes of a group end. The group was made of whole records, so an open quote is none. */
    void endAt(long offset) {
        if (isQuoted() && quoteLineEnd >= 0) {
            cut();
        } else {
            ended(offset);
        }
    }

    /** Whether a quote is open. */
    boolean isQuoted() {
        return state == QUOTED;
    }

    /** The number of the line that the record begins with. */
    long line() {
        return line;
    }

    /** The number of the line that the next record begins with. */
    long nextLine() {
        return nextLine;
    }

    /** Where the record ends: behind its line feed. */
    long end() {
        return end;
    }

    /** Whether it counts as none. */
    boolean isBlank() {
        return blank;
    }
}
