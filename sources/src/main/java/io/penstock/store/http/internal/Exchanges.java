package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.internal.Guarded;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Thrown;
import io.penstock.internal.Watched;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.HttpClientResponse;

/**
 * Sends requests: within the limits of connections and of requests in flight, with credentials where they belong, along
 * redirects, and once more with a new token where the old one was refused.
 */
final class Exchanges {

    /** An unwanted body up to this size is read, so that its connection can be used again. */
    private static final int MAX_DRAINED = 64 << 10;

    private static final ByteBuffer NO_BODY = ByteBuffer.allocate(0);

    private final BaseAddress base;
    private final HttpSettings options;
    private final @Nullable RequestSigner signer;
    private final SharedClient connections;
    private final HttpClient client;
    private final Sinks.Empty<Void> closed = Sinks.empty();
    private final ConcurrencyLimiter limiter;
    private final Scheduler timers;
    private final @Nullable Tokens tokens;

    /** @param signer of requests to the store's own host; null for none */
    Exchanges(BaseAddress base, HttpSettings options, @Nullable RequestSigner signer) {
        this.signer = signer;
        this.base = base;
        this.options = options;
        this.connections = SharedClient.of(base, options);
        this.client = connections.client();
        EventLoopGroup loops = client.configuration().loopResources().onClient(true);
        this.limiter =
                new ConcurrencyLimiter(options.inFlight, task -> loops.next().execute(task));
        this.timers = GuardedScheduler.of(loops, "penstock-http");
        this.tokens = options.bearer == null ? null : new Tokens(options.bearer);
    }

    /** A request, credentials left out. */
    record Ask(HttpMethod method, URI address, Map<CharSequence, String> headers, ByteBuffer body) {
        /** One without a body. */
        Ask(HttpMethod method, URI address, Map<CharSequence, String> headers) {
            this(method, address, headers, NO_BODY);
        }
    }

    /** The head of an answer. */
    record Reply(int status, HttpHeaders headers) {
        @Nullable String header(CharSequence name) {
            return headers.get(name);
        }
    }

    /** Maps an answer to one value, and completes when it is done; it may leave the body unread. */
    @FunctionalInterface
    interface Reader<T> {
        Publisher<T> read(Reply reply, Flux<ByteBuf> body);
    }

    /**
     * One request of several that an answer may take.
     *
     * @param to        the address, after redirects
     * @param redirects followed so far
     * @param refused   the token that the server did not accept; null where it refused none
     * @param token     to send; null for none
     * @param signature more headers to send, to the store's own host alone
     */
    private record Hop(
            URI to,
            int redirects,
            Tokens.@Nullable Token refused,
            Tokens.@Nullable Token token,
            Map<String, String> signature) {

        Hop(URI to, int redirects, Tokens.@Nullable Token refused) {
            this(to, redirects, refused, null, Map.of());
        }

        Hop with(Tokens.Token other) {
            return new Hop(to, redirects, refused, other, signature);
        }

        Hop signed(Map<String, String> headers) {
            return new Hop(to, redirects, refused, token, headers);
        }
    }

    /** One answer. Cancelling closes its connection. */
    <T> Mono<T> send(Ask ask, Reader<T> reader) {
        return limiter.limit(Mono.defer(Thrown.supplier(() -> hop(ask, new Hop(ask.address(), 0, null), reader)))
                .timeout(options.readTimeout, timers)
                .takeUntilOther(closed.asMono()));
    }

    void close() {
        if (closed.tryEmitError(HttpFault.lasting("its store is closed", "")).isSuccess()) {
            connections.release();
        }
    }

    /** Whether this is an object store, whose errors have bodies that say more than the status. */
    boolean isSigned() {
        return signer != null;
    }

    private <T> Mono<T> hop(Ask ask, Hop hop, Reader<T> reader) {
        RequestSigner signs = signer;
        if (signs != null && base.isOwn(hop.to)) {
            return signs.headers(ask.method.name(), hop.to, ask.body)
                    .flatMap(Thrown.function(signature -> exchange(ask, hop.signed(signature), reader)
                            .flatMap(Function.identity())
                            .doOnError(failure -> {
                                if (failure instanceof HttpFault fault && fault.isExpired()) {
                                    signs.refused(signature);
                                }
                            })));
        }
        if (tokens == null) {
            return exchange(ask, hop, reader).flatMap(Function.identity());
        }
        return token(tokens, hop)
                .map(hop::with)
                .defaultIfEmpty(hop)
                .flatMap(Thrown.function(known -> exchange(ask, known, reader)))
                .flatMap(Function.identity());
    }

    private Mono<Tokens.Token> token(Tokens source, Hop hop) {
        if (!base.isOwn(hop.to)) {
            return Mono.empty();
        }
        return hop.refused == null ? source.get() : source.instead(hop.refused);
    }

    @SuppressWarnings("ReferenceEquality") // a body may be empty, which is another request than one without a body
    private <T> Mono<Mono<T>> exchange(Ask ask, Hop hop, Reader<T> reader) {
        HttpClient.RequestSender request = client.headers(headers -> fill(headers, ask, hop))
                .request(ask.method())
                .uri(hop.to);
        HttpClient.ResponseReceiver<?> receiver = ask.body == NO_BODY
                ? request
                : request.send(Mono.fromSupplier(() -> Unpooled.wrappedBuffer(ask.body.duplicate())));
        return receiver.response((reply, body) -> {
                    try {
                        return Thrown.supplier(() -> answered(ask, hop, reader, reply, new Watched<>(body)))
                                .get();
                    } catch (RuntimeException e) {
                        body.subscribe().dispose(); // gives back what has come already, which nothing else does
                        throw e;
                    }
                })
                .doOnDiscard(Connection.class, Connection::dispose) // an answer that comes as it is cancelled
                .single();
    }

    private <T> Publisher<Mono<T>> answered(
            Ask ask, Hop hop, Reader<T> reader, HttpClientResponse reply, Flux<ByteBuf> body) {
        SharedClient.tellIfLate(reply);
        int status = reply.status().code();
        if (isRedirect(status) && !isWrongRegion(reply)) {
            Hop next = new Hop(target(hop.to, reply, hop.redirects), hop.redirects + 1, hop.refused);
            return drained(body, Mono.defer(Thrown.supplier(() -> hop(ask, next, reader))));
        }
        if (status == 401 && hop.token != null && hop.refused == null) {
            Hop again = new Hop(hop.to, hop.redirects, hop.token);
            return drained(body, Mono.defer(Thrown.supplier(() -> hop(ask, again, reader))));
        }
        if (isRefusedSilently(ask, reply)) {
            return drained(
                    body,
                    Mono.error(HttpFault.expired(
                            "answered %d without saying why".formatted(status), "check the credentials")));
        }
        return new Guarded<>(Mono.from(reader.read(new Reply(status, reply.responseHeaders()), body))).map(Mono::just);
    }

    /** Credentials that have ended are renewed, so this may pass. An answer to HEAD never says more. */
    private boolean isRefusedSilently(Ask ask, HttpClientResponse reply) {
        int status = reply.status().code();
        return isSigned()
                && (status == 400 || status == 401 || status == 403)
                && !ask.method().equals(HttpMethod.HEAD)
                && "0".equals(reply.responseHeaders().get(HttpHeaderNames.CONTENT_LENGTH));
    }

    private void fill(HttpHeaders headers, Ask ask, Hop hop) {
        headers.set(HttpHeaderNames.USER_AGENT, "penstock");
        ask.headers().forEach(headers::set);
        if (base.isOwn(hop.to)) {
            String basic = base.basicCredentials();
            if (basic != null) {
                headers.set(HttpHeaderNames.AUTHORIZATION, basic);
            }
            options.headers.forEach(headers::set);
            hop.signature.forEach(headers::set);
            if (hop.token != null) {
                headers.set(HttpHeaderNames.AUTHORIZATION, hop.token.header());
            }
        }
    }

    private static boolean isRedirect(int status) {
        return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    }

    /** S3's answer for a bucket of another region has no address; its body says what is wrong. */
    private boolean isWrongRegion(HttpClientResponse reply) {
        return isSigned() && !reply.responseHeaders().contains(HttpHeaderNames.LOCATION);
    }

    private URI target(URI from, HttpClientResponse reply, int redirects) {
        if (redirects >= options.redirects) {
            throw HttpFault.lasting(
                    "redirected more than %d times, at last by %s"
                            .formatted(options.redirects, BaseAddress.withoutSecrets(from)),
                    "name the address it leads to, or allow more redirects");
        }
        String location = reply.responseHeaders().get(HttpHeaderNames.LOCATION);
        URI to = resolve(from, location);
        if (to == null) {
            throw HttpFault.lasting("redirected to nowhere by " + BaseAddress.withoutSecrets(from), "check the server");
        }
        String shown = BaseAddress.withoutSecrets(to);
        if (from.getScheme().equalsIgnoreCase("https") && !to.getScheme().equalsIgnoreCase("https")) {
            throw HttpFault.lasting("redirected from https to " + shown, "its bytes could be anybody's");
        }
        return to;
    }

    private static @Nullable URI resolve(URI from, @Nullable String location) {
        try {
            URI to = location == null ? null : from.resolve(new URI(location));
            boolean usable = to != null
                    && to.getHost() != null
                    && (to.getScheme().equalsIgnoreCase("http")
                            || to.getScheme().equalsIgnoreCase("https"));
            if (!usable || to == null) {
                return null;
            }
            // user and password from a server are not ours to send, and a fragment is for browsers
            return new URI("%s://%s%s%s%s"
                    .formatted(
                            to.getScheme(),
                            to.getHost(),
                            to.getPort() < 0 ? "" : ":" + to.getPort(),
                            to.getRawPath(),
                            to.getRawQuery() == null ? "" : "?" + to.getRawQuery()));
        } catch (URISyntaxException e) {
            return null;
        }
    }

    /** A value after an unwanted body: a short one is read to its end, a long one is cut off with its connection. */
    static <T> Mono<T> drained(Flux<ByteBuf> body, T value) {
        return Mono.defer(() -> {
            long[] seen = {0};
            return body.takeWhile(bytes -> (seen[0] += bytes.readableBytes()) <= MAX_DRAINED)
                    .then()
                    .onErrorComplete()
                    .thenReturn(value);
        });
    }

    /** The wait that {@code Retry-After} asks for, in seconds or as a date; null without it. */
    static @Nullable Duration retryAfter(Reply reply) {
        String asked = reply.header(HttpHeaderNames.RETRY_AFTER);
        if (asked == null) {
            return null;
        }
        String text = asked.strip();
        if (text.matches("\\d{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(text));
        }
        Instant until = Validator.date(text);
        if (until == null) {
            return null;
        }
        Instant made = Validator.date(reply.header(HttpHeaderNames.DATE)); // by the server's clock if it sends one
        Duration wait = Duration.between(made == null ? Instant.now() : made, until);
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
