package io.penstock.batch;

import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;

/** The Reactive Streams rules, over a stream whose samples have to be waited for. */
public class BatchesTckTest extends PublisherVerification<Seen> {

    private final TestEnvironment environment;

    public BatchesTckTest() {
        this(new TestEnvironment(3_000, 200, 10));
    }

    private BatchesTckTest(TestEnvironment environment) {
        super(environment);
        this.environment = environment;
    }

    /** The kit's own gives the collector 100 ms, which is less than a busy machine takes. */
    @Override
    @Test(timeOut = 60_000)
    public void required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber()
            throws Throwable {
        Publisher<Seen> publisher = createPublisher(3);
        ReferenceQueue<Object> collected = new ReferenceQueue<>();
        WeakReference<?> subscriber = takeOneAndCancel(publisher, collected);

        try {
            do {
                System.gc();
            } while (collected.remove(10) == null);
        } finally {
            Reference.reachabilityFence(publisher);
            Reference.reachabilityFence(subscriber); // a reference that is gone itself is not queued
        }
        environment.verifyNoAsyncErrorsNoDelay();
    }

    private WeakReference<?> takeOneAndCancel(Publisher<Seen> publisher, ReferenceQueue<Object> collected)
            throws InterruptedException {
        TestEnvironment.ManualSubscriber<Seen> subscriber = environment.newManualSubscriber(publisher);
        subscriber.request(1);
        subscriber.nextElement();
        subscriber.cancel();
        return new WeakReference<>(subscriber, collected);
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
