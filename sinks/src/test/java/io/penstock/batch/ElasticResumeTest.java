package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.pipeline.Dataset;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Law 2: a run that is stopped anywhere goes on at another world size, worker count and batch size, as if it had not been.
 * What {@link Remainder#DROP} leaves out is the end of an epoch that does not divide by the ranks that end it.
 */
class ElasticResumeTest {

    private static final List<Remainder> REMAINDERS = List.of(Remainder.PAD, Remainder.DROP, Remainder.KEEP);
    private static final int CASES = Boolean.getBoolean("penstock.endurance") ? 200 : 60;
    private static final int EPOCHS = 3;
    private static final Scheduler POOL = Schedulers.newParallel("elastic", 4, true);

    private static final Position END = new Position(EPOCHS, 0);

    /** One draw that was delivered. */
    private record Drawn(long epoch, long index) {}

    /** What it was delivered as, and how far the run was before it. */
    private record Row(Drawn drawn, long noise, Position at) {}

    /** How a run is carried out, which must not matter. */
    private record Manner(int worldSize, int batch, Execution execution) {
        static Manner random(Random random) {
            Execution execution =
                    Execution.standard().workers(POOL, 1 + random.nextInt(4)).inFlight(1 + random.nextInt(48));
            return new Manner(1 + random.nextInt(9), 1 + random.nextInt(12), execution);
        }

        Manner alone() {
            return new Manner(1, batch, execution);
        }
    }

    @AfterAll
    static void disposePool() {
        POOL.dispose();
    }

    @Tag("repeated")
    @Test
    void run_stoppedAtAnyBatchAndResumedOtherwise_deliversTheRestOnceWithTheSameBytes() {
        Random random = new Random(20_260_101);
        for (int number = 0; number < CASES; number++) {
            int size = 1 + random.nextInt(120);
            Remainder remainder = REMAINDERS.get(number % REMAINDERS.size());
            Pipeline<Tensor> pipeline = pipeline(size);
            Sampler sampler = sampler(random).remainder(remainder);
            Map<Drawn, Long> whole = new HashMap<>();
            deliver(pipeline, sampler, Manner.random(random).alone(), Long.MAX_VALUE, whole);
            Map<Drawn, Long> delivered = new HashMap<>();
            long[] dropped = new long[EPOCHS];

            Manner first = Manner.random(random);
            Sampler resumed = pinned(sampler, first);
            Sampler pinned = resumed;
            Manner manner = first;
            // a first stop, a second one, and a last run to the end
            for (long batches : new long[] {1 + random.nextInt(20), 1 + random.nextInt(10), Long.MAX_VALUE}) {
                Position next = deliver(pipeline, resumed, manner, batches, delivered);
                countDropped(resumed, next, size, manner, dropped);
                String token = ResumeToken.of(pipeline, resumed.shard(Shard.of(0, manner.worldSize())))
                        .at(next)
                        .toString();
                resumed = ResumeToken.parse(token).resume(pinned, pipeline);
                manner = Manner.random(random);
            }

            String run = "case %d: %d samples, %s".formatted(number, size, sampler);
            assertThat(whole).as(run).hasSize(EPOCHS * size);
            assertThat(whole).as(run).containsAllEntriesOf(delivered);
            for (int epoch = 0; epoch < EPOCHS; epoch++) {
                long of = epoch;
                long missing = remainder == Remainder.DROP ? dropped[epoch] : 0;
                assertThat(delivered.keySet().stream().filter(drawn -> drawn.epoch() == of))
                        .as("%s, epoch %d", run, epoch)
                        .hasSize((int) (size - missing));
            }
        }
    }

    /** Of the epochs that ended in a run, what does not divide by its ranks. */
    private static void countDropped(Sampler sampler, Position stopped, long size, Manner manner, long[] dropped) {
        Position start = sampler.start();
        for (long epoch = start.epoch(); epoch < stopped.epoch(); epoch++) {
            long left = size - (epoch == start.epoch() ? start.offset() : 0);
            dropped[(int) epoch] = left % manner.worldSize();
        }
    }

    private static Sampler sampler(Random random) {
        long seed = random.nextLong();
        List<Sampler> orders =
                List.of(Sampler.shuffled(seed), Sampler.windowed(seed, 1 + random.nextInt(20)), Sampler.sequential());
        List<ShardMode> modes = List.of(
                ShardMode.global(),
                ShardMode.stable(),
                ShardMode.stable().partitions(1 + random.nextInt(12)),
                ShardMode.reshardEvery(2));
        return orders.get(random.nextInt(orders.size()))
                .mode(modes.get(random.nextInt(modes.size())))
                .epochs(EPOCHS);
    }

    /** The run's own mode: an open number of partitions is that of the ranks it began with. */
    private static Sampler pinned(Sampler sampler, Manner first) {
        return sampler.shard(Shard.of(0, first.worldSize()));
    }

    /** Sample i is [i, a random number]; some come at once, some later from other threads. */
    private static Pipeline<Tensor> pipeline(int size) {
        Dataset<Tensor> numbers = new MadeDataset<>("numbers", size, index -> {
            Mono<Tensor> mono = Mono.fromCallable(() -> pair(index, 0));
            return index % 3 == 0 ? mono : mono.subscribeOn(POOL);
        });
        return numbers.augment(
                "noise",
                (value, random) ->
                        pair(value.data().order(ByteOrder.LITTLE_ENDIAN).getLong(0), random.nextLong()));
    }

    private static Tensor pair(long index, long noise) {
        ByteBuffer bytes = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, index).putLong(8, noise);
        return Tensor.of(DType.I64, Shape.of(2), bytes);
    }

    /** Runs all ranks for the given number of batches, adds what they delivered, and returns where they stopped. */
    private static Position deliver(
            Pipeline<Tensor> pipeline, Sampler sampler, Manner manner, long batches, Map<Drawn, Long> delivered) {
        List<Row> rows = new ArrayList<>();
        Position stopped = END;
        for (int rank = 0; rank < manner.worldSize(); rank++) {
            Sampler ranks = sampler.shard(Shard.of(rank, manner.worldSize()));
            Position at = deliverRank(pipeline, ranks, manner, batches, rows);
            if (rank > 0 && sampler.remainder() != Remainder.KEEP) {
                assertThat(at).as("rank %d is in step", rank).isEqualTo(stopped);
            }
            stopped = at.compareTo(stopped) < 0 ? at : stopped;
        }
        for (Row row : rows) {
            if (row.at().compareTo(stopped) < 0) {
                Long before = delivered.put(row.drawn(), row.noise());
                assertThat(before).as("%s came twice", row.drawn()).isNull();
            }
        }
        return stopped;
    }

    private static Position deliverRank(
            Pipeline<Tensor> pipeline, Sampler sampler, Manner manner, long batches, List<Row> rows) {
        Flux<Batch> flux = pipeline.stream(sampler, manner.execution())
                .transform(Batches.of(manner.batch(), Schema.tensor("pair")));
        Draws draws = sampler.draws(pipeline.size());
        Position at = sampler.start();
        long number = 0;
        long taken = 0;
        for (Batch batch : flux.take(batches).toIterable(1)) {
            try (batch) {
                ByteBuffer values = batch.tensor("pair").data().order(ByteOrder.LITTLE_ENDIAN);
                for (int row = 0; row < batch.size(); row++) {
                    Draw draw = draws.at(number);
                    Position before =
                            number == 0 ? sampler.start() : draws.at(number - 1).next();
                    assertThat(values.getLong(16 * row)).isEqualTo(draw.index());
                    rows.add(new Row(
                            new Drawn(draw.epoch(), draw.index()),
                            values.getLong(16 * row + 8),
                            before.epoch() == draw.epoch() ? before : new Position(draw.epoch(), 0)));
                    number++;
                }
                number += paddingFrom(draws, number);
                at = batch.next();
                taken++;
            }
        }
        return taken < batches ? END : at;
    }

    /** Padding is delivered as no row. */
    private static long paddingFrom(Draws draws, long number) {
        return number < draws.count() && draws.at(number).index() == Draw.PADDING ? 1 : 0;
    }
}
