package io.penstock.batch;

import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import reactor.core.publisher.Flux;

/** The Reactive Streams rules, over a stream whose samples have to be waited for. */
public class BatchesTckTest extends PublisherVerification<Seen> {

    public BatchesTckTest() {
        super(new TestEnvironment(1_000, 200));
    }

    @Override
    public Publisher<Seen> createPublisher(long elements) {
        return batches(Points.jittery(2).stream(Sampler.sequential().epochs(elements)));
    }

    @Override
    public Publisher<Seen> createFailedPublisher() {
        return batches(Flux.error(new IllegalStateException("failed")));
    }

    private static Flux<Seen> batches(Flux<Sample<Points.Point>> samples) {
        Flux<Batch> batches = samples.transform(Batches.of(2, Points.SCHEMA));
        return batches.map(Seen::of);
    }
}
