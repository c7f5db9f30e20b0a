package io.penstock.cli.stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.cache.Cache;
import io.penstock.metrics.ConsumerMetrics;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.metrics.TierMetrics;
import io.penstock.order.Shard;
import io.penstock.page.Answer;
import io.penstock.page.GuardedServer;
import io.penstock.pipeline.Pipeline;
import java.nio.charset.StandardCharsets;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** What the run counts, for Prometheus to fetch: {@code http://HOST:PORT/metrics}. */
final class MetricsPage implements AutoCloseable {

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ConsumerMetrics consumer = new ConsumerMetrics();
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

    /** The cache with its latency measured, and its counts on the page. */
    Cache show(Cache cache) {
        Cache timed = TierMetrics.timed(cache, registry);
        new TierMetrics(timed).bindTo(registry);
        return timed;
    }

    /** A pipeline and the rank that runs it. */
    void show(Pipeline<?> pipeline, Shard shard) {
        new PipelineMetrics(pipeline).bindTo(registry);
        consumer.bindTo(registry);
        gauge("penstock.rank", "the rank of this process, counted from 0", shard.rank());
        gauge("penstock.world", "how many ranks the job has", shard.worldSize());
    }

    private void gauge(String name, String description, int value) {
        Gauge.builder(name, () -> value).description(description).register(registry);
    }

    /** Measures how long the consumer waits for batches. */
    <T> Flux<T> measure(Flux<T> batches) {
        return consumer.measure(batches);
    }

    /** Measures how long one batch takes that a consumer asked for by its number. */
    <T> Flux<T> measureNumbered(Flux<T> batch) {
        return consumer.measureNumbered(batch);
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
        registry.close();
    }
}
