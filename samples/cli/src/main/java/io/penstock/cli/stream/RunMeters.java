package io.penstock.cli.stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.internal.GuardedScheduler;
import io.penstock.metrics.ConsumerMetrics;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.metrics.StreamObservation;
import io.penstock.metrics.TierMetrics;
import io.penstock.order.Shard;
import io.penstock.page.Answer;
import io.penstock.page.GuardedServer;
import io.penstock.pipeline.Pipeline;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** What a run counts: on a page for Prometheus, {@code http://HOST:PORT/metrics}, pushed to a collector, or both. */
final class RunMeters implements AutoCloseable {

    private static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final ObservationRegistry observations = ObservationRegistry.create();
    final ConsumerMetrics consumer = new ConsumerMetrics();
    private final PrometheusMeterRegistry scraped = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final String host;
    private final @Nullable GuardedServer page;

    /**
     * Serves and pushes from now on.
     * @param port      of a page at an address of this machine; 0 takes any free one, null serves none
     * @param collector that takes OTLP over HTTP; null pushes nothing
     * @throws IllegalArgumentException if there is no such address, or the port is taken, or none
     */
    RunMeters(String host, @Nullable Integer port, @Nullable URI collector) {
        this.host = host;
        this.page = port == null ? null : GuardedServer.open("--metrics-port", host, port, this::answer);
        if (page != null) {
            registry.add(scraped);
        }
        if (collector != null) {
            registry.add(OtlpPush.to(collector, observations));
        }
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
    }

    /** The cache with its latency measured, and its counts among the meters. */
    Cache show(Cache cache) {
        Cache timed = TierMetrics.timed(cache, registry);
        new TierMetrics(timed).bindTo(registry);
        return timed;
    }

    void show(Pipeline<?> pipeline, Shard shard) {
        new PipelineMetrics(pipeline).bindTo(registry);
        consumer.bindTo(registry);
        gauge("penstock.rank", "the rank of this process, counted from 0", shard.rank());
        gauge("penstock.world", "how many ranks the job has", shard.worldSize());
    }

    private void gauge(String name, String description, int value) {
        Gauge.builder(name, () -> value).description(description).register(registry);
    }

    /** Measures how long the consumer waits for batches, and how long the stream and its epochs take. */
    Flux<Batch> measure(Flux<Batch> batches) {
        return consumer.measure(batches.tap(
                StreamObservation.<Batch>of(observations, "penstock.stream").epochs(Batch::epoch)));
    }

    /** Of the page; null without one. */
    @Nullable String address() {
        return page == null
                ? null
                : "http://%s:%d/metrics".formatted(host.contains(":") ? "[" + host + "]" : host, page.port());
    }

    private Mono<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        boolean found = request.uri().replaceFirst("\\?.*", "").equals("/metrics");
        boolean allowed = request.method().equals(HttpMethod.GET);
        int status = !allowed ? 405 : found ? 200 : 404;
        return Mono.fromCallable(() -> !allowed ? "only GET\n" : found ? scraped.scrape() : "see /metrics\n")
                .subscribeOn(GuardedScheduler.ELASTIC)
                .flatMap(text -> Answer.bytes(response, status, TYPE, text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Pushes the last counts. Blocks until the collector has them, or does not answer. */
    @Override
    public void close() {
        if (page != null) {
            page.close();
        }
        registry.getRegistries().forEach(each -> each.close());
        registry.close();
    }
}
