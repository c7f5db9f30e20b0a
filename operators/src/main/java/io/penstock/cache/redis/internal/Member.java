package io.penstock.cache.redis.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A node whose server is a part of a job's cache.
 *
 * @param name of the node, in lower-case letters and digits; a node that comes back has the name it had
 * @param host where its server listens
 * @param port where its server listens
 * @param ended whether its run has ended, and its server stays for the others
 */
public record Member(String name, String host, int port, boolean ended) {

    private static final Pattern WORDS =
            Pattern.compile("([0-9a-z]{1,64}) (\\d{1,5}) ([0-9A-Za-z.:-]{1,255})( ended)?");

    Member(String name, String host, int port) {
        this(name, host, port, false);
    }

    /** What {@link #words} said; null for anything else. */
    static @Nullable Member parse(String words) {
        Matcher member = WORDS.matcher(words);
        return member.matches()
                ? new Member(
                        member.group(1), member.group(3), Integer.parseInt(member.group(2)), member.group(4) != null)
                : null;
    }

    String words() {
        return name + " " + port + " " + host + (ended ? " ended" : "");
    }

    /** The address, for messages. */
    @Override
    public String toString() {
        return host + ":" + port;
    }
}
