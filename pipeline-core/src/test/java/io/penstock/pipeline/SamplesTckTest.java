package io.penstock.pipeline;

import io.penstock.stream.Sample;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;
import reactor.core.publisher.Flux;

/** The Reactive Streams rules, for the stages of a flux. */
public class SamplesTckTest extends PublisherVerification<Sample<Long>> {

    public SamplesTckTest() {
        super(new TestEnvironment(3_000, 100, 10));
    }

    @Override
    public Publisher<Sample<Long>> createPublisher(long elements) {
        return Flux.generate(() -> 0L, (number, sink) -> {
                    if (number == elements) {
                        sink.complete();
                    } else {
                        sink.next(number);
                    }
                    return number + 1;
                })
                .cast(Long.class)
                .transform(Samples.numbered(1))
                .transform(Samples.augment("dice", (value, random) -> value + random.nextInt(2)));
    }

    @Override
    public Publisher<Sample<Long>> createFailedPublisher() {
        return Flux.<Long>error(new IllegalStateException("no source"))
                .transform(Samples.numbered(1))
                .transform(Samples.map("same", value -> value));
    }
}
