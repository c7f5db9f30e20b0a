package io.penstock.train;

import ai.djl.engine.Engine;
import io.penstock.batch.Batches;
import io.penstock.djl.NdBatch;
import io.penstock.fault.DataException;
import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A training run: a pipeline's batches into a network, from where a checkpoint left off.
 * <pre>{@code
 *  pictures ─ decode ─ cache │ augment │ batches ─ arrays ─ step ─ checkpoint
 *                            └ test, at the end of each epoch
 * }</pre>
 */
final class Training implements AutoCloseable {

    private static final int TEST_BATCH = 256;

    private final LabelledPictures data;
    private final TrainingPlan plan;
    private final Saving saving;
    private final Consumer<TrainingEpoch> reports;
    private final Pipeline<LabelledPicture> pipeline;
    private final Sampler sampler;
    private final Learner learner;

    private TrainingEpoch tally = new TrainingEpoch();
    private Position position;
    private long batches;
    private long idleSince;

    /**
     * When and where the run is saved.
     *
     * @param file  of the checkpoint; null saves nothing
     * @param every the given number of batches, besides the end of each epoch and of the run; 0 for no more
     */
    record Saving(@Nullable Path file, int every) {
        boolean due(long batches) {
            return file != null && every > 0 && batches % every == 0;
        }
    }

    /**
     * Makes a network, or takes the one of the checkpoint if there is one.
     * @param reports told of each epoch at its end, on the trainer's thread
     * @throws IllegalArgumentException if the checkpoint is of another plan or other data
     */
    Training(LabelledPictures data, TrainingPlan plan, Saving saving, Consumer<TrainingEpoch> reports, Engine engine) {
        this.data = data;
        this.plan = plan;
        this.saving = saving;
        this.reports = reports;
        this.pipeline = plan.pipeline(data);
        if (perEpoch() < 1) {
            throw new IllegalArgumentException(
                    "%d pictures to learn from are less than a batch of %d; make batches smaller"
                            .formatted(data.training().size(), plan.batch()));
        }
        Path file = saving.file();
        Sampler start = plan.sampler();
        if (file != null && Files.exists(file)) {
            Checkpoint found = Checkpoint.load(file);
            this.sampler = found.token().resume(start, pipeline);
            this.learner = Learner.goingOn(engine, data, found.weights());
        } else {
            this.sampler = start;
            this.learner = Learner.fresh(engine, data, plan.seed());
        }
        this.position = sampler.start();
    }

    /**
     * Trains to the end, or until told to stop, and saves. Blocks.
     * @param most batches to learn from at most
     */
    void run(Mono<Void> stop, long most) {
        Flux<NdBatch> all = pipeline.stream(sampler)
                .transform(Batches.of(plan.batch(), LabelledPicture.SCHEMA).remainder(Remainder.DROP))
                .transform(NdBatch.with(learner.manager()));
        idleSince = System.nanoTime();
        try {
            all.take(most)
                    .takeUntilOther(stop)
                    .doOnNext(Thrown.consumer(this::learn))
                    .doOnDiscard(NdBatch.class, NdBatch::close)
                    .blockLast();
        } catch (DataException e) {
            save(); // a sample was lost: what was learned before is whole
            throw e;
        }
        save();
    }

    private void learn(NdBatch arrays) {
        long arrived = System.nanoTime();
        tally.waited(arrived - idleSince);
        try (arrays) {
            Position next = arrays.batch().next();
            Learner.Outcome outcome =
                    learner.step(arrays, plan.rate(done(arrays.batch().epoch(), next)));
            batches++;
            position = next;
            tally.batch(arrays.batch().size(), outcome, System.nanoTime() - arrived);
            if (saving.due(batches)) {
                save();
            }
            if (isLast(arrays.batch().epoch(), next)) {
                ended(arrays.batch().epoch());
            }
        }
        idleSince = System.nanoTime();
    }

    private long perEpoch() {
        return data.training().size() / plan.batch();
    }

    /** The share of the run that is done at a position behind a batch. */
    private double done(long epoch, Position next) {
        long batch = next.epoch() > epoch ? perEpoch() : next.offset() / plan.batch();
        return (epoch + (double) batch / perEpoch()) / plan.epochs();
    }

    private boolean isLast(long epoch, Position next) {
        return next.epoch() > epoch || data.training().size() - next.offset() < plan.batch();
    }

    private void ended(long epoch) {
        TrainingEpoch report = tally;
        report.number = epoch;
        report.testAccuracy = testAccuracy();
        report.loads = pipeline.statistics().loads();
        tally = new TrainingEpoch();
        save();
        reports.accept(report);
    }

    private double testAccuracy() {
        long correct = 0;
        Flux<NdBatch> test = data.test().map("normalise", picture -> picture.with(plan.plain())).stream(
                        Sampler.sequential())
                .transform(Batches.of(TEST_BATCH, LabelledPicture.SCHEMA))
                .transform(NdBatch.with(learner.manager()));
        for (NdBatch batch : test.toIterable(1)) {
            try (batch) {
                correct += learner.correct(batch);
            }
        }
        return (double) correct / data.test().size();
    }

    private void save() {
        Path file = saving.file();
        if (file != null) {
            new Checkpoint(token(), learner.weights()).save(file);
        }
    }

    ResumeToken token() {
        return ResumeToken.of(pipeline, plan.sampler()).at(position);
    }

    long batches() {
        return batches;
    }

    /** Of the place in the data and all weights: two runs that show the same have the same. */
    long digest() {
        CRC32C digest = new CRC32C();
        digest.update(token().toString().getBytes(StandardCharsets.UTF_8));
        for (Weights each : learner.weights()) {
            digest(digest, each.values());
            digest(digest, each.velocity());
        }
        return digest.getValue();
    }

    private static void digest(CRC32C digest, float[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Float.BYTES);
        bytes.asFloatBuffer().put(values);
        digest.update(bytes);
    }

    @Override
    public void close() {
        learner.close();
    }
}
