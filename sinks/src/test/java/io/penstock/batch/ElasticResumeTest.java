package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.Batch;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Execution;
import io.penstock.pipeline.Fingerprint;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.Position;
import io.penstock.pipeline.Remainder;
import io.penstock.pipeline.ResumeToken;
import io.penstock.pipeline.Sampler;
import io.penstock.pipeline.Shard;
import io.penstock.pipeline.ShardMode;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Law 2: a run that is stopped anywhere goes on at another world size, worker count and batch size, as if it had not been. */
class ElasticResumeTest {

    private static final int CASES = 200;
    private static final int EPOCHS = 3;
    private static final Scheduler POOL = Schedulers.newParallel("elastic", 4, true);

    /** One draw that was delivered. */
    private record Drawn(long epoch, long index) {}

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

    @Test
    void run_stoppedAtAnyBatchAndResumedOtherwise_deliversTheRestOnceWithTheSameBytes() {
        Random random = new Random(20_260_101);
        for (int number = 0; number < CASES; number++) {
            int size = 1 + random.nextInt(120);
            Pipeline<Tensor> pipeline = pipeline(size);
            Sampler sampler = sampler(random);
            Map<Drawn, Long> whole = new HashMap<>();
            deliver(pipeline, sampler, Manner.random(random).alone(), Long.MAX_VALUE, whole);
            Map<Drawn, Long> delivered = new HashMap<>();

            Manner first = Manner.random(random);
            Sampler pinned = pinned(sampler, first);
            Position next = deliver(pipeline, pinned, first, 1 + random.nextInt(20), delivered);
            String token = ResumeToken.of(pipeline, pinned.shard(Shard.of(0, first.worldSize())))
                    .at(next)
                    .toString();
            // a second stop, and a last run to the end
            for (long batches : new long[] {1 + random.nextInt(10), Long.MAX_VALUE}) {
                Manner other = Manner.random(random);
                Sampler resumed = ResumeToken.parse(token).resume(pinned, pipeline);
                next = deliver(pipeline, resumed, other, batches, delivered);
                token = ResumeToken.of(pipeline, resumed).at(next).toString();
            }

            assertThat(delivered)
                    .as("case %d: %d samples, %s", number, size, sampler)
                    .isEqualTo(whole);
            assertThat(whole).hasSize(EPOCHS * size);
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
                .remainder(Remainder.PAD)
                .epochs(EPOCHS);
    }

    /** The run's own mode: an open number of partitions is that of the ranks it began with. */
    private static Sampler pinned(Sampler sampler, Manner first) {
        return sampler.shard(Shard.of(0, first.worldSize()));
    }

    /** Sample i is [i, a random number]; some come at once, some later from other threads. */
    private static Pipeline<Tensor> pipeline(int size) {
        Dataset<Tensor> numbers = new Dataset<>() {
            @Override
            public long size() {
                return size;
            }

            @Override
            public Fingerprint fingerprint() {
                return Fingerprint.of("numbers", Integer.toString(size));
            }

            @Override
            public Mono<Tensor> get(long index) {
                Mono<Tensor> mono = Mono.fromCallable(() -> pair(index, 0));
                return index % 3 == 0 ? mono : mono.subscribeOn(POOL);
            }
        };
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

    /** Runs all ranks for so many batches; what they delivered is added, and where they stopped returned. */
    private static Position deliver(
            Pipeline<Tensor> pipeline, Sampler sampler, Manner manner, long batches, Map<Drawn, Long> delivered) {
        Position stopped = sampler.start();
        for (int rank = 0; rank < manner.worldSize(); rank++) {
            Flux<Batch> flux = pipeline.stream(sampler.shard(Shard.of(rank, manner.worldSize())), manner.execution())
                    .transform(Batches.of(manner.batch(), Schema.tensor("pair")));
            Position at = sampler.start();
            for (Batch batch : flux.take(batches).toIterable(1)) {
                try (batch) {
                    count(batch, delivered);
                    at = batch.next();
                }
            }
            if (rank > 0) {
                assertThat(at).as("rank %d is in step", rank).isEqualTo(stopped);
            }
            stopped = at;
        }
        return stopped;
    }

    private static void count(Batch batch, Map<Drawn, Long> delivered) {
        ByteBuffer rows = batch.tensor("pair").data().order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < batch.size(); row++) {
            Drawn drawn = new Drawn(batch.epoch(), rows.getLong(16 * row));
            Long before = delivered.put(drawn, rows.getLong(16 * row + 8));
            assertThat(before).as("%s came twice", drawn).isNull();
        }
    }
}
