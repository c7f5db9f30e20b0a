package io.penstock.bench.scaling;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.batch.Batches;
import io.penstock.bench.LateDataset;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.serve.BatchFeed;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/** What a server makes whose work is bound by a delay: one sample after another, each in the same time. */
final class BoundServer implements BatchFeed {

    static final int BATCH = 8;

    private final Dataset<Tensor> samples;
    private final Sampler order;
    private final AtomicLong free = new AtomicLong(); // System.nanoTime() when all that was begun is done

    /** @param each the time of a sample */
    BoundServer(int batches, Duration each) {
        this.order = Sampler.shuffled(42);
        this.samples = new LateDataset(
                MemoryDataset.generate("bound", (long) batches * BATCH, Tensor::scalar),
                index -> delay(each.toNanos()));
    }

    private Duration delay(long nanos) {
        long now = System.nanoTime();
        return Duration.ofNanos(free.updateAndGet(until -> Math.max(until, now) + nanos) - now);
    }

    @Override
    public int ranks() {
        return 1;
    }

    @Override
    public Position start() {
        return Position.START;
    }

    @Override
    public Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory) {
        return run(order.resumeAt(from), SLOTS, memory);
    }

    @Override
    public BatchPlan numbered(int rank, Position from) {
        return BatchPlan.of(order.resumeAt(from).draws(samples.size()), BATCH, Remainder.KEEP);
    }

    @Override
    public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
        return run(order.resumeAt(from).first(draws), 1, memory);
    }

    private Flux<Batch> run(Sampler draws, int slots, IntFunction<ByteBuffer> memory) {
        return samples.stream(draws)
                .transform(
                        Batches.of(BATCH, Schema.tensor("value")).slots(slots).allocator(memory));
    }

    @Override
    public Map<String, String> plan() {
        return Map.of("samples", Long.toString(samples.size()));
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public String token(Position at) {
        return Long.toString(at.offset());
    }

    @Override
    public Position position(String token) {
        return new Position(0, Long.parseLong(token));
    }
}
