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
import java.util.function.Consumer;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * A training job as a pipeline sees it: it takes a batch, computes, and takes the next.
 *
 * @param batch   samples a step
 * @param compute blocks for a step; the caller closes the batch
 */
public record TrainingStep(int batch, Consumer<Batch> compute) {

    public static final int BATCH = 32;

    /** A timer of its own, so that other timers of this process do not delay the device. */
    private static final Scheduler DEVICE = Schedulers.newSingle("device", true);

    /** Faster than a few cores decode and slower than a cache serves, so that a cache moves the bottleneck. */
    private static final Duration STEP = Duration.ofMillis(6);

    /** Waits as for a device that computes while the processors are free. */
    public static final TrainingStep TIMED =
            new TrainingStep(BATCH, batch -> Mono.delay(STEP, DEVICE).block()); // the thread may block

    public static final Schema<Tensor> SCHEMA = Schema.tensor("pixels");

    /** One that does nothing. */
    static TrainingStep none(int batch) {
        return new TrainingStep(batch, taken -> {});
    }

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
            compute.accept(taken);
        }
    }
}
