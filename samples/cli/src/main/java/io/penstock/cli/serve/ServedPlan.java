package io.penstock.cli.serve;

import io.penstock.batch.Batch;
import io.penstock.cli.stream.StreamPlan;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.resume.ResumeToken;
import io.penstock.serve.BatchFeed;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import reactor.core.publisher.Flux;

/** A plan as a server takes it: its batches from any position on, for its own rank or for several. */
public final class ServedPlan<T> implements BatchFeed {

    private final StreamPlan<T> plan;
    private final int ranks;

    /** @param ranks 1 to serve the plan's own */
    public ServedPlan(StreamPlan<T> plan, int ranks) {
        this.plan = plan;
        this.ranks = ranks;
    }

    @Override
    public int ranks() {
        return ranks;
    }

    @Override
    public Position start() {
        return plan.sampler().start();
    }

    @Override
    public Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory) {
        Sampler sampler = plan.sampler().resumeAt(from);
        return plan.measured(plan.samples(ranks == 1 ? sampler : sampler.shard(Shard.of(rank, ranks)))
                .transform(plan.batches().slots(SLOTS).allocator(memory)));
    }

    @Override
    public String token(Position at) {
        return plan.token(at).toString();
    }

    @Override
    public Position position(String token) {
        if (token.startsWith("@")) {
            throw new IllegalArgumentException("a token is expected, not a file"); // files are ours, not the consumer's
        }
        return plan.position(ResumeToken.parse(token));
    }
}
