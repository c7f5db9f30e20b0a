package io.penstock.cli.serve;

import io.penstock.batch.Batch;
import io.penstock.batch.BatchPlan;
import io.penstock.cli.console.Reason;
import io.penstock.cli.stream.Run;
import io.penstock.fault.SampleException;
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

/**
 * A run as a server takes it: its batches from any position on, for its own rank or for several.
 *
 * @param ranks 1 to serve the run's own
 */
public record ServedPlan<T>(Run<T> run, int ranks) implements BatchFeed {

    /** @throws IllegalArgumentException if an unordered run stopped there */
    static void requireInOrder(Position position) {
        if (position.ahead().signum() != 0) {
            throw new IllegalArgumentException("the token is of an unordered run, within an epoch: batches are served "
                    + "in order; end the epoch with stream first");
        }
    }

    @Override
    public Position start() {
        return run.sampler().start();
    }

    @Override
    public Flux<Batch> batches(int rank, Position from, IntFunction<ByteBuffer> memory) {
        Sampler sampler = sampler(rank, from);
        return run.measured(run.mixed(
                        run.loads()
                                .apply(sampler)
                                .transform(run.batches().slots(SLOTS).allocator(memory)),
                        sampler))
                .onErrorMap(ServedPlan::inOwnWords);
    }

    @Override
    public BatchPlan numbered(int rank, Position from) {
        return BatchPlan.of(
                sampler(rank, from).draws(run.pipeline().size()),
                run.batching().draws(),
                run.batching().remainder());
    }

    @Override
    public Flux<Batch> batch(int rank, Position from, int draws, IntFunction<ByteBuffer> memory) {
        Sampler sampler = sampler(rank, from);
        return run.measuredNumbered(run.mixed(
                        run.loads()
                                .apply(sampler.first(draws))
                                .transform(run.batches().slots(1).allocator(memory)),
                        sampler))
                .onErrorMap(ServedPlan::inOwnWords);
    }

    /** Consumers set flags, and know no methods of the library. */
    private static Throwable inOwnWords(Throwable failure) {
        boolean overBudget = failure.getCause() instanceof SampleException;
        String line = Reason.of(failure) + (failure instanceof SampleException && !overBudget ? Reason.LEAVE_OUT : "");
        return line.equals(failure.getMessage()) ? failure : new IllegalStateException(line, failure);
    }

    private Sampler sampler(int rank, Position from) {
        Sampler sampler = run.sampler().resumeAt(from);
        return ranks == 1 ? sampler : sampler.shard(Shard.of(rank, ranks));
    }

    @Override
    public Map<String, String> plan() {
        Map<String, String> words = new TreeMap<>(run.words());
        Sampler order = run.sampler();
        List<String> source = run.pipeline().source().words();
        List<String> stages = run.pipeline().fingerprint().words();
        words.put("source", run.pipeline().source().hex());
        words.put("stages", String.join(", ", stages.subList(Math.min(source.size(), stages.size()), stages.size())));
        words.put(
                "order",
                order.order() + order.mixture().map(weights -> " of " + weights).orElse(""));
        words.put("seed", Long.toString(order.seed()));
        words.put("epochs", order.epochs() + " of " + run.samplesAnEpoch() + " samples");
        words.put("shard", order.resolvedMode().toString());
        words.put("ranks", ranks == 1 ? order.shard().toString() : Integer.toString(ranks));
        return words;
    }

    @Override
    public List<String> classes() {
        return List.copyOf(run.feed().base().classes().keySet());
    }

    @Override
    public String token(Position at) {
        return run.token(at).toString();
    }

    @Override
    public Position position(String token) {
        if (token.startsWith("@")) {
            throw new IllegalArgumentException("a token is expected, not a file"); // files are ours, not the consumer's
        }
        Position position =
                ResumeToken.parse(token).resume(run.sampler(), run.pipeline()).start();
        requireInOrder(position);
        return position;
    }
}
