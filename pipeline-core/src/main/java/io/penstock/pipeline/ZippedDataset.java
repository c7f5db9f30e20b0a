package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** Two datasets of one size, sample by sample; deterministic, so a dataset itself. */
final class ZippedDataset<A, B> implements Dataset<ZippedDataset.Pair<A, B>>, Node<ZippedDataset.Pair<A, B>> {

    private final Node<A> left;
    private final Node<B> right;

    record Pair<A, B>(A left, B right) {}

    private ZippedDataset(Node<A> left, Node<B> right) {
        long a = left.pipeline().size();
        long b = right.pipeline().size();
        if (a != b) {
            throw new IllegalArgumentException(
                    "cannot zip datasets of %d and %d samples; slice the longer".formatted(a, b));
        }
        this.left = left;
        this.right = right;
    }

    static <A, B, R> Dataset<R> of(
            String stage, Node<A> left, Node<B> right, BiFunction<? super A, ? super B, ? extends R> combine) {
        return new ZippedDataset<>(left, right).map(stage, pair -> combine.apply(pair.left, pair.right));
    }

    @Override
    public Object begin(Draw draw) {
        Object a = left.begin(draw);
        Object b = right.begin(draw);
        if (a == Begun.ABSENT || b == Begun.ABSENT) {
            return Begun.ABSENT;
        }
        if (a instanceof Mono<?> || b instanceof Mono<?>) {
            return Mono.zip(Begun.<A>toMono(a), Begun.<B>toMono(b), Pair::new);
        }
        return new Pair<>(a, b);
    }

    @Override
    public Mono<String> unsteady(Draw draw, Function<? super Pair<A, B>, ByteBuffer> finish) {
        return right.deferred(draw)
                .flatMap(b -> left.unsteady(draw, a -> finish.apply(new Pair<>(a, b))))
                .switchIfEmpty(left.deferred(draw)
                        .flatMap(a -> right.unsteady(draw, b -> finish.apply(new Pair<>(a, b)))));
    }

    @Override
    public long size() {
        return left.pipeline().size();
    }

    @Override
    public Fingerprint fingerprint() {
        return left.pipeline().fingerprint().with("zip").with(right.pipeline().fingerprint());
    }

    @Override
    public Mono<Pair<A, B>> get(long index) {
        return load(Draw.of(index));
    }

    @Override
    public Mono<Pair<A, B>> load(Draw draw) {
        return deferred(draw);
    }

    @Override
    public SampleKey key(long index) {
        return left.key(index).with(right.key(index));
    }

    @Override
    public List<String> state(long index) {
        List<String> both = new ArrayList<>(left.state(index));
        both.addAll(right.state(index));
        return both;
    }

    @Override
    public Fingerprint stages() {
        return left.stages().with(right.stages());
    }

    @Override
    public String name(long index) {
        return left.pipeline().name(index) + " and " + right.pipeline().name(index);
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        left.report(tally);
        right.report(tally);
    }

    @Override
    public String toString() {
        return "zip of (" + left + ") and (" + right + ")";
    }
}
