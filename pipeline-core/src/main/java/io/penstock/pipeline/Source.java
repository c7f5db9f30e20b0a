package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.SampleException;
import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.util.List;
import reactor.core.publisher.Mono;

/** A user's dataset at the top of a pipeline: counted, timed, and with a place in its errors. */
final class Source<T> implements Dataset<T>, Node<T> {

    private static final String STAGE = "load";

    private final Dataset<T> dataset;
    private final Fingerprint fingerprint;
    private final long size;
    private final StageMeter meter = new StageMeter();

    Source(Dataset<T> dataset) {
        this.dataset = dataset;
        this.fingerprint = dataset.fingerprint();
        this.size = dataset.size();
    }

    @Override
    public Object begin(Draw draw) {
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

    private <A> Mono<A> later(Mono<A> mono, Draw draw) {
        return Mono.defer(() -> {
            long started = System.nanoTime();
            return new Guarded<>(mono)
                    .onErrorMap(e -> failure(draw, e))
                    .doOnSuccess(value -> meter.stop(draw, started));
        });
    }

    private SampleException failure(Draw draw, Throwable thrown) {
        return Thrown.ofSample(STAGE, draw, dataset::name, thrown);
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Mono<T> get(long index) {
        return deferred(Draw.of(index));
    }

    @Override
    public Mono<T> load(Draw draw) {
        return deferred(draw);
    }

    @Override
    public SampleKey key(long index) {
        return dataset.key(index);
    }

    @Override
    public List<String> state(long index) {
        return dataset.state(index);
    }

    @Override
    public String name(long index) {
        return dataset.name(index);
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        tally.source(STAGE, meter);
    }

    @Override
    public String toString() {
        return dataset.toString();
    }
}
