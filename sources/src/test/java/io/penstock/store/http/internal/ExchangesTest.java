package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.store.http.HttpOptions;
import io.penstock.store.http.internal.Exchanges.Ask;
import io.penstock.store.http.internal.Exchanges.Reader;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** A class that is missing is an error of the read: Reactor rethrows it on an event loop, where no subscriber learns of it. */
class ExchangesTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final DisposableServer server = HttpServer.create()
            .host("127.0.0.1")
            .port(0)
            .route(routes -> routes.get("/moved", (request, response) -> response.sendRedirect("/x"))
                    .get("/x", (request, response) -> response.sendByteArray(Mono.just(new byte[] {1}))))
            .bindNow();
    private final URI address = URI.create("http://127.0.0.1:" + server.port() + "/");

    @AfterEach
    void close() {
        server.disposeNow();
    }

    private static NoClassDefFoundError missing() {
        return new NoClassDefFoundError("io/penstock/Missing");
    }

    private void assertFails(HttpSettings options, @Nullable RequestSigner signer, String path, Reader<String> reader) {
        assertFails(options, signer, path, reader, sent -> sent);
    }

    private void assertFails(
            HttpSettings options,
            @Nullable RequestSigner signer,
            String path,
            Reader<String> reader,
            UnaryOperator<Mono<String>> below) {
        Exchanges exchanges = new Exchanges(BaseAddress.of(address), options, signer);
        Ask ask = new Ask(HttpMethod.GET, address.resolve(path), Map.of());

        assertThatThrownBy(() -> below.apply(exchanges.send(ask, reader)).block(SOON))
                .hasMessageContaining("io/penstock/Missing");
        exchanges.close();
    }

    @Test
    void send_whereAReaderThrowsALinkageError_fails() {
        assertFails(HttpOptions.standard(), null, "x", (reply, body) -> {
            throw missing();
        });
        assertFails(HttpOptions.standard(), null, "moved", (reply, body) -> {
            throw missing();
        });
    }

    @Test
    void send_whereASignerThrowsALinkageError_fails() {
        Reader<String> reader = (reply, body) -> text(body);
        assertFails(
                HttpOptions.standard(),
                signer(() -> {
                    throw missing();
                }),
                "x",
                reader);
        assertFails(
                HttpOptions.standard(),
                signer(() -> Mono.fromCallable(() -> {
                    throw missing();
                })),
                "x",
                reader);
    }

    @Test
    void send_whereASourceOfTokensThrowsALinkageError_fails() {
        HttpOptions options = HttpOptions.standard().bearer(Mono.fromCallable(() -> {
            throw missing();
        }));

        assertFails(options, null, "x", (reply, body) -> text(body));
    }

    /** What an operator over a body throws, in the reader or below the exchange. */
    private static final Map<String, UnaryOperator<Mono<String>>> THROWING = Map.of(
            "map",
                    read -> read.map(text -> {
                        throw missing();
                    }),
            "flatMap",
                    read -> read.flatMap(text -> {
                        throw missing();
                    }),
            "doOnNext",
                    read -> read.doOnNext(text -> {
                        throw missing();
                    }),
            "then",
                    read -> read.then(Mono.fromCallable(() -> {
                        throw missing();
                    })),
            "onErrorResume",
                    read -> read.<String>map(text -> {
                                throw new IllegalStateException();
                            })
                            .onErrorResume(e -> {
                                throw missing();
                            }));

    static Set<String> throwing() {
        return THROWING.keySet();
    }

    @ParameterizedTest
    @MethodSource("throwing")
    void send_whereAnOperatorOverTheBodyThrowsALinkageError_fails(String operator) {
        UnaryOperator<Mono<String>> throwing = Objects.requireNonNull(THROWING.get(operator));

        assertFails(HttpOptions.standard(), null, "x", (reply, body) -> throwing.apply(text(body)));
        assertFails(
                HttpOptions.standard(),
                null,
                "x",
                (reply, body) -> body.takeWhile(bytes -> {
                            throw missing();
                        })
                        .then(Mono.just("")));
        assertFails(HttpOptions.standard(), null, "x", (reply, body) -> text(body), send -> throwing.apply(send));
    }

    private static Mono<String> text(Flux<ByteBuf> body) {
        return body.map(bytes -> bytes.toString(StandardCharsets.UTF_8)).reduce(String::concat);
    }

    private static RequestSigner signer(Supplier<Mono<Map<String, String>>> headers) {
        return new RequestSigner() {
            @Override
            public Mono<Map<String, String>> headers(String method, URI to, ByteBuffer body) {
                return headers.get();
            }

            @Override
            public void refused(Map<String, String> headers) {}
        };
    }
}
