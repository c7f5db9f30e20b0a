package io.penstock.cli.stream;

import com.sun.net.httpserver.HttpExchange;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cache.Cache;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.metrics.TierMetrics;
import io.penstock.page.LoopbackServer;
import io.penstock.pipeline.Pipeline;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** What the run counts, for Prometheus to fetch: {@code http://127.0.0.1:PORT/metrics}, for this machine alone. */
final class MetricsPage implements AutoCloseable {

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LoopbackServer server;

    private MetricsPage(int port) {
        this.server = LoopbackServer.open("--metrics-port", port, "penstock-metrics", this::answer);
    }

    /**
     * Serves a page on a port of the loopback address; 0 takes any free one.
     * @throws IllegalArgumentException if the port is taken, or none
     */
    static MetricsPage open(int port) {
        return new MetricsPage(port);
    }

    /** The cache with its latency measured, and its counts on the page. */
    Cache show(Cache cache) {
        Cache timed = TierMetrics.timed(cache, registry);
        new TierMetrics(timed).bindTo(registry);
        return timed;
    }

    void show(Pipeline<?> pipeline) {
        new PipelineMetrics(pipeline).bindTo(registry);
    }

    String address() {
        return "http://127.0.0.1:%d/metrics".formatted(server.port());
    }

    private void answer(HttpExchange exchange) throws IOException {
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

    @Override
    public void close() {
        server.close();
        registry.close();
    }
}
