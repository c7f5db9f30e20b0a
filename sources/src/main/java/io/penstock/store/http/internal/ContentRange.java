package io.penstock.store.http.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which bytes a reply carries, of how many.
 *
 * @param first of the bytes, -1 if it carries none
 * @param last  of them, -1 if it carries none
 * @param total -1 if it does not say
 */
record ContentRange(long first, long last, long total) {

    private static final Pattern FORM = Pattern.compile("bytes (?:(\\d{1,18})-(\\d{1,18})|\\*)/(?:(\\d{1,18})|\\*)");

    /** Null where the header is missing or makes no sense. */
    static @Nullable ContentRange parse(@Nullable String header) {
        Matcher form = FORM.matcher(header == null ? "" : header.strip());
        if (!form.matches()) {
            return null;
        }
        long first = number(form.group(1));
        long last = number(form.group(2));
        long total = number(form.group(3));
        return last < first || total >= 0 && last >= total ? null : new ContentRange(first, last, total);
    }

    private static long number(@Nullable String digits) {
        return digits == null ? -1 : Long.parseLong(digits);
    }
}
