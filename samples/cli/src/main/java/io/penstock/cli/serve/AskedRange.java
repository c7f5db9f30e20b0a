package io.penstock.cli.serve;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The part of a file that a request wants, clipped to the file.
 *
 * @param first byte
 * @param last  byte; less than {@code first} where the file has none of them
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-14.1.1">RFC 9110, range specifiers</a>
 */
record AskedRange(long first, long last) {

    private static final Pattern ONE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /** Null where all is wanted: without the header, and with one that a server may ignore. */
    static @Nullable AskedRange parse(@Nullable String header, long size) {
        Matcher one = ONE.matcher(header == null ? "" : header.replace(" ", ""));
        if (!one.matches() || one.group(1).isEmpty() && one.group(2).isEmpty()) {
            return null;
        }
        if (one.group(1).isEmpty()) {
            long tail = Long.parseLong(one.group(2));
            return new AskedRange(tail == 0 ? size : Math.max(0, size - tail), size - 1);
        }
        long first = Long.parseLong(one.group(1));
        long last = one.group(2).isEmpty() ? Long.MAX_VALUE : Long.parseLong(one.group(2));
        return last < first ? null : new AskedRange(first, Math.min(last, size - 1));
    }

    boolean isEmpty() {
        return last < first;
    }

    long length() {
        return last - first + 1;
    }
}
