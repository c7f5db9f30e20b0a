package io.penstock.serve.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which requests an HTTP server of this program answers. Every server asks it about every request.
 *
 * <p>A page that a browser on this machine shows can send requests to a loopback port. A page's own name can be made to
 * lead there (DNS rebinding), and then the page can read the answers. So a request must bring the bearer token where
 * there is one, and come to a name of this server where there is none. A browser says in {@code Origin} and
 * {@code Sec-Fetch-Site} that a request comes from another page; such requests are refused, also with a token.
 *
 * <p>The port in {@code Host} may be any, so that a forwarded port can be used. Immutable.
 * @see <a href="https://owasp.org/www-community/attacks/csrf">cross-site request forgery</a>
 * @see <a href="https://www.w3.org/TR/fetch-metadata/">fetch metadata request headers</a>
 */
public final class Access {

    private static final Pattern HOST = Pattern.compile("(\\[[0-9a-f:.]{2,45}]|[^:\\[\\]/@\\s]{1,255})(?::\\d{1,5})?");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(?:\\.\\d{1,3}){3}|\\[::1]");
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[0-9a-f:.]{2,45}]");
    private static final Set<String> OWN_SITE = Set.of("same-origin", "none");
    private static final String BEARER = "Bearer ";
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;

    private final String scheme;
    private final String name;
    private final @Nullable String machine;
    private final byte @Nullable [] token;

    private Access(String scheme, String name, @Nullable String machine, byte @Nullable [] token) {
        this.scheme = scheme;
        this.name = name;
        this.machine = machine;
        this.token = token;
    }

    /**
     * Why a request is refused.
     *
     * @param status of the answer, 401 or 403
     * @param reason for people
     */
    public record Refusal(int status, String reason) {}

    /**
     * Access without a token to a server that listens at a host, by that name and by those of the loopback address.
     * @param scheme {@code http} or {@code https}
     */
    public static Access to(String scheme, String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        return new Access(
                scheme, lower.contains(":") && !lower.startsWith("[") ? "[" + lower + "]" : lower, null, null);
    }

    /**
     * Access for other machines too, by any address and by the name of this machine. A page's own name that is made to
     * lead here is neither.
     */
    public Access fromOtherMachines(String machineName) {
        return new Access(scheme, name, machineName.toLowerCase(Locale.ROOT), token);
    }

    /** Access with this bearer token, by any name. */
    public Access token(String secret) {
        return new Access(scheme, name, machine, secret.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Why a request is refused; empty if it is not.
     * @param headers the values of a header by its name, in the order they came; none where it is absent
     */
    public Optional<Refusal> refusal(Function<String, List<String>> headers) {
        List<String> hosts = headers.apply("Host");
        if (token != null && !isToken(headers.apply("Authorization"))) {
            return Optional.of(new Refusal(UNAUTHORIZED, "this server wants its bearer token"));
        }
        if (token == null && !(hosts.size() == 1 && isOwn(hosts.get(0)))) {
            return Optional.of(
                    new Refusal(FORBIDDEN, "ask 127.0.0.1 or localhost: the Host header is not this server's"));
        }
        List<String> origins = headers.apply("Origin");
        if (!origins.isEmpty() && !(hosts.size() == 1 && origins.equals(List.of(scheme + "://" + hosts.get(0))))) {
            return Optional.of(new Refusal(FORBIDDEN, "the Origin header is another page's"));
        }
        List<String> sites = headers.apply("Sec-Fetch-Site");
        return OWN_SITE.containsAll(sites)
                ? Optional.empty()
                : Optional.of(new Refusal(FORBIDDEN, "another page asks: the Sec-Fetch-Site header says so"));
    }

    /** Compares in a time that does not tell how much of it was right. */
    private boolean isToken(List<String> authorization) {
        String sent = authorization.size() == 1 ? authorization.get(0) : "";
        boolean bearer = sent.regionMatches(true, 0, BEARER, 0, BEARER.length());
        byte[] bytes = (bearer ? sent.substring(BEARER.length()).strip() : "").getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(bytes, token);
    }

    private boolean isOwn(String host) {
        Matcher written = HOST.matcher(host.toLowerCase(Locale.ROOT));
        if (!written.matches()) {
            return false;
        }
        String asked = written.group(1);
        return asked.equals(name)
                || LOOPBACK.matcher(asked).matches()
                || machine != null
                        && (asked.equals(machine) || ADDRESS.matcher(asked).matches());
    }
}
