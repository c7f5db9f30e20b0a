package io.penstock.cli.serve;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.cli.console.Reason;
import io.penstock.cli.stream.StreamPlan;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.resume.ResumeToken;
import io.penstock.serve.BatchFeed;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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

    /** @throws IllegalArgumentException if an unordered run stopped there */
    static void requireInOrder(Position position) {
        if (position.ahead().signum() != 0) {
            throw new IllegalArgumentException("the token is of an unordered run, within an epoch: batches are served "
                    + "in order; end the epoch with stream first");
        }
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
        return plan.measured(plan.samples(sampler(rank, from))
                        .transform(plan.batches().slots(SLOTS).allocator(memory)))
                .onErrorMap(ServedPlan::inOwnWords);
    }

    @Override
    public BatchPlan numbered(int rank, Position from) {
        return BatchPlan.of(sampler(rank, from).draws(plan.pipeline().size()), plan.drawsABatch(), plan.remainder());
    }

    @Override
    public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
        return plan.measuredNumbered(plan.samples(sampler(rank, from).first(draws))
                        .transform(plan.batches().slots(1).allocator(memory)))
                .onErrorMap(ServedPlan::inOwnWords);
    }

    /** Consumers set flags, and know no methods of the library. */
    private static Throwable inOwnWords(Throwable failure) {
        String line = Reason.of(failure);
        return line.equals(failure.getMessage()) ? failure : new IllegalStateException(line, failure);
    }

    private Sampler sampler(int rank, Position from) {
        Sampler sampler = plan.sampler().resumeAt(from);
        return ranks == 1 ? sampler : sampler.shard(Shard.of(rank, ranks));
    }

    @Override
    public Map<String, String> plan() {
        Map<String, String> words = new TreeMap<>(plan.words());
        words.put("ranks", ranks == 1 ? plan.sampler().shard().toString() : Integer.toString(ranks));
        return words;
    }

    @Override
    public List<String> classes() {
        return List.copyOf(plan.feed().base().classes().keySet());
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
        Position position = plan.position(ResumeToken.parse(token));
        requireInOrder(position);
        return position;
    }
}
