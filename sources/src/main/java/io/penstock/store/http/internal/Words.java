package io.penstock.store.http.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** Texts of failures and times for messages. */
public final class Words {

    private static final int MAX = 200;

    private Words() {}

    static String of(Duration time) {
        return time.toMillis() < 1000
                ? time.toMillis() + " ms"
                : String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1e3);
    }

    /** A failure's own message in one line that holds no address with credentials, or what it is. */
    static String of(Throwable failure) {
        String message = failure.getMessage();
        String line = message == null ? "" : plain(message);
        if (line.isEmpty()) {
            return failure.getClass().getSimpleName();
        }
        return line.replaceAll("://[^/\\s@]*@", "://").replaceAll("\\?\\S*", "?…");
    }

    /** Text of a server's as it may be printed: one line, not long. */
    static String plain(String text) {
        String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
        return line.length() <= MAX ? line : line.substring(0, MAX) + "…";
    }

    /** Whether a text may be the value of a header. */
    public static boolean isPrintable(String text) {
        return StandardCharsets.US_ASCII.newEncoder().canEncode(text)
                && text.chars().allMatch(c -> c >= 0x20 && c < 0x7f || c == '\t');
    }
}
