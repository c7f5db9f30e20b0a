package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import java.util.List;
import reactor.core.publisher.Mono;

/** What the stages over one other stage share: its size and names, and a public face over {@link Node#begin}. */
abstract class Stage<A, T> implements Node<T> {

    final Node<A> base;
    private final Fingerprint fingerprint;

    Stage(Node<A> base, Fingerprint fingerprint) {
        this.base = base;
        this.fingerprint = fingerprint;
    }

    public long size() {
        return base.pipeline().size();
    }

    public Fingerprint fingerprint() {
        return fingerprint;
    }

    public String name(long index) {
        return base.pipeline().name(index);
    }

    @Override
    public List<String> state(long index) {
        return base.state(index);
    }

    @Override
    public Fingerprint stages() {
        return base.stages();
    }

    public Fingerprint source() {
        return base.pipeline().source();
    }

    public Mono<T> load(Draw draw) {
        return deferred(draw);
    }

    public Mono<T> get(long index) {
        return deferred(Draw.of(index));
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        base.report(tally);
    }
}
