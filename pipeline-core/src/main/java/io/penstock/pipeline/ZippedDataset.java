package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import java.util.function.BiFunction;
import reactor.core.publisher.Mono;

/** Two datasets of one size, sample by sample; deterministic, so a dataset itself. */
final class ZippedDataset<A, B> extends Stage<ZippedDataset.Pair<A, B>> implements Dataset<ZippedDataset.Pair<A, B>> {

    final Stage<A> left;
    final Stage<B> right;

    record Pair<A, B>(A left, B right) {}

    private ZippedDataset(Stage<A> left, Stage<B> right) {
        super(left.fingerprint().with("zip").with(right.fingerprint()), left, right);
        if (left.size() != right.size()) {
            throw new IllegalArgumentException(
                    "cannot zip datasets of %d and %d samples; slice the longer".formatted(left.size(), right.size()));
        }
        this.left = left;
        this.right = right;
    }

    static <A, B, R> Dataset<R> of(
            String stage, Stage<A> left, Stage<B> right, BiFunction<? super A, ? super B, ? extends R> combine) {
        return new ZippedDataset<>(left, right).map(stage, pair -> combine.apply(pair.left, pair.right));
    }

    @Override
    Object begin(Draw draw) {
        return pair(left.begin(draw), right.begin(draw), Pair::new);
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        Object[] others = new Object[draws.length];
        left.beginAll(draws, begun);
        right.beginAll(draws, others);
        for (int i = 0; i < draws.length; i++) {
            if (!(begun[i] instanceof Begun.Failed)) {
                begun[i] = others[i] instanceof Begun.Failed ? others[i] : pair(begun[i], others[i], Pair::new);
            }
        }
    }

    /** Two outcomes as one, made by a function of their values. */
    static Object pair(Object a, Object b, BiFunction<Object, Object, ?> both) {
        if (a == Begun.ABSENT || b == Begun.ABSENT) {
            return Begun.ABSENT;
        }
        return a instanceof Mono<?> || b instanceof Mono<?>
                ? Mono.zip(Begun.toMono(a), Begun.toMono(b), both)
                : both.apply(a, b);
    }

    @Override
    public Fingerprint source() {
        return fingerprint();
    }

    @Override
    public SampleId id(long index) {
        return left.id(index).and(right.id(index));
    }

    @Override
    public String toString() {
        return "zip of (" + left + ") and (" + right + ")";
    }
}
