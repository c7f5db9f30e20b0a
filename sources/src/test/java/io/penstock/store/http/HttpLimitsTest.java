package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.penstock.fault.StoreException;
import io.penstock.store.Descriptors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** What a store is allowed: so much at once, and so long. Which limit was hit is told, never how long that took. */
@ExtendWith(NoLeaks.class)
class HttpLimitsTest {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(250);

    private final ConcurrentLinkedDeque<AutoCloseable> opened = new ConcurrentLinkedDeque<>();
    private final AtomicInteger requests = new AtomicInteger();

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.removeLast().close();
        }
    }

    private URI serve(BiFunction<HttpServerRequest, HttpServerResponse, Publisher<Void>> answer) {
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> {
                    requests.incrementAndGet();
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

    private static HttpOptions once() {
        return HttpOptions.standard().attempts(1, SOON);
    }

    /** Answers nobody before as many wait as may, then each a little later, so that one too many would be seen. */
    private static final class Crowd {
        private final int allowed;
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger peak = new AtomicInteger();
        private final Set<String> channels = ConcurrentHashMap.newKeySet();
        private final Sinks.Empty<Void> full = Sinks.empty();

        Crowd(int allowed) {
            this.allowed = allowed;
        }

        Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
            request.withConnection(
                    connection -> channels.add(connection.channel().id().asLongText()));
            int now = inside.incrementAndGet();
            peak.accumulateAndGet(now, Math::max);
            if (now == allowed) {
                full.tryEmitEmpty();
            }
            return full.asMono().then(Mono.delay(Duration.ofMillis(10))).then(Mono.defer(() -> {
                inside.decrementAndGet(); // before the client can know
                return response.sendByteArray(Mono.just(new byte[] {1})).then();
            }));
        }
    }

    private static void readMany(HttpStore store) {
        Flux.range(0, 40).flatMap(i -> store.find("x" + i, 10), 40).then().block();
    }

    @Test
    void inFlight_ofManyReads_isReachedAndNotPassed() {
        Crowd crowd = new Crowd(3);
        HttpStore store = store(serve(crowd::answer), once().inFlight(3));

        readMany(store);

        assertThat(crowd.peak).hasValue(3);
        assertThat(requests).hasValue(40);
    }

    @Test
    void connections_ofManyReads_areReachedAndNotPassed() {
        Crowd crowd = new Crowd(2);
        HttpStore store = store(serve(crowd::answer), once().connections(2).inFlight(16));

        readMany(store);

        assertThat(crowd.peak).hasValue(2);
        assertThat(crowd.channels).hasSize(2);
        assertThat(requests).hasValue(40);
    }

    @Test
    void stores_ofOneServerThatStayOpen_shareTheirConnections() {
        Crowd crowd = new Crowd(2);
        URI address = serve(crowd::answer);

        for (int i = 0; i < 10; i++) {
            readMany(HttpStore.at(address.resolve("set" + i + "/"), once().connections(2)));
        }
        HttpStore ended = HttpStore.at(address, once().connections(2));
        ended.close();
        ended.close();
        readMany(HttpStore.at(address, once().connections(2)));

        assertThat(crowd.channels).hasSize(2);
        assertThatThrownBy(() -> ended.find("x", 10).block()).hasMessageContaining("its store is closed");
    }

    /** Both ends of a connection are in this process. */
    @Test
    void stores_thatStayOpenByDozens_takeTheSocketsOfOne() throws IOException {
        URI address = serve(new Crowd(40)::answer);
        long before = Descriptors.sockets();

        for (int i = 0; i < 40; i++) {
            readMany(HttpStore.at(address.resolve("set" + i + "/"), once()));
        }

        assertThat(Descriptors.sockets()).isLessThanOrEqualTo(before + 2 * 64 + Descriptors.OTHERS);
    }

    @Tag("endurance")
    @Test
    void connections_thatAreIdle_closeSoonWithoutTheStore() {
        Sinks.Empty<Void> closed = Sinks.empty();
        URI address = serve((request, response) -> {
            request.withConnection(connection -> connection.onDispose(closed::tryEmitEmpty));
            return response.sendByteArray(Mono.just(new byte[] {1}));
        });

        HttpStore.at(address, once()).find("x", 10).block();

        closed.asMono().block(SOON);
    }

    /** A server that accepts nobody yet: once its queue is full, no connection is made. */
    private void fill(InetSocketAddress server) throws IOException {
        boolean isFull = false;
        for (int i = 0; i < 16 && !isFull; i++) {
            Socket queued = new Socket();
            opened.add(queued);
            try {
                queued.connect(server, 100);
            } catch (SocketTimeoutException e) {
                isFull = true;
            }
        }
        Assumptions.assumeTrue(isFull, "needs a system whose queue of connections is bounded");
    }

    /** How many sockets have asked a port of 127.0.0.1 for a connection and wait; both families tell of them. */
    private static long asking(int port) throws IOException {
        String sought = "0100007F:%04X 02 ".formatted(port);
        long count = 0;
        for (String family : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            count += Files.readAllLines(Path.of(family)).stream()
                    .filter(line -> line.contains(sought))
                    .count();
        }
        return count;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void inFlight_whereTheServerDropsConnections_isHalved() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/net/tcp6")), "needs Linux");
        AtomicInteger inside = new AtomicInteger();
        CountDownLatch first = new CountDownLatch(8);
        AtomicInteger laterPeak = new AtomicInteger();
        var server = com.sun.net.httpserver.HttpServer.create(
                new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), 0), 1);
        ExecutorService threads = Executors.newCachedThreadPool();
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int now = inside.incrementAndGet();
            if (requests.incrementAndGet() > 8) {
                laterPeak.accumulateAndGet(now, Math::max);
                LockSupport.parkNanos(100_000_000);
            } else {
                first.countDown();
                await(first);
            }
            inside.decrementAndGet(); // before the client can know
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write(1);
            exchange.close();
        });
        opened.add(threads::shutdownNow);
        opened.add(() -> server.stop(0));
        int port = server.getAddress().getPort();
        fill(server.getAddress());
        HttpStore store = store(URI.create("http://127.0.0.1:" + port + "/"), once().inFlight(8));

        var read = Flux.range(0, 20)
                .flatMap(i -> store.find("x" + i, 10), 20)
                .then()
                .toFuture();
        while (asking(port) < 8 && !read.isDone()) {
            Thread.onSpinWait();
        }
        server.start();
        read.get();

        assertThat(requests).hasValue(20);
        assertThat(laterPeak.get()).isLessThan(8); // four, and one more after each round
    }

    @Test
    void connectTimeout_ofAHostThatDoesNotAnswer_endsTheAttempt() throws IOException {
        ServerSocket deaf = new ServerSocket(0, 1, InetAddress.getByAddress(LOOPBACK));
        opened.add(deaf);
        fill((InetSocketAddress) deaf.getLocalSocketAddress());
        HttpStore store =
                store(URI.create("http://127.0.0.1:" + deaf.getLocalPort() + "/"), once().connectTimeout(SHORT));

        assertThatThrownBy(() -> store.find("x", 10).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("connection timed out after 250 ms");
    }

    @Test
    void connectTimeout_ofATlsHandshakeThatGetsNoAnswer_endsTheAttempt() throws IOException {
        ServerSocket silent = new ServerSocket(0, 16, InetAddress.getByAddress(LOOPBACK));
        opened.add(silent);
        HttpStore store =
                store(URI.create("https://127.0.0.1:" + silent.getLocalPort() + "/"), once().connectTimeout(SHORT));

        assertThatThrownBy(() -> store.find("x", 10).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("handshake timed out after 250ms");
    }

    @Test
    void readTimeout_ofABodyThatTrickles_endsTheAttempt() {
        URI address = serve((request, response) -> response.send(
                Flux.interval(Duration.ofMillis(5)).map(i -> Unpooled.wrappedBuffer(new byte[1])), b -> true));

        assertThatThrownBy(() -> store(address, once().readTimeout(SHORT))
                        .find("x", 1 << 20)
                        .block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("took longer than 250 ms");
        assertThat(requests).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"429, 3600", "503, 3600", "429, 'Sat, 21 Nov 2026 11:00:00 GMT'", "503, 'Sat, 21 Nov 2026 11:00:00 GMT'"
    })
    void retryAfter_ofAReply_isNotAskedBefore(int status, String after) {
        URI address = serve((request, response) -> response.status(status)
                .header("Date", "Sat, 21 Nov 2026 10:00:00 GMT")
                .header("Retry-After", after)
                .send());
        HttpStore store = store(address, HttpOptions.standard().attempts(5, Duration.ofSeconds(3599)));

        assertThatThrownBy(() -> store.find("x", 10).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("attempt 1 of 5")
                .hasMessageContaining("the server asks to wait 3600.0 s, which is more than is left of the 3599.0 s");
        assertThat(requests).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({"0", "'Sat, 21 Nov 2026 09:00:00 GMT'", "soon"})
    void retryAfter_thatIsOverOrNone_isAskedAgain(String after) {
        URI address = serve((request, response) -> requests.get() > 1
                ? response.sendByteArray(Mono.just(new byte[] {7}))
                : response.status(429)
                        .header("Date", "Sat, 21 Nov 2026 10:00:00 GMT")
                        .header("Retry-After", after)
                        .send());
        HttpStore store = store(address, HttpOptions.standard().backoff(Duration.ofMillis(1), Duration.ofMillis(2)));

        assertThat(store.find("x", 10).block().get(0)).isEqualTo((byte) 7);
        assertThat(requests).hasValue(2);
    }
}
