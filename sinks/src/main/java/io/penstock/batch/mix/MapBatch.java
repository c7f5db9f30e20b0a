package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.internal.Arguments;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import reactor.core.publisher.Flux;

/**
 * Runs a random function on each batch of a stream.
 * <pre>{@code
 *  pipeline.stream(sampler)
 *          .transform(Batches.of(256, Schema.of(Photo.class)))
 *          .transform(MapBatch.of("mixup 0.2", sampler, MixUp.of(0.2, "pixels", "label", 10)))
 * }</pre>
 *
 * <p>The dice depend on (seed, epoch, the batch's place in it, rank, stage) alone. So the result is the same on every
 * run, at any parallelism, and after resuming with the same batch size and world size. Batches by buckets may
 * share a place, and then dice.
 *
 * <p><b>Memory</b>: that of the fields that change, once for each batch that is not closed. <b>Threads</b>: runs where the
 * batches are signalled, by default on the consumer's thread; behind a {@code publishOn} it runs beside the consumer.
 * <b>Emits when</b> a batch comes; <b>backpressures</b>, <b>completes</b> and <b>cancels</b> with its upstream.
 * <b>Errors</b>: what the function throws, with the stage and the batch; that batch is closed.
 */
public final class MapBatch implements Function<Flux<Batch>, Flux<Batch>> {

    private final String stage;
    private final Sampler sampler;
    private final BatchTransform transform;

    private MapBatch(String stage, Sampler sampler, BatchTransform transform) {
        Arguments.refuse(stage.isBlank(), "a stage needs a name: its dice depend on it");
        this.stage = stage;
        this.sampler = sampler;
        this.transform = transform;
    }

    /**
     * A function of the batches of a sampler's draws.
     * @param stage   names the stage in errors; two stages of one name get the same random numbers
     * @param sampler of the stream, for its seed and its rank
     * @throws IllegalArgumentException if the name is blank
     */
    public static MapBatch of(String stage, Sampler sampler, BatchTransform transform) {
        return new MapBatch(stage, sampler, transform);
    }

    @Override
    public Flux<Batch> apply(Flux<Batch> batches) {
        return Flux.defer(() -> {
            BufferPool pool = new BufferPool();
            return batches.map(Thrown.function(batch -> mapped(batch, pool)));
        });
    }

    private Batch mapped(Batch batch, BufferPool pool) {
        BufferPool.Lease lease = pool.lease();
        try {
            return batch.with(transform.apply(batch, random(batch.epoch(), batch.next()), lease), lease::close);
        } catch (Throwable e) {
            Position next = batch.next();
            batch.close();
            lease.close();
            throw new IllegalStateException(
                    "stage \"%s\" failed on the batch of epoch %d, next %s: %s"
                            .formatted(stage, batch.epoch(), next, e.getMessage()),
                    e);
        }
    }

    /**
     * The random numbers that the function gets with a batch of the sampler, to tell afterwards what it drew.
     * @param epoch of the batch
     * @param next  where a run continues behind it, as {@link Batch#next}
     */
    public RandomGenerator random(long epoch, Position next) {
        long place = next.epoch() > epoch ? 0 : next.offset(); // no other batch ends at 0
        long number = place * sampler.shard().worldSize() + sampler.shard().rank();
        return new Draw(sampler.seed(), epoch, number, next).random(stage);
    }
}
