package io.penstock.store.s3;

import io.penstock.internal.Arguments;
import io.penstock.store.StoreAddress;
import io.penstock.store.internal.AddressOptions;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code s3://BUCKET/KEY?OPTION=VALUE&…}. The key is taken as it stands, without escapes; values may have escapes.
 *
 * @param bucket  its name
 * @param key     of an object, or a prefix that ends with a slash; may be empty
 * @param options {@code endpoint}, {@code region}, {@code path-style}, {@code requester-pays}, {@code unsigned},
 *     {@code list-again}
 */
public record S3Address(String bucket, String key, Map<String, String> options) implements StoreAddress {

    static final String ENDPOINT = "endpoint";
    static final String REGION = "region";
    static final String PATH_STYLE = "path-style";
    static final String REQUESTER_PAYS = "requester-pays";
    static final String UNSIGNED = "unsigned";
    static final String LIST_AGAIN = "list-again";

    private static final String SCHEME = "s3://";
    private static final Set<String> KNOWN = Set.of(ENDPOINT, REGION, PATH_STYLE, REQUESTER_PAYS, UNSIGNED, LIST_AGAIN);
    private static final Set<String> SWITCHES = Set.of(PATH_STYLE, REQUESTER_PAYS, UNSIGNED, LIST_AGAIN);
    private static final Pattern FORM =
            Pattern.compile("s3://([^/?]*)(?:/(.*?))?(?:\\?(" + AddressOptions.FORM + "))?", Pattern.DOTALL);
    private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{1,254}");

    public S3Address {
        if (!BUCKET.matcher(bucket).matches()) {
            throw new IllegalArgumentException(
                    "an address in S3 is s3://BUCKET/KEY; this is no name of a bucket: \"%s\"".formatted(bucket));
        }
        options = Map.copyOf(options);
        options.forEach(S3Address::check);
    }

    private static void check(String name, String value) {
        if (!KNOWN.contains(name)) {
            throw new IllegalArgumentException("no such option of an address in S3: %s; there are %s"
                    .formatted(name, String.join(", ", KNOWN.stream().sorted().toList())));
        }
        if (SWITCHES.contains(name) && !value.equals("true") && !value.equals("false")) {
            throw new IllegalArgumentException("%s must be true or false, was \"%s\"".formatted(name, value));
        }
        Arguments.refuse(value.isEmpty(), "%s of an address in S3 is empty", name);
    }

    /** Whether a text is such an address. */
    public static boolean isOne(String text) {
        return text.startsWith(SCHEME);
    }

    /**
     * The parts of an address.
     * @throws IllegalArgumentException if it is none, or an option is unknown
     */
    public static S3Address parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("an address in S3 is s3://BUCKET/KEY, was \"%s\"".formatted(text));
        }
        String key = form.group(2);
        return new S3Address(form.group(1), key == null ? "" : key, AddressOptions.parse(form.group(3)));
    }

    @Override
    public S3Address parent() {
        return new S3Address(bucket, key.substring(0, key.lastIndexOf('/') + 1), options);
    }

    @Override
    public S3Store open() {
        return S3Store.at(this);
    }

    @Nullable String option(String name) {
        return options.get(name);
    }

    boolean isOn(String name) {
        return "true".equals(options.get(name));
    }

    /** Without the options. */
    @Override
    public String toString() {
        return SCHEME + bucket + "/" + key;
    }
}
