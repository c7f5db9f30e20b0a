package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.ClassGroups;
import io.penstock.order.DrawnGroups;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Pipeline;
import io.penstock.resume.ResumeToken;
import io.penstock.stream.Execution;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Batches by classes go on at any batch, at another world size, as in a run that was never stopped. */
@Tag("repeated")
class ClassBatchesResumeTest {

    private static final int RESUMES = Boolean.getBoolean("penstock.endurance") ? 200 : 30;
    private static final int STOPS = 4;
    private static final int EPOCHS = 3;

    private static Pipeline<Group<Tensor>> pipeline(int samples, DrawnGroups groups) {
        return new MadeDataset<>("numbers", samples, index -> Mono.fromCallable(() -> pair(index, 0)))
                .augment("noise", (value, random) -> pair(value.longAt(0), random.nextLong()))
                .group(groups);
    }

    private static Tensor pair(long index, long noise) {
        ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        return Tensor.of(DType.I64, Shape.of(2), bytes.putLong(0, index).putLong(8, noise));
    }

    /** Adds the batches of some steps of all ranks in the global order, and says where the next one is. */
    private static Position run(
            Pipeline<Group<Tensor>> pipeline, Sampler sampler, int world, int steps, List<List<Long>> batches) {
        List<List<List<Long>>> ranks = new ArrayList<>();
        Position next = sampler.start();
        for (int rank = 0; rank < world; rank++) {
            List<List<Long>> ofRank = new ArrayList<>();
            for (Batch batch : pipeline.stream(
                            sampler.shard(Shard.of(rank, world)),
                            Execution.standard().inFlight(7))
                    .transform(Batches.ofGroups(Schema.tensor("pair")))
                    .take(steps)
                    .toIterable(1)) {
                try (batch) {
                    List<Long> numbers = new ArrayList<>();
                    ByteBuffer values = batch.tensor("pair").data().order(ByteOrder.LITTLE_ENDIAN);
                    for (int row = 0; row < 2 * batch.size(); row++) {
                        numbers.add(values.getLong(8 * row));
                    }
                    ofRank.add(numbers);
                    next = batch.next();
                }
            }
            ranks.add(ofRank);
        }
        for (int step = 0; step < ranks.get(0).size(); step++) {
            for (List<List<Long>> rank : ranks) {
                if (!rank.get(step).isEmpty()) { // one that only keeps step
                    batches.add(rank.get(step));
                }
            }
        }
        return next;
    }

    @Test
    void batches_stoppedAnywhereAndResumedAtAnotherWorldSize_areThoseOfOneRun() {
        Random random = new Random(20_261_127);
        for (int resumes = 0; resumes < RESUMES; resumes += STOPS) {
            int[] labels = random.ints(60 + random.nextInt(200), 0, 9).toArray();
            DrawnGroups groups = ClassGroups.of(labels).batches(1 + random.nextInt(3), 1 + random.nextInt(4));
            Pipeline<Group<Tensor>> pipeline = pipeline(labels.length, groups);
            Sampler sampler = Sampler.shuffled(random.nextLong()).epochs(EPOCHS);
            List<List<Long>> whole = new ArrayList<>();
            run(pipeline, sampler, 1, Integer.MAX_VALUE, whole);
            List<List<Long>> delivered = new ArrayList<>();
            Position next = Position.START;

            for (int stop = 0; stop <= STOPS; stop++) {
                String token = ResumeToken.of(pipeline, sampler).at(next).toString();
                Sampler resumed = ResumeToken.parse(token).resume(sampler, pipeline);
                int steps = stop == STOPS ? Integer.MAX_VALUE : 1 + random.nextInt(9);
                next = run(pipeline, resumed, 1 + random.nextInt(7), steps, delivered);
            }

            assertThat(delivered).isEqualTo(whole);
            assertThat(whole).hasSize((int) (EPOCHS * groups.size()));
        }
    }

    @Test
    void negatives_ofAnotherList_areDrawnFromTheResumeOn() {
        int[] labels = {0, 0, 1, 1, 2, 2};
        Pipeline<Group<Tensor>> before =
                pipeline(6, ClassGroups.of(labels).triplets(new int[][] {{2}, {2}, {0}, {0}, {0}, {0}}));
        Pipeline<Group<Tensor>> after =
                pipeline(6, ClassGroups.of(labels).triplets(new int[][] {{4}, {4}, {4}, {4}, {2}, {2}}));
        Sampler sampler = Sampler.sequential();
        List<List<Long>> batches = new ArrayList<>();
        ResumeToken begun = ResumeToken.of(before, sampler).at(run(before, sampler, 1, 2, batches));

        Sampler resumed = begun.resume(sampler, after);
        run(after, resumed, 1, 9, batches);

        assertThat(batches).extracting(batch -> batch.get(4)).containsExactly(2L, 2L, 4L, 4L, 2L, 2L);
        assertThat(ResumeToken.of(after, resumed)).isNotEqualTo(ResumeToken.of(before, resumed));
        assertThatThrownBy(() -> begun.resume(
                        sampler, pipeline(6, ClassGroups.of(0, 0, 1, 1, 1, 1).triplets())))
                .hasMessageContaining("other stages");
    }
}
