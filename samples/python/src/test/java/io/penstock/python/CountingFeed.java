package io.penstock.python;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.batch.Batches;
import io.penstock.cache.Fingerprint;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.serve.BatchFeed;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** 40 batches of 8 MiB, more than sockets hold, and how many of their samples were loaded. */
final class CountingFeed implements BatchFeed {

    static final int BATCH = 8;
    static final int SAMPLES = 40 * BATCH;
    private static final int IN_FLIGHT = 8;

    private final AtomicLong loads = new AtomicLong();
    private final Tensor megabyte = Tensor.ofBytes(new byte[1 << 20]);

    private final class Megabytes implements Dataset<Tensor> {
        @Override
        public long size() {
            return SAMPLES;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("megabytes");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.fromCallable(() -> {
                loads.incrementAndGet();
                return megabyte;
            });
        }
    }

    long loads() {
        return loads.get();
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
        return run(Sampler.sequential().resumeAt(from), memory);
    }

    @Override
    public BatchPlan numbered(int rank, Position from) {
        return BatchPlan.of(Sampler.sequential().resumeAt(from).draws(SAMPLES), BATCH, Remainder.KEEP);
    }

    @Override
    public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
        return run(Sampler.sequential().resumeAt(from).first(draws), memory);
    }

    @Override
    public Map<String, String> plan() {
        return Map.of();
    }

    private Flux<Batch> run(Sampler sampler, IntFunction<ByteBuffer> memory) {
        return new Megabytes()
                .stream(sampler, Execution.standard().inFlight(IN_FLIGHT))
                        .transform(Batches.of(BATCH, Schema.tensor("bytes"))
                                .slots(BatchFeed.SLOTS)
                                .allocator(memory));
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
        return new Position(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
    }
}
