package io.penstock.shard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pax extended header of a member: lines of {@code length key=value}. Only keys that change which bytes
 * are meant, or their name, are kept.
 * @see <a href="https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_03">POSIX, pax</a>
 */
final class PaxRecords {

    private static final String SPARSE = "GNU.sparse.";

    /** No others are kept: what a global header says is kept for all members that follow, and it may say anything. */
    private static final Set<String> SPARSE_KEYS = Set.of(
            SPARSE + "major",
            SPARSE + "minor",
            SPARSE + "name",
            SPARSE + "realsize",
            SPARSE + "size",
            SPARSE + "numblocks",
            SPARSE + "map");

    private final Map<String, String> values = new HashMap<>();
    private final List<Long> sparse = new ArrayList<>(); // offset, length, offset, … of version 0.0

    /**
     * Reads records over those known.
     * @return what is wrong with them, or {@code null}
     */
    @Nullable String read(byte[] bytes) {
        int at = 0;
        while (at < bytes.length && bytes[at] != 0) {
            int space = at;
            while (space < bytes.length && bytes[space] != ' ') {
                space++;
            }
            long length = TarNumber.decimal(new String(bytes, at, Math.min(20, space - at), StandardCharsets.US_ASCII));
            if (length < space - at + 3 || length > bytes.length - at || bytes[at + (int) length - 1] != '\n') {
                return "has a pax record of a wrong length at byte %d of its extended header".formatted(at);
            }
            int end = at + (int) length - 1;
            int equals = space + 1;
            while (equals < end && bytes[equals] != '=') {
                equals++;
            }
            if (equals == end) {
                return "has a pax record without \"=\" at byte %d of its extended header".formatted(at);
            }
            keep(
                    new String(bytes, space + 1, equals - space - 1, StandardCharsets.UTF_8),
                    new String(bytes, equals + 1, end - equals - 1, StandardCharsets.UTF_8));
            at = end + 1;
        }
        return null;
    }

    private void keep(String key, String value) {
        if (key.equals(SPARSE + "offset") || key.equals(SPARSE + "numbytes")) {
            sparse.add(TarNumber.decimal(value));
        } else if (key.equals("path")
                || key.equals("size")
                || key.equals("SCHILY.realsize")
                || SPARSE_KEYS.contains(key)) {
            if (value.isEmpty()) {
                values.remove(key); // an empty value takes back what a global header said
            } else {
                values.put(key, value);
            }
        }
    }

    /** The records of a global header, to which a member's own are added. */
    PaxRecords copy() {
        PaxRecords copy = new PaxRecords();
        copy.values.putAll(values);
        return copy;
    }

    @Nullable String get(String key) {
        return values.get(key);
    }

    boolean isSparse() {
        return !sparse.isEmpty() || values.keySet().stream().anyMatch(key -> key.startsWith(SPARSE));
    }

    @Nullable String sparseName() {
        return values.get(SPARSE + "name");
    }

    long realSize() {
        String size = values.getOrDefault(SPARSE + "realsize", values.getOrDefault(SPARSE + "size", ""));
        return TarNumber.decimal(size);
    }

    /** Offsets and lengths in turn, as versions 0.0 and 0.1 have them. */
    List<Long> sparseMap() {
        String map = values.get(SPARSE + "map");
        if (map == null) {
            return sparse;
        }
        List<Long> numbers = new ArrayList<>();
        for (String number : map.split(",", -1)) {
            numbers.add(TarNumber.decimal(number));
        }
        return numbers;
    }
}
