package io.penstock.cli.watch;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.cache.Fingerprint;
import io.penstock.metrics.ConsumerMetrics;
import io.penstock.metrics.PipelineMetrics;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.page.Answer;
import io.penstock.page.GuardedServer;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Ranks that take their steps together, as those that exchange gradients do, each with its page of meters. */
final class LockstepJob implements AutoCloseable {

    private static final int BATCH = 8;
    private static final long STEP_MILLIS = 2;
    private static final int WORKERS = 2;

    /**
     * What the input of a rank costs.
     *
     * @param loadMillis how long a sample waits at the source
     * @param workMicros how long a worker works on a sample
     */
    record Input(int loadMillis, int workMicros) {}

    private final List<Runnable> open = new ArrayList<>();
    private final List<URI> addresses = new ArrayList<>();
    private final CyclicBarrier step;

    LockstepJob(int ranks, IntFunction<Input> inputs) {
        this.step = new CyclicBarrier(ranks);
        for (int rank = 0; rank < ranks; rank++) {
            begin(rank, ranks, inputs.apply(rank));
        }
    }

    private void begin(int rank, int ranks, Input input) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        Pipeline<Tensor> pipeline = new Numbers(input.loadMillis).map("work", value -> {
            LockSupport.parkNanos(input.workMicros * 1_000L);
            return value;
        });
        ConsumerMetrics consumer = new ConsumerMetrics();
        new PipelineMetrics(pipeline).bindTo(registry);
        consumer.bindTo(registry);
        Gauge.builder("penstock.rank", () -> rank).register(registry);
        GuardedServer server = GuardedServer.open(
                "--metrics-port",
                0,
                (request, response) -> Answer.bytes(
                        response, 200, "text/plain", registry.scrape().getBytes(StandardCharsets.UTF_8)));
        open.add(server::close);
        addresses.add(URI.create("http://127.0.0.1:%d/metrics".formatted(server.port())));
        Scheduler workers = Execution.newWorkers(WORKERS); // each rank its own, as in processes of their own
        Disposable run = pipeline.stream(
                        Sampler.shuffled(1).epochs(Integer.MAX_VALUE).shard(Shard.of(rank, ranks)),
                        Execution.standard().workers(workers, WORKERS))
                .transform(Batches.of(BATCH, Schema.tensor("value")))
                .transform(consumer::measure)
                .publishOn(Schedulers.boundedElastic(), 1)
                .doOnDiscard(Batch.class, Batch::close)
                .subscribe(this::train, failure -> {});
        open.add(run::dispose);
        open.add(workers::dispose);
    }

    private void train(Batch batch) {
        try (batch) {
            Thread.sleep(STEP_MILLIS);
            step.await(); // the exchange of gradients
        } catch (InterruptedException | BrokenBarrierException e) {
            Thread.currentThread().interrupt();
        }
    }

    List<URI> addresses() {
        return addresses;
    }

    @Override
    public void close() {
        step.reset();
        open.forEach(Runnable::run);
    }

    private record Numbers(int loadMillis) implements Dataset<Tensor> {
        @Override
        public long size() {
            return 10_000;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("numbers");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.delay(Duration.ofMillis(loadMillis)).map(tick -> Tensor.scalar(index));
        }
    }
}
