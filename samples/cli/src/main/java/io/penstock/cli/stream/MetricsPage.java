package io.penstock.cli.stream;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.page.Answer;
import io.penstock.page.GuardedServer;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Meters for Prometheus to fetch: {@code http://HOST:PORT/metrics}. */
final class MetricsPage implements AutoCloseable {

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final String host;
    private final GuardedServer server;

    /**
     * Serves a page on a port of an address of this machine; 0 takes any free one.
     * @throws IllegalArgumentException if there is no such address, or the port is taken, or none
     */
    MetricsPage(String host, int port) {
        this.host = host;
        this.server = GuardedServer.open("--metrics-port", host, port, this::answer);
    }

    String address() {
        return "http://%s:%d/metrics".formatted(host.contains(":") ? "[" + host + "]" : host, server.port());
    }

    private Mono<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        boolean found = request.uri().replaceFirst("\\?.*", "").equals("/metrics");
        boolean allowed = request.method().equals(HttpMethod.GET);
        int status = !allowed ? 405 : found ? 200 : 404;
        return Mono.fromCallable(() -> !allowed ? "only GET\n" : found ? registry.scrape() : "see /metrics\n")
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(text -> Answer.bytes(response, status, TYPE, text.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        server.close();
    }
}
