package io.penstock.store.http.internal;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A request that changes something in an object store.
 *
 * @param method   {@code PUT}, {@code POST} or {@code DELETE}
 * @param key      of the object
 * @param query    names and values, escaped; may be empty
 * @param headers  more headers, such as {@code Content-MD5}
 * @param body     may be empty
 * @param expected codes of errors that are answers to the caller, such as {@code NoSuchUpload}
 */
public record Submission(
        String method, String key, String query, Map<String, String> headers, ByteBuffer body, Set<String> expected) {

    private static final int MAX_ANSWER = 1 << 20;
    private static final Set<String> METHODS = Set.of("PUT", "POST", "DELETE");

    public Submission {
        if (!METHODS.contains(method)) {
            throw new IllegalArgumentException("a submission is PUT, POST or DELETE, was \"%s\"".formatted(method));
        }
        headers = Map.copyOf(headers);
        body = body.asReadOnlyBuffer();
        expected = Set.copyOf(expected);
    }

    Mono<Submitted> attempt(Exchanges exchanges, URI address) {
        Map<CharSequence, String> sent = new HashMap<>(headers);
        sent.put(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.remaining()));
        sent.put(HttpHeaderNames.ACCEPT_ENCODING, "identity");
        return exchanges.send(new Exchanges.Ask(HttpMethod.valueOf(method), address, sent, body), this::read);
    }

    private Publisher<Submitted> read(Exchanges.Reply reply, Flux<ByteBuf> body) {
        if (reply.status() / 100 != 2) {
            return ErrorBody.read(body).flatMap(error -> refused(error, error.fault(reply)));
        }
        Arrival arrival = new Arrival(MAX_ANSWER);
        return body.doOnNext(bytes -> {
                    if (!arrival.append(bytes, bytes.readableBytes())) {
                        throw Statuses.tooLarge(MAX_ANSWER);
                    }
                })
                .then(Mono.defer(() -> answer(reply, arrival.bytes(Inflation.NONE, MAX_ANSWER))));
    }

    /** Some answers begin with 200 before the server knows how it ends. */
    private Mono<Submitted> answer(Exchanges.Reply reply, byte[] bytes) {
        ErrorBody error = ErrorBody.parse(new String(bytes, StandardCharsets.UTF_8));
        if (!error.code().isEmpty()) {
            return refused(
                    error,
                    HttpFault.passing(
                            "answered %d (%s: %s)".formatted(reply.status(), error.code(), error.message()),
                            "check the server"));
        }
        String etag = Objects.requireNonNullElse(reply.header(HttpHeaderNames.ETAG), "");
        return Mono.just(new Submitted("", etag, ByteBuffer.wrap(bytes)));
    }

    private Mono<Submitted> refused(ErrorBody error, HttpFault fault) {
        return expected.contains(error.code())
                ? Mono.just(new Submitted(error.code(), "", ByteBuffer.allocate(0)))
                : Mono.error(fault);
    }
}
