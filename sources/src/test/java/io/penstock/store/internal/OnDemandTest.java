package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;
import reactor.test.publisher.PublisherProbe;

class OnDemandTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @Test
    void source_withoutDemand_isNotSubscribedTo() {
        PublisherProbe<Integer> source = PublisherProbe.of(Mono.just(7));

        StepVerifier.create(OnDemand.of(source.mono()), 0)
                .expectSubscription()
                .then(source::assertWasNotSubscribed)
                .thenCancel()
                .verify(SOON);
    }

    /** A value that is there at once comes while the request for it is still being made. */
    @Test
    void value_thatComesDuringTheRequest_isDelivered() {
        List<Integer> delivered = new ArrayList<>();
        // StepVerifier asks in a way that hides this
        BaseSubscriber<Integer> asking = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                // nothing is requested yet
            }

            @Override
            protected void hookOnNext(Integer value) {
                delivered.add(value);
            }
        };
        OnDemand.of(Mono.just(7)).subscribe(asking);

        asking.request(1);

        assertThat(delivered).containsExactly(7);
    }

    @Test
    void source_withoutAValue_isEmpty() {
        StepVerifier.create(OnDemand.of(Mono.empty()), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectComplete()
                .verify(SOON);
    }
}
