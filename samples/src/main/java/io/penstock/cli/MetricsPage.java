package io.penstock.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.metrics.TierMetrics;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.Tier;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** What the run counts, for Prometheus to fetch: {@code http://127.0.0.1:PORT/metrics}, for this machine alone. */
final class MetricsPage implements AutoCloseable {

    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpServer server;

    private MetricsPage(HttpServer server) {
        this.server = server;
    }

    /**
     * Serves a page on a port of the loopback address; 0 takes any free one.
     * @throws IllegalArgumentException if the port is taken, or none
     */
    static MetricsPage open(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("--metrics-port must be in [0, 65536), was " + port);
        }
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
            MetricsPage page = new MetricsPage(server);
            server.createContext("/", page::answer);
            server.start();
            return page;
        } catch (BindException e) {
            throw new IllegalArgumentException(
                    "--metrics-port %d is taken or not allowed; choose another, or 0 for any free one".formatted(port),
                    e);
        } catch (IOException e) {
            throw new IllegalArgumentException("--metrics-port %d cannot be served: %s".formatted(port, e), e);
        }
    }

    /** The tier with its latency measured, and its counts on the page. */
    Tier show(Tier tier) {
        Tier timed = TierMetrics.timed(tier, registry);
        new TierMetrics(timed).bindTo(registry);
        return timed;
    }

    void show(Pipeline<?> pipeline) {
        new PipelineMetrics(pipeline).bindTo(registry);
    }

    String address() {
        return "http://127.0.0.1:%d/metrics".formatted(server.getAddress().getPort());
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean found = exchange.getRequestURI().getPath().equals("/metrics");
            boolean allowed = exchange.getRequestMethod().equals("GET");
            String text = !allowed ? "only GET\n" : found ? registry.scrape() : "see /metrics\n";
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", TYPE);
            exchange.sendResponseHeaders(!allowed ? 405 : found ? 200 : 404, bytes.length);
            try (OutputStream body = exchange.getResponseBody()) {
                body.write(bytes);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        registry.close();
    }
}
