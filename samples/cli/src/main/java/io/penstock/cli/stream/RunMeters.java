package io.penstock.cli.stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.penstock.batch.Batch;
import io.penstock.cache.Cache;
import io.penstock.metrics.ConsumerMetrics;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.metrics.StreamObservation;
import io.penstock.metrics.TierMetrics;
import io.penstock.order.Shard;
import io.penstock.pipeline.Pipeline;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** What a run counts: on a page for Prometheus, pushed to a collector, or both. */
final class RunMeters implements AutoCloseable {

    private final CompositeMeterRegistry registry = new CompositeMeterRegistry();
    private final ObservationRegistry observations = ObservationRegistry.create();
    final ConsumerMetrics consumer = new ConsumerMetrics();
    final @Nullable MetricsPage page;

    /** @param collector that takes OTLP over HTTP; null pushes nothing */
    RunMeters(@Nullable MetricsPage page, @Nullable URI collector) {
        this.page = page;
        if (page != null) {
            registry.add(page.registry);
        }
        if (collector != null) {
            registry.add(OtlpPush.to(collector));
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
