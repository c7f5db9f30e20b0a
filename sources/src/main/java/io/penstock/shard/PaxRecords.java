package io.penstock.shard;

import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The pax extended headers that hold for a member: lines of {@code length key=value}. Kept is what changes which bytes
 * are meant, or their name: a global header holds for all members that follow, and may say anything.
 *
 * @param path     its bytes as characters; null if the header of the member has it
 * @param size     as it is written; null if the header of the member has it
 * @param isSparse whether the member's bytes leave out zeros, as those that {@code tar --sparse} writes
 * @see <a href="https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_03">POSIX, pax</a>
 */
record PaxRecords(@Nullable String path, @Nullable String size, boolean isSparse) {

    static final PaxRecords NONE = new PaxRecords(null, null, false);

    /**
     * These, and the records of another header over them.
     * @param broken makes what is thrown of what is wrong
     */
    PaxRecords with(byte[] bytes, Function<String, RuntimeException> broken) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        PaxRecords all = this;
        int at = 0;
        while (at < bytes.length && bytes[at] != 0) {
            int space = indexOf(' ', text, at, bytes.length);
            long length = TarNumber.decimal(text.substring(at, Math.min(at + 20, space)));
            if (length < space - at + 3 || length > bytes.length - at || bytes[at + (int) length - 1] != '\n') {
                throw broken.apply(
                        "has a pax record of a wrong length at byte %d of its extended header".formatted(at));
            }
            int end = at + (int) length - 1;
            int equals = indexOf('=', text, space + 1, end);
            if (equals == end) {
                throw broken.apply("has a pax record without \"=\" at byte %d of its extended header".formatted(at));
            }
            all = all.with(text.substring(space + 1, equals), text.substring(equals + 1, end));
            at = end + 1;
        }
        return all;
    }

    /** An empty value takes back what a global header said. */
    private PaxRecords with(String key, String text) {
        String value = text.isEmpty() ? null : text;
        return switch (key) {
            case "path" -> new PaxRecords(value, size, isSparse);
            case "size" -> new PaxRecords(path, value, isSparse);
            default -> value != null && key.startsWith("GNU.sparse.") ? new PaxRecords(path, size, true) : this;
        };
    }

    private static int indexOf(char wanted, String text, int from, int end) {
        int found = text.indexOf(wanted, from);
        return found < 0 ? end : Math.min(found, end);
    }
}
