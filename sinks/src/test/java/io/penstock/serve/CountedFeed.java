package io.penstock.serve;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.batch.Batches;
import io.penstock.batch.MadeDataset;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Samples that say their index, in batches of four; counts runs and what is held. */
final class CountedFeed implements BatchFeed {

    static final int BATCH = 4;
    /** Loads that may have begun beyond what was delivered. */
    static final int IN_FLIGHT = 4;

    private final MadeDataset<Tensor> dataset;
    private final int ranks;
    private final long epochs;
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger out = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();

    CountedFeed(int samples, int bytes, int ranks) {
        this(samples, bytes, ranks, 1);
    }

    CountedFeed(int samples, int bytes, int ranks, long epochs) {
        this(samples, bytes, ranks, epochs, Duration.ZERO);
    }

    /** @param delay of each sample */
    CountedFeed(int samples, int bytes, int ranks, long epochs, Duration delay) {
        this.epochs = epochs;
        this.dataset = new MadeDataset<>("numbers", samples, index -> {
            Mono<Tensor> made = Mono.fromCallable(() -> sample(index, bytes));
            return delay.isZero() ? made : Mono.delay(delay).then(made);
        });
        this.ranks = ranks;
    }

    static Tensor sample(long index, int bytes) {
        byte[] values = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            values[i] = (byte) (index * 31 + i);
        }
        ByteBuffer.wrap(values).putInt(0, (int) index);
        return Tensor.ofBytes(values);
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public Position start() {
        return Position.START;
    }

    private Sampler sampler(int rank, Position from) {
        return Sampler.shuffled(1)
                .shard(Shard.of(rank, ranks))
                .remainder(Remainder.KEEP)
                .epochs(epochs)
                .resumeAt(from);
    }

    @Override
    public BatchPlan numbered(int rank, Position from) {
        return BatchPlan.of(sampler(rank, from).draws(dataset.size()), BATCH, Remainder.KEEP);
    }

    @Override
    public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
        return run(sampler(rank, from).first(draws), 1, memory);
    }

    @Override
    public Map<String, String> plan() {
        return Map.of("samples", Long.toString(dataset.size()), "batch", Integer.toString(BATCH));
    }

    @Override
    public Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory) {
        return run(sampler(rank, from), BatchFeed.SLOTS, memory);
    }

    private Flux<Batch> run(Sampler sampler, int slots, IntFunction<ByteBuffer> memory) {
        runs.incrementAndGet();
        return dataset.stream(sampler, Execution.standard().inFlight(IN_FLIGHT))
                .transform(
                        Batches.of(BATCH, Schema.tensor("bytes")).slots(slots).allocator(memory))
                .map(this::counted)
                .doFinally(signal -> ended.incrementAndGet());
    }

    private Batch counted(Batch batch) {
        out.incrementAndGet();
        return new Batch(
                Map.of("bytes", batch.tensor("bytes")), batch.size(), null, batch.epoch(), batch.next(), () -> {
                    out.decrementAndGet();
                    batch.close();
                });
    }

    @Override
    public List<String> classes() {
        return List.of();
    }

    @Override
    public String token(Position at) {
        return at.epoch() + "," + at.offset();
    }

    @Override
    public Position position(String token) {
        String[] parts = token.split(",", -1);
        if (parts.length != 2 || !parts[0].matches("\\d{1,9}") || !parts[1].matches("\\d{1,9}")) {
            throw new IllegalArgumentException("this is no token of this run");
        }
        return new Position(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }

    int runs() {
        return runs.get();
    }

    /** Runs that have ended or were cancelled. */
    int ended() {
        return ended.get();
    }

    long loads() {
        return dataset.loads.get();
    }

    /** Batches that were delivered and are not closed. */
    int out() {
        return out.get();
    }
}
