package io.penstock.store.mirror;

import io.penstock.cache.Fingerprint;
import io.penstock.store.StoreEntry;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of copies: {@code penstock-SOURCE/6c1/6c1…-SIZE-VERSION-name.jpg}.
 *
 * <p>The name holds all data of a copy, so nothing else is written that could be wrong after a
 * crash: the source and the key (hashed, since keys may be too long for a name, or one be the folder of another), the
 * size that it must have, and the version that it is of. The last part of the key stands at the end, for code that goes
 * by extensions.
 */
final class MirrorNames {

    private static final int MAX_NAME = 40;
    private static final String FOLDER = "penstock-[0-9a-f]{16}";
    private static final String UNFINISHED = "~";
    private static final Pattern COPY = Pattern.compile("([0-9a-f]{32})-([0-9a-f]{1,16})-[0-9a-f]{16}-[^~]*(~[^~]*)?");

    private final String folder;

    MirrorNames(String location) {
        this.folder =
                "penstock-%016x".formatted(Fingerprint.of("mirror", location).high());
    }

    /** The path of an entry's copy below the mirror's directory. */
    String of(StoreEntry entry) {
        String hash = Fingerprint.of(entry.key()).hex();
        String last = entry.key().substring(entry.key().lastIndexOf('/') + 1).replaceAll("[^A-Za-z0-9._-]", "_");
        String shown = last.substring(Math.max(0, last.length() - MAX_NAME));
        return "%s/%s/%s-%x-%016x-%s"
                .formatted(folder, hash.substring(0, 3), hash, entry.size(), entry.version(), shown);
    }

    /** The name of a copy until it is complete. */
    static String unfinished(String copy, String nonce) {
        return copy + UNFINISHED + nonce;
    }

    static boolean isFolder(String name) {
        return name.matches(FOLDER);
    }

    /** Whether it is a copy, finished or not, as these names make it. */
    static boolean isCopy(String name) {
        return COPY.matcher(name).matches();
    }

    static boolean isUnfinished(String name) {
        return isCopy(name) && name.contains(UNFINISHED);
    }

    /** Whether two copies are of one key. */
    static boolean sameKey(String one, String other) {
        return one.regionMatches(0, other, 0, 33);
    }

    /** The bytes that a copy has, or will have. */
    static long size(String name) {
        Matcher copy = COPY.matcher(name);
        return copy.matches() ? Long.parseUnsignedLong(copy.group(2), 16) : 0;
    }
}
