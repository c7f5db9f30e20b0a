package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import reactor.core.publisher.Mono;

/** A user's dataset at the top of a pipeline: counted, timed, and with a place in its errors. */
final class Source<T> extends Stage<T> implements Dataset<T> {

    /** What its errors and its statistics are named by. */
    static final String STAGE = "load";

    private final Dataset<T> dataset;
    private final long size;
    private final StageMeter meter = new StageMeter();

    Source(Dataset<T> dataset) {
        super(dataset.fingerprint());
        this.dataset = dataset;
        this.size = dataset.size();
    }

    @Override
    Object begin(Draw draw) {
        long started = meter.start(draw);
        Object begun;
        try {
            begun = Begun.of(dataset.get(draw.index()));
        } catch (Throwable e) {
            throw failure(draw, e);
        }
        if (begun instanceof Mono<?> mono) {
            return later(mono, draw);
        }
        meter.stop(draw, started);
        return begun;
    }

    @Override
    public Mono<Void> prefetch(long[] indices) {
        return dataset.prefetch(indices);
    }

    private <A> Mono<A> later(Mono<A> mono, Draw draw) {
        return Mono.defer(() -> {
            long started = System.nanoTime();
            return new Guarded<>(mono)
                    .onErrorMap(e -> failure(draw, e))
                    .doOnSuccess(value -> meter.stop(draw, started));
        });
    }

    private SampleException failure(Draw draw, Throwable thrown) {
        return Thrown.ofSample(STAGE, draw, index -> dataset.id(index).name(), thrown);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint source() {
        return fingerprint();
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
