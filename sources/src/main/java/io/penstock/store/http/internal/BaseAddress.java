package io.penstock.store.http.internal;

import io.penstock.fault.StoreException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store's keys begin, and the addresses of keys below it.
 *
 * <p>Every byte of a key but letters, digits and {@code -._~} is escaped, so no key can say anything but a path below
 * the base. Servers and proxies decode once too often at times, so keys that lead out once decoded are refused, too.
 */
final class BaseAddress {

    private static final String UNESCAPED = "-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    private static final Pattern SCHEME =
            Pattern.compile("(?:https?|ftp|file|data|javascript):", Pattern.CASE_INSENSITIVE);
    private static final Pattern DOTS = Pattern.compile("/\\.{1,2}/");
    private static final int MAX_KEY = 4096;
    private static final int MAX_DECODINGS = 4;
    private static final int MAX_PORT = 65_535;

    private final String location; // ends with a slash
    private final String query; // of every request; may be empty
    private final URI uri;
    private final @Nullable String basic;
    private final boolean objects;

    private BaseAddress(String location, String query, @Nullable String basic, boolean objects) {
        this.objects = objects;
        this.location = location;
        this.query = query;
        this.uri = URI.create(location);
        this.basic = basic;
    }

    /**
     * The folder that an address names; credentials and a query in it are kept apart from it.
     * @throws IllegalArgumentException if it is not an absolute http or https address without a fragment
     */
    static BaseAddress of(URI address) {
        String scheme = address.getScheme() == null ? "" : address.getScheme().toLowerCase(Locale.ROOT);
        String host = address.getHost();
        if (!(scheme.equals("http") || scheme.equals("https")) || host == null) {
            throw new IllegalArgumentException(
                    "address of a store must be http://HOST/… or https://HOST/…, was " + withoutSecrets(address));
        }
        if (address.getPort() > MAX_PORT || address.getPort() == 0) {
            throw new IllegalArgumentException("port of a store's address must be in [1, %d], was %d in %s"
                    .formatted(MAX_PORT, address.getPort(), withoutSecrets(address)));
        }
        if (address.getRawFragment() != null) {
            throw new IllegalArgumentException("address of a store must have no \"#\": " + withoutSecrets(address));
        }
        String path = address.normalize().getRawPath();
        if (path.startsWith("/..")) {
            throw new IllegalArgumentException("address of a store leads above its host: " + withoutSecrets(address));
        }
        String folder = path.startsWith("/") ? path : "/" + path;
        String location = "%s://%s%s%s"
                .formatted(
                        scheme,
                        host.toLowerCase(Locale.ROOT),
                        port(address) == defaultPort(scheme) ? "" : ":" + port(address),
                        folder.endsWith("/") ? folder : folder + "/");
        String query = address.getRawQuery() == null ? "" : address.getRawQuery();
        return new BaseAddress(location, query, basic(address), false);
    }

    /** The same for an object store: an empty part or an escape in a key is part of a name there. */
    BaseAddress ofObjects() {
        return new BaseAddress(location, query, basic, true);
    }

    /** The address of a query to the base itself. */
    URI query(String escaped) {
        return withQuery(location, escaped);
    }

    private static @Nullable String basic(URI address) {
        String user = address.getUserInfo();
        return user == null
                ? null
                : "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8));
    }

    /** What a connection leads to: scheme, host and port. */
    String server() {
        return "%s://%s:%d".formatted(uri.getScheme(), uri.getHost(), port(uri)).toLowerCase(Locale.ROOT);
    }

    String location() {
        return location;
    }

    /** User and password of the address as a header. */
    @Nullable String basicCredentials() {
        return basic;
    }

    /**
     * The address of a key, with the query of the base.
     * @throws StoreException if it does not lie below the base
     */
    URI of(String key) {
        return of(key, "");
    }

    /** The same with more in its query, escaped; it may be empty. */
    URI of(String key, String more) {
        requireBelow(key);
        StringBuilder full = new StringBuilder(location);
        for (byte b : utf8(key)) {
            if (b == '/' || UNESCAPED.indexOf(b) >= 0) {
                full.append((char) b);
            } else {
                HexFormat.of().withUpperCase().toHexDigits(full.append('%'), b);
            }
        }
        return withQuery(full.toString(), more);
    }

    private URI withQuery(String address, String more) {
        String all = query.isEmpty() || more.isEmpty() ? query + more : query + "&" + more;
        return URI.create(all.isEmpty() ? address : address + "?" + all);
    }

    /** The address of a request as it may be printed: without its query. */
    static String shown(URI request) {
        String text = request.toString();
        int query = text.indexOf('?');
        return query < 0 ? text : text.substring(0, query) + "?…";
    }

    private byte[] utf8(String key) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(key));
            byte[] array = new byte[bytes.remaining()];
            bytes.get(array);
            return array;
        } catch (CharacterCodingException e) {
            throw outside(key); // half a surrogate pair: two such keys would share an address
        }
    }

    private void requireBelow(String key) {
        if (key.length() > MAX_KEY) {
            throw outside(key);
        }
        if (objects) {
            if (key.isEmpty() || DOTS.matcher("/" + key + "/").find()) {
                throw outside(key); // servers and proxies resolve these
            }
            return;
        }
        String decoded = key;
        for (int times = 0; times < MAX_DECODINGS; times++) {
            requirePlain(key, decoded);
            String next = decode(decoded);
            if (next.equals(decoded)) {
                return;
            }
            decoded = next;
        }
        throw outside(key);
    }

    private void requirePlain(String key, String text) {
        if (text.indexOf(':') >= 0 && SCHEME.matcher(text).lookingAt()) {
            throw outside(key);
        }
        int start = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : '/';
            if (c < 0x20 || c == 0x7f || c == '\\') {
                throw outside(key);
            }
            if (c == '/') {
                boolean dots = i - start <= 2 && text.startsWith("..".substring(0, i - start), start);
                if (dots) { // or nothing
                    throw outside(key);
                }
                start = i + 1;
            }
        }
    }

    private static String decode(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return text; // a percent sign that escapes nothing
        }
    }

    private StoreException outside(String key) {
        String shown = key.length() <= 200 ? key : key.substring(0, 200) + "…";
        return new StoreException(
                "key must be a path below %s, without \"..\", empty parts, backslashes or escapes: \"%s\""
                        .formatted(location, printable(shown)));
    }

    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** Whether credentials may go there: same scheme, host and port. */
    boolean isOwn(URI address) {
        return uri.getScheme().equalsIgnoreCase(address.getScheme())
                && uri.getHost().equalsIgnoreCase(address.getHost())
                && port(uri) == port(address);
    }

    private static int port(URI address) {
        return address.getPort() >= 0 ? address.getPort() : defaultPort(address.getScheme());
    }

    private static int defaultPort(String scheme) {
        return scheme.equalsIgnoreCase("https") ? 443 : 80;
    }

    /** An address as it may be printed: without user, password, query and fragment. */
    static String withoutSecrets(URI address) {
        if (address.isOpaque() || address.getHost() == null) {
            return address.getScheme() == null ? "a relative address" : address.getScheme() + ":…";
        }
        try {
            URI shown = new URI(
                    address.getScheme(), null, address.getHost(), address.getPort(), address.getPath(), null, null);
            return address.getRawQuery() == null ? shown.toString() : shown + "?…";
        } catch (URISyntaxException e) {
            return address.getScheme() + "://" + address.getHost();
        }
    }

    /** The location. */
    @Override
    public String toString() {
        return location;
    }
}
