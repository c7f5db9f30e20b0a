package io.penstock.train;

import ai.djl.engine.Engine;
import io.penstock.batch.Batches;
import io.penstock.djl.NdBatch;
import io.penstock.fault.DataException;
import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
public final class Training implements AutoCloseable {

    private static final int TEST_BATCH = 256;
    private static final Duration FOR_ALL_RANKS = Duration.ofMinutes(2);

    private final LabelledPictures data;
    private final TrainingPlan plan;
    private final Saving saving;
    private final Consumer<TrainingEpoch> reports;
    private final Pipeline<LabelledPicture> pipeline;
    private final Sampler sampler;
    private final Learner learner;
    private final Ranks ranks;

    private EpochTally tally = new EpochTally();
    private Position position;
    private long batches;
    private long idleSince;

    /**
     * When and where the run is saved.
     *
     * @param file  of the checkpoint; null saves nothing
     * @param every the given number of batches, besides the end of each epoch and of the run; 0 for no more
     */
    public record Saving(@Nullable Path file, int every) {
        boolean due(long batches) {
            return file != null && every > 0 && batches % every == 0;
        }
    }

    private Training(
            LabelledPictures data,
            TrainingPlan plan,
            Saving saving,
            Consumer<TrainingEpoch> reports,
            Engine engine,
            int port) {
        this.data = data;
        this.plan = plan;
        this.saving = saving;
        this.reports = reports;
        this.pipeline = plan.pipeline(data);
        if (perEpoch() < 1) {
            throw new IllegalArgumentException(
                    "%d pictures to learn from are less than a batch of %d for each of %d ranks; make batches smaller"
                            .formatted(
                                    data.training().size(),
                                    plan.batch(),
                                    plan.shard().worldSize()));
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
        try {
            this.ranks = RankStar.meet(plan.shard(), port, digest(), FOR_ALL_RANKS);
        } catch (RuntimeException e) {
            learner.close();
            throw e;
        }
    }

    /**
     * Makes a network, or takes the one of the checkpoint if there is one. Waits for the other ranks.
     * @param reports told of each epoch at its end, on the trainer's thread
     * @param port    rank 0's, on loopback; unused by one rank
     * @throws IllegalArgumentException if the checkpoint is of another plan or other data
     */
    public static Training open(
            LabelledPictures data,
            TrainingPlan plan,
            Saving saving,
            Consumer<TrainingEpoch> reports,
            Engine engine,
            int port) {
        return new Training(data, plan, saving, reports, engine, port);
    }

    /**
     * Trains to the end, or until told to stop, and saves. Blocks.
     * @param most batches to learn from at most
     */
    public void run(Mono<Void> stop, long most) {
        Flux<NdBatch> all = pipeline.stream(sampler)
                .transform(Batches.of(plan.batch(), LabelledPicture.SCHEMA).dropRemainder())
                .transform(NdBatch.with(learner.manager()));
        idleSince = System.nanoTime();
        try {
            all.take(most)
                    .takeUntilOther(stop)
                    .doOnNext(Thrown.consumer(this::learn))
                    .doOnDiscard(NdBatch.class, NdBatch::close)
                    .blockLast();
        } catch (DataException e) {
            save(); // a sample or a rank was lost: what was learned before is whole
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
                    learner.step(arrays, plan.rate(done(arrays.batch().epoch(), next)), ranks);
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

    /** How many batches a rank has in an epoch. */
    private long perEpoch() {
        return data.training().size() / plan.shard().worldSize() / plan.batch();
    }

    private long inEpoch(long epoch, Position next) {
        int draws = plan.shard().worldSize() * plan.batch();
        return next.epoch() > epoch ? perEpoch() : next.offset() / draws;
    }

    private boolean isLast(long epoch, Position next) {
        int world = plan.shard().worldSize();
        long left = data.training().size() / world - next.offset() / world;
        return next.epoch() > epoch || left < plan.batch();
    }

    private double done(long epoch, Position next) {
        return (epoch + (double) inEpoch(epoch, next) / perEpoch()) / plan.epochs();
    }

    private void ended(long epoch) {
        TrainingEpoch report =
                tally.of(epoch, testAccuracy(), pipeline.statistics().loads());
        tally = new EpochTally();
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

    /** All ranks have the same weights, and any rank's token will do. */
    private void save() {
        Path file = saving.file();
        if (file != null && plan.shard().rank() == 0) {
            new Checkpoint(token(), learner.weights()).save(file);
        }
    }

    /** Where a run goes on that has learned what this one has. */
    public ResumeToken token() {
        return ResumeToken.of(pipeline, plan.sampler()).at(position);
    }

    /** Batches learned from, by this process. */
    public long batches() {
        return batches;
    }

    /** Of the place in the data and all weights: two runs that show the same have the same. */
    public long digest() {
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
        ranks.close();
        learner.close();
    }
}
