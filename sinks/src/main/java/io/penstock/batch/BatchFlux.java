package io.penstock.batch;

import io.penstock.pipeline.Batch;
import io.penstock.pipeline.Sample;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;

/** The batches of a stream: each subscription has its own ring. */
final class BatchFlux<T> extends FluxOperator<Sample<T>, Batch> {

    private final Collation<T> collation;
    private final Running running;

    BatchFlux(Flux<Sample<T>> source, Collation<T> collation, Running running) {
        super(source);
        this.collation = collation;
        this.running = running;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Batch> actual) {
        source.subscribe(new BatchRun<>(collation, running, actual));
    }

    @Override
    public String toString() {
        return collation.toString();
    }
}
