package io.penstock.bench.experiment;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A training job as a pipeline sees it: it takes a batch, computes on a device while the processors are free, and takes
 * the next.
 *
 * @param batch samples a step
 * @param step  the time to compute; zero for none
 */
public record TrainingStep(int batch, Duration step) {

    /** Faster than a few cores decode and slower than a cache serves, so that a cache moves the bottleneck. */
    public static final TrainingStep STANDARD = new TrainingStep(32, Duration.ofMillis(6));

    /** A timer of its own, so that other timers of this process do not delay the device. */
    private static final Scheduler DEVICE = Schedulers.newSingle("device", true);

    public static final Schema<Tensor> SCHEMA = Schema.tensor("pixels");

    /** Seconds of one epoch, from the subscription to the end of its last step. */
    public double seconds(Dataset<Tensor> dataset, long seed, long epoch, Execution execution) {
        Sampler sampler = Sampler.shuffled(seed).epochs(epoch + 1).resumeAt(new Position(epoch, 0));
        long began = System.nanoTime();
        dataset.stream(sampler, execution)
                .transform(Batches.of(batch, SCHEMA))
                .doOnNext(this::take)
                .blockLast();
        return (System.nanoTime() - began) / 1e9;
    }

    private void take(Batch taken) {
        try (taken) {
            if (!step.isZero()) {
                Mono.delay(step, DEVICE).block(); // batches come on a thread that may block
            }
        }
    }
}
