package io.penstock.store.http;

import io.penstock.store.http.internal.HttpSettings;
import io.penstock.store.http.internal.Words;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import reactor.core.publisher.Mono;

/**
 * How a store asks over HTTP: limits, time-outs, retries, credentials. Immutable; every method returns a copy.
 *
 * <p>Headers and tokens are credentials: they go to the scheme, host and port of the store's own address and nowhere
 * else, and are never printed.
 */
public final class HttpOptions extends HttpSettings {

    /** The library's own headers, on which its guarantees stand. */
    private static final Set<String> OURS =
            Set.of("range", "if-range", "accept-encoding", "host", "connection", "content-length", "transfer-encoding");

    private static final HttpOptions STANDARD = new HttpOptions();

    private HttpOptions() {}

    private HttpOptions with(Consumer<HttpOptions> change) {
        HttpOptions copy = (HttpOptions) clone();
        change.accept(copy);
        return copy;
    }

    /** Each option with the default that its method names. */
    public static HttpOptions standard() {
        return STANDARD;
    }

    /** The max connections to one host and port, of all stores with these limits together; 512 unless set. */
    public HttpOptions connections(int max) {
        atLeastOne("connections", max);
        return with(copy -> copy.connections = max);
    }

    /**
     * The max requests in flight, waits before a retry not counted; 512 unless set. After an answer of 429 or 503, and
     * where the server dropped a connection so that it opened only when it was asked for again, a store asks for half of
     * what it had in flight, and then for one more after each round that goes well.
     */
    public HttpOptions inFlight(int max) {
        atLeastOne("requests in flight", max);
        return with(copy -> copy.inFlight = max);
    }

    /** For connecting, TLS included; 10 s unless set. */
    public HttpOptions connectTimeout(Duration max) {
        positive("time-out for connecting", max);
        return with(copy -> copy.connectTimeout = max);
    }

    /** From the request to the first byte of the answer, and from one piece of it to the next; 30 s unless set. */
    public HttpOptions firstByteTimeout(Duration max) {
        positive("time-out for the first byte", max);
        return with(copy -> copy.firstByteTimeout = max);
    }

    /**
     * For one answer with all its bytes; 2 min unless set. What came until then is kept, and the rest is requested
     * again.
     */
    public HttpOptions readTimeout(Duration max) {
        positive("time-out for a whole read", max);
        return with(copy -> copy.readTimeout = max);
    }

    /**
     * How often a read is asked for in all, and how long after its beginning it may be asked for again; 8 times within
     * 2 min unless set.
     */
    public HttpOptions attempts(int max, Duration within) {
        atLeastOne("attempts", max);
        positive("time for retries", within);
        return with(copy -> {
            copy.attempts = max;
            copy.retryFor = within;
        });
    }

    /**
     * The wait before attempt n + 1 is random in [0, min(longest, first · 2ⁿ⁻¹)); 100 ms and 10 s unless set.
     * @see <a href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">full jitter</a>
     */
    public HttpOptions backoff(Duration first, Duration longest) {
        positive("first back-off", first);
        positive("longest back-off", longest);
        return with(copy -> {
            copy.firstBackoff = first;
            copy.longestBackoff = longest;
        });
    }

    /**
     * How many redirects one request follows; 5 unless set, 0 follows none. Credentials do not go along to another
     * host, and a redirect from https to http is an error.
     */
    public HttpOptions redirects(int max) {
        if (max < 0) {
            throw new IllegalArgumentException("redirects must not be negative: " + max);
        }
        return with(copy -> copy.redirects = max);
    }

    /** The most that one read may hold, which is enforced while it comes; 256 MiB unless set. */
    public HttpOptions maxObjectBytes(long max) {
        if (max < 1 || max > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException(
                    "largest object must be in [1, %d] bytes, was %d".formatted(Integer.MAX_VALUE - 8, max));
        }
        return with(copy -> copy.maxObjectBytes = max);
    }

    /**
     * Asks for gzip and deflate where an entry is read whole. Off unless set: images and chunks are compressed already,
     * and a compressed answer that breaks off cannot be resumed.
     */
    public HttpOptions compressed() {
        return with(copy -> copy.compressed = true);
    }

    /**
     * One more header of every request to the store's own host, such as an API key.
     * @throws IllegalArgumentException if it is no header, or one that the store sets itself
     */
    public HttpOptions header(String name, String value) {
        if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+") || OURS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("header cannot be set: \"%s\"".formatted(name));
        }
        if (!Words.isPrintable(value)) {
            throw new IllegalArgumentException(
                    "value of header %s must be printable ASCII".formatted(name)); // not the value: it may be secret
        }
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return with(copy -> copy.headers = Map.copyOf(more));
    }

    /**
     * Bearer tokens from a source that is asked at the first request, and once more whenever the server refuses a token
     * with 401. One token serves all requests until then.
     */
    public HttpOptions bearer(Mono<String> tokens) {
        return with(copy -> copy.bearer = tokens);
    }

    /** Certificates to trust instead of those that the JDK trusts. */
    public HttpOptions trusting(List<X509Certificate> certificates) {
        List<X509Certificate> trusted = List.copyOf(certificates);
        if (trusted.isEmpty()) {
            throw new IllegalArgumentException("name at least one certificate to trust");
        }
        return with(copy -> copy.trusted = trusted);
    }

    private static void atLeastOne(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException("%s must be at least 1, was %d".formatted(what, value));
        }
    }

    private static void positive(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException("%s must be positive, was %s".formatted(what, value));
        }
    }

    /** The limits, and the names of headers, never their values. */
    @Override
    public String toString() {
        return "HTTP: %d connections, %d in flight, %d attempts within %s, headers %s%s"
                .formatted(
                        connections,
                        inFlight,
                        attempts,
                        retryFor,
                        headers.keySet(),
                        bearer == null ? "" : ", bearer tokens");
    }
}
