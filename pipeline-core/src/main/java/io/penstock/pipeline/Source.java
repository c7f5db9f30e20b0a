package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.Span;
import io.penstock.internal.Spans;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A user's dataset, or loads of one: counted, timed, and with a place in its errors. */
final class Source<T> extends Stage<T> implements Dataset<T> {

    /** What its errors and its statistics are named by. */
    static final String STAGE = "load";

    private final Dataset<T> dataset;
    private final LongFunction<? extends Mono<T>> get;
    private final @Nullable GroupLoader<T> groups;
    private final long size;
    private final StageMeter meter = new StageMeter();

    /** A dataset as it is. */
    Source(Dataset<T> dataset) {
        this(dataset, dataset::get, GroupLoader.of(dataset));
    }

    /** @param get loads a sample of the dataset */
    Source(Dataset<T> dataset, LongFunction<? extends Mono<T>> get) {
        this(dataset, get, null);
    }

    private Source(Dataset<T> dataset, LongFunction<? extends Mono<T>> get, @Nullable GroupLoader<T> groups) {
        super(dataset.fingerprint(), dataset instanceof Stage<?> stage ? new Stage<?>[] {stage} : new Stage<?>[0]);
        this.dataset = dataset;
        this.get = get;
        this.groups = groups;
        this.size = dataset.size();
    }

    @Override
    int groupSize() {
        return groups == null ? 1 : groups.groupSize();
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        if (groups == null || draws.length == 1) {
            super.beginAll(draws, begun);
        } else {
            GroupLoad.beginAll(this, groups, groups.groupSize(), draws, begun);
        }
    }

    @Override
    Object begin(Draw draw) {
        Span span = Spans.begin();
        long started = meter.start(draw);
        Object begun;
        try {
            begun = Begun.of(get.apply(draw.index()));
        } catch (Throwable e) {
            throw failure(draw, e);
        }
        if (begun instanceof Mono<?> mono) {
            return later(mono, draw);
        }
        meter.stop(draw, started);
        traced(span, draw);
        return begun;
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        return dataset.prefetch(indices);
    }

    private <A> Mono<A> later(Mono<A> mono, Draw draw) {
        return Mono.defer(() -> {
            Span span = Spans.begin();
            long started = System.nanoTime();
            return new Guarded<>(mono).onErrorMap(e -> failure(draw, e)).doOnSuccess(value -> {
                meter.stop(draw, started);
                traced(span, draw);
            });
        });
    }

    private void traced(@Nullable Span span, Draw draw) {
        if (span != null) {
            span.end(Span.Kind.LOAD, STAGE, draw, () -> id(draw.index()).key().toString());
        }
    }

    /** Counts a sample of a group, which was begun at this time. */
    void loaded(Draw draw, long started, int groupSize, @Nullable Span span) {
        long now = System.nanoTime();
        meter.stop(draw, now - (now - started) / groupSize);
        traced(span, draw);
    }

    SampleException failure(Draw draw, Throwable thrown) {
        return Thrown.ofSample(STAGE, draw, index -> dataset.id(index).name(), thrown);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint source() {
        return dataset.source();
    }

    @Override
    public SampleId id(long index) {
        return dataset.id(index);
    }

    @Override
    void report(RunStatistics.Tally tally) {
        tally.source(STAGE, meter);
    }

    @Override
    public String toString() {
        return dataset.toString();
    }
}
