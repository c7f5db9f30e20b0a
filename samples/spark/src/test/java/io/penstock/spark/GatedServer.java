package io.penstock.spark;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Hands requests on to another server, but holds some of them until a gate is opened. */
final class GatedServer implements AutoCloseable {

    private static final Set<String> OWN =
            Set.of("host", "connection", "content-length", "transfer-encoding", "upgrade");

    private final URI behind;
    private final Predicate<String> held;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param held told each path; whether its request is held */
    GatedServer(URI behind, Predicate<String> held) throws IOException {
        this.behind = behind;
        this.held = held;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** How many requests came that were held. */
    int held() {
        return waiting.get();
    }

    void open() {
        gate.countDown();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getRawPath();
            if (held.test(path)) {
                waiting.incrementAndGet();
                gate.await();
            }
            HttpRequest.Builder request = HttpRequest.newBuilder(behind.resolve(exchange.getRequestURI()))
                    .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.noBody());
            exchange.getRequestHeaders().forEach((name, values) -> {
                if (!OWN.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            HttpResponse<byte[]> response = client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            response.headers().map().forEach((name, values) -> {
                if (!OWN.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            int length = response.body().length;
            exchange.sendResponseHeaders(response.statusCode(), length == 0 ? -1 : length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(response.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        open();
        server.stop(0);
        threads.shutdownNow();
    }
}
