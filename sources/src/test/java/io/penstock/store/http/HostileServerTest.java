package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.fault.StoreException;
import io.penstock.store.Manifest;
import io.penstock.store.StoreEntry;
import io.penstock.store.mirror.MirroredStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Servers that mean no good, or are broken. */
@ExtendWith(NoLeaks.class)
class HostileServerTest {

    private final ConcurrentLinkedQueue<AutoCloseable> opened = new ConcurrentLinkedQueue<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> credentials = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private URI serve(BiFunction<HttpServerRequest, HttpServerResponse, Publisher<Void>> answer) {
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> {
                    requests.incrementAndGet();
                    credentials.add(String.valueOf(request.requestHeaders().get("Authorization"))
                            + request.requestHeaders().get("X-Key"));
                    return answer.apply(request, response);
                })
                .bindNow();
        opened.add(server::disposeNow);
        return URI.create("http://127.0.0.1:" + server.port() + "/");
    }

    private HttpStore store(URI address, HttpOptions options) {
        HttpStore store = HttpStore.at(address, options);
        opened.add(store);
        return store;
    }

    private static HttpOptions options() {
        return HttpOptions.standard()
                .attempts(3, Duration.ofSeconds(10))
                .backoff(Duration.ofMillis(1), Duration.ofMillis(5))
                .header("X-Key", "key-secret")
                .bearer(Mono.just("token-secret"));
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    @Test
    void body_withoutEnd_isCutOffAtTheLimit() throws InterruptedException {
        AtomicLong sent = new AtomicLong();
        CountDownLatch gone = new CountDownLatch(1);
        URI address = serve((request, response) -> response.send(Flux.<ByteBuf>generate(sink -> {
                    sent.addAndGet(8192);
                    sink.next(Unpooled.wrappedBuffer(new byte[8192]));
                })
                .doOnCancel(gone::countDown)));

        assertThatThrownBy(() -> store(address, options()).find("x", 1 << 20).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("attempt 1 of 3")
                .hasMessageContaining("sends more than the 1048576 bytes that are allowed");
        assertThat(gone.await(300, TimeUnit.SECONDS)).isTrue();
        assertThat(sent.get()).isLessThan(64L << 20);
    }

    @Test
    void manifest_ofEndlessLines_isCutOffAtTheLimit() {
        byte[] lines = new byte[65_536];
        Arrays.fill(lines, (byte) '\n');
        URI address = serve((request, response) ->
                response.send(Flux.<ByteBuf>generate(sink -> sink.next(Unpooled.wrappedBuffer(lines)))));

        assertThatThrownBy(() -> Manifest.open(store(address, options().maxObjectBytes(4 << 20)), "m.jsonl"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("sends more than the 4194304 bytes");
    }

    @Test
    void manifest_ofOneEndlessLine_isRefusedAtTheLimitOfALine() {
        AtomicLong sent = new AtomicLong();
        URI address = serve((request, response) -> response.send(Flux.<ByteBuf>generate(sink -> {
            sent.addAndGet(65_536);
            sink.next(Unpooled.wrappedBuffer(new byte[65_536]));
        })));

        assertThatThrownBy(() -> Manifest.open(store(address, options()), "m.jsonl"))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("m.jsonl")
                .hasMessageContaining("has a line of more than 65536 bytes");
        assertThat(sent.get()).isLessThan(64L << 20);
    }

    @Test
    void manifest_ofOneEndlessLineBehindAMirror_isRefusedAtTheLimitOfALine(@TempDir Path directory) {
        AtomicLong sent = new AtomicLong();
        URI address = serve((request, response) -> response.header(HttpHeaderNames.CONTENT_LENGTH, "209715200")
                .send(
                        request.method().equals(HttpMethod.HEAD)
                                ? Flux.empty()
                                : Flux.<ByteBuf>generate(sink -> {
                                    sent.addAndGet(65_536);
                                    sink.next(Unpooled.wrappedBuffer(new byte[65_536]));
                                })));

        try (MirroredStore mirror = MirroredStore.of(store(address, options()), directory)) {
            assertThatThrownBy(() -> Manifest.open(mirror, "m.jsonl"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("has a line of more than 65536 bytes");
        }
        assertThat(sent.get()).isLessThan(64L << 20);
    }

    @Test
    void length_thatIsHuge_isRefusedUnread() {
        URI address = serve((request, response) ->
                response.header(HttpHeaderNames.CONTENT_LENGTH, "9999999999999").send(Flux.<ByteBuf>never()));

        assertThatThrownBy(() -> store(address, options()).find("x", 1000).block())
                .hasMessageContaining("has 9999999999999 bytes, at most 1000 are allowed");
    }

    @Test
    void bomb_ofGzip_isRefusedBeforeItTakesMemory() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            for (int i = 0; i < 200; i++) {
                out.write(new byte[1 << 20]);
            }
        }
        URI address = serve((request, response) -> response.header(HttpHeaderNames.CONTENT_ENCODING, "gzip")
                .sendByteArray(Mono.just(packed.toByteArray())));

        assertThatThrownBy(() -> store(address, options()).find("x", 1 << 20).block())
                .hasMessageContaining("inflate to more than 1048576")
                .hasMessageContaining("decompression bomb");
    }

    @Test
    void body_ofGzipAndDeflate_isInflated() throws IOException {
        byte[] plain = "some text, some text, some text".getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream gzip = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(gzip)) {
            out.write(plain);
        }
        ByteArrayOutputStream deflate = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(deflate)) {
            out.write(plain);
        }
        URI address = serve((request, response) -> {
            boolean asked = String.valueOf(request.requestHeaders().get("Accept-Encoding"))
                    .contains("gzip");
            String kind = request.uri().endsWith("d") ? "deflate" : "gzip";
            return asked
                    ? response.header(HttpHeaderNames.CONTENT_ENCODING, kind)
                            .sendByteArray(Mono.just((kind.equals("gzip") ? gzip : deflate).toByteArray()))
                    : response.sendByteArray(Mono.just(plain));
        });
        StoreEntry entry = new StoreEntry("g", plain.length, 0);

        assertThat(store(address, options()).find("g", 100).block()).isEqualTo(ByteBuffer.wrap(plain));
        assertThat(store(address, options()).find("d", 100).block()).isEqualTo(ByteBuffer.wrap(plain));
        assertThat(store(address, options()).read(entry).block()).isEqualTo(ByteBuffer.wrap(plain));
        assertThat(store(address, options().compressed()).read(entry).block()).isEqualTo(ByteBuffer.wrap(plain));
    }

    @Test
    void redirect_toAnotherHost_goesWithoutCredentials() {
        URI other = serve((request, response) -> response.send(Mono.just(bytes("there"))));
        URI address = serve((request, response) ->
                response.sendRedirect(other.toString().replace("http://", "http://evil:pass@") + "b?sig=1"));

        ByteBuffer read = store(address, options()).find("a", 10).block();

        assertThat(read).isEqualTo(ByteBuffer.wrap("there".getBytes(StandardCharsets.US_ASCII)));
        assertThat(credentials).containsExactly("Bearer token-secretkey-secret", "nullnull");
    }

    @Test
    void redirect_onTheSameHost_goesWithCredentials() {
        URI address = serve((request, response) ->
                request.uri().equals("/a") ? response.sendRedirect("b") : response.send(Mono.just(bytes("there"))));

        store(address, options()).find("a", 10).block();

        assertThat(credentials).hasSize(2).containsOnly("Bearer token-secretkey-secret");
    }

    @Test
    void redirect_inCircles_endsAtTheLimit() {
        URI address = serve((request, response) -> response.sendRedirect("/a?token=x"));

        assertThatThrownBy(() ->
                        store(address, options().redirects(4)).find("a", 10).block())
                .hasMessageContaining("redirected more than 4 times, at last by " + address + "a?…; name the address");
        assertThat(requests).hasValue(5);
    }

    @Test
    void redirect_toNoAddress_isRefused() {
        for (String target : List.of("file:///etc/passwd", "gopher://x/", "http://[", "")) {
            URI address = serve((request, response) -> response.status(302)
                    .header(HttpHeaderNames.LOCATION, target)
                    .send());

            assertThatThrownBy(() ->
                            store(address, options().redirects(2)).find("a", 10).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("redirected");
        }
    }

    @Test
    void token_refused_isRenewedOnceForAll() {
        AtomicInteger given = new AtomicInteger();
        URI address = serve((request, response) ->
                "Bearer t2".equals(request.requestHeaders().get("Authorization"))
                        ? response.send(Mono.just(bytes("yes")))
                        : response.status(401).send());
        Mono<String> tokens = Mono.fromSupplier(() -> "t" + given.incrementAndGet());
        HttpStore store = store(address, HttpOptions.standard().bearer(tokens));

        long read = Flux.range(0, 30)
                .flatMap(i -> store.find("a" + i, 10), 30)
                .count()
                .block();

        assertThat(read).isEqualTo(30);
        assertThat(given).hasValue(2);
    }

    @Test
    void token_refusedTwice_isAnErrorThatDoesNotTellIt() {
        URI address = serve((request, response) -> response.status(401).send());
        HttpStore store =
                store(URI.create(address.toString().replace("http://", "http://user:pass-secret@")), options());

        assertThatThrownBy(() -> store.find("a", 10).block())
                .hasMessageContaining("GET " + address + "a failed on attempt 1 of 3")
                .hasMessageContaining("answered 401 (unauthorized); check the token")
                .hasMessageNotContaining("secret");
        assertThat(requests).hasValue(2);
        assertThat(store + " " + store.location() + " " + options()).doesNotContain("secret");
    }

    @Test
    void body_thatChangesWhileItIsResumed_isNeverMixed() {
        String before = "a".repeat(100_000);
        String after = "b".repeat(100_000);
        URI address = serve((request, response) -> {
            boolean first = requests.get() == 1;
            String body = first ? before : after;
            response.header(HttpHeaderNames.ETAG, first ? "\"1\"" : "\"2\"")
                    .header(HttpHeaderNames.CONTENT_LENGTH, "100000");
            return first
                    ? response.send(
                            Mono.just(bytes(body.substring(0, 60_000)))
                                    .concatWith(Mono.delay(Duration.ofMillis(100))
                                            .then(Mono.error(new IOException("cut")))),
                            each -> true)
                    : response.send(Mono.just(bytes(body))); // If-Range does not hold, so all of it
        });

        ByteBuffer read = store(address, options()).find("x", 1 << 20).block();

        assertThat(read).isEqualTo(ByteBuffer.wrap(after.getBytes(StandardCharsets.US_ASCII)));
        assertThat(requests).hasValue(2);
    }

    @Test
    void body_thatBrokeOff_isResumedUnderIfRange() {
        String body = "0123456789".repeat(10_000);
        ConcurrentLinkedQueue<String> ranges = new ConcurrentLinkedQueue<>();
        URI address = serve((request, response) -> {
            String range = request.requestHeaders().get("Range");
            ranges.add(range + " " + request.requestHeaders().get("If-Range"));
            int from = range == null ? 0 : Integer.parseInt(range.substring(6, range.length() - 1));
            int to = Math.min(body.length(), from + 40_000);
            response.header(HttpHeaderNames.ETAG, "\"1\"")
                    .header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.length() - from));
            if (range != null) {
                response.status(206)
                        .header(
                                HttpHeaderNames.CONTENT_RANGE,
                                "bytes %d-%d/%d".formatted(from, body.length() - 1, body.length()));
            }
            Mono<ByteBuf> part = Mono.just(bytes(body.substring(from, to)));
            return to == body.length()
                    ? response.send(part)
                    : response.send(
                            part.concatWith(
                                    Mono.delay(Duration.ofMillis(100)).then(Mono.error(new IOException("cut")))),
                            each -> true);
        });

        ByteBuffer read = store(address, options()).find("x", 1 << 20).block();

        assertThat(read).isEqualTo(ByteBuffer.wrap(body.getBytes(StandardCharsets.US_ASCII)));
        assertThat(ranges).containsExactly("null null", "bytes=40000- \"1\"", "bytes=80000- \"1\"");
    }

    @Test
    void ranges_thatAreIgnored_areCutOutOfTheWhole() {
        String body = "0123456789".repeat(100);
        URI address = serve((request, response) ->
                response.header(HttpHeaderNames.CONTENT_LENGTH, "1000").send(Mono.just(bytes(body))));
        StoreEntry entry = new StoreEntry("x", 1000, 0);

        ByteBuffer read = store(address, options()).read(entry, 995, 5).block();

        assertThat(read).isEqualTo(ByteBuffer.wrap("56789".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void range_otherThanAsked_isNotBelieved() {
        URI address = serve((request, response) -> response.status(206)
                .header(HttpHeaderNames.CONTENT_RANGE, "bytes 0-4/1000")
                .header(HttpHeaderNames.CONTENT_LENGTH, "5")
                .send(Mono.just(bytes("01234"))));

        assertThatThrownBy(() -> store(address, options())
                        .read(new StoreEntry("x", 1000, 0), 500, 5)
                        .block())
                .hasMessageContaining("attempt 3 of 3")
                .hasMessageContaining("bytes from 500 on were asked for, the answer is \"bytes 0-4/1000\"");
    }

    @Test
    void cancel_whileABodyComes_closesTheExchange() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        URI address = serve((request, response) -> {
            request.withConnection(connection -> connection.onDispose(gone::countDown));
            return response.send(
                    Mono.just(bytes("begin")).doOnTerminate(begun::countDown).concatWith(Mono.never()), each -> true);
        });

        var reading = store(address, options()).find("x", 100).subscribe();
        assertThat(begun.await(300, TimeUnit.SECONDS)).isTrue();
        reading.dispose();

        assertThat(gone.await(300, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void head_thatIsNotAllowed_isAskedByTheFirstByte() {
        URI address = serve((request, response) -> {
            if (request.method().name().equals("HEAD")) {
                return response.status(405).send();
            }
            return response.status(206)
                    .header(HttpHeaderNames.CONTENT_RANGE, "bytes 0-0/12345")
                    .header(HttpHeaderNames.ETAG, "\"e\"")
                    .send(Mono.just(bytes("x")));
        });

        StoreEntry entry = store(address, options()).entry("x").block();

        assertThat(entry.size()).isEqualTo(12_345);
        assertThat(entry.version()).isNotZero();
    }

    @Test
    void answer_thatIsNoHttp_isToldAsSuch() {
        DisposableServer server = reactor.netty.tcp.TcpServer.create()
                .host("127.0.0.1")
                .handle((in, out) ->
                        out.sendString(Mono.just("SSH-2.0-OpenSSH_9.2\r\n\r\n")).neverComplete())
                .bindNow();
        opened.add(server::disposeNow);

        assertThatThrownBy(() -> store(URI.create("http://127.0.0.1:" + server.port() + "/"), options())
                        .find("x", 10)
                        .block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the answer makes no sense");
    }

    @Test
    void server_thatIsNotThere_isToldAsSuch() {
        URI address = serve((request, response) -> response.send());
        opened.forEach(each -> {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });

        assertThatThrownBy(() -> store(address, options()).find("x", 10).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("attempt 3 of 3")
                .hasMessageContaining("could not connect");
    }
}
