package io.penstock.store.internal;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What follows the {@code ?} of an address: {@code NAME=VALUE&…}, values with escapes. */
public final class AddressOptions {

    /** As a part of a regular expression. */
    public static final String FORM = "[\\w-]+=[^&?]*(?:&[\\w-]+=[^&?]*)*";

    private AddressOptions() {}

    /** The options of a text of that form; none of {@code null}. */
    public static Map<String, String> parse(@Nullable String text) {
        Map<String, String> options = new TreeMap<>();
        for (String option : text == null ? new String[0] : text.split("&")) {
            int equals = option.indexOf('=');
            String value = option.substring(equals + 1).replace("+", "%2B");
            options.put(option.substring(0, equals), URLDecoder.decode(value, StandardCharsets.UTF_8));
        }
        return options;
    }
}
