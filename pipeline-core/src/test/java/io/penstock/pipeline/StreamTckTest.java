package io.penstock.pipeline;

import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;

/** The Reactive Streams rules, for samples that are at hand and for samples that have to be waited for. */
public class StreamTckTest extends PublisherVerification<Sample<Tensor>> {

    public StreamTckTest() {
        super(new TestEnvironment(3_000, 100, 10));
    }

    @Override
    public Publisher<Sample<Tensor>> createPublisher(long elements) {
        return FakeDataset.jittery(1).stream(Sampler.sequential().epochs(elements));
    }

    /** None: a stream does not know that a load fails before it is asked for it. */
    @Override
    @SuppressWarnings("NullAway") // how the TCK spells "none"
    public Publisher<Sample<Tensor>> createFailedPublisher() {
        return null;
    }
}
