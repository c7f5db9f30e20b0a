package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class ConsumerMetricsTest {

    private final AtomicLong clock = new AtomicLong();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ConsumerMetrics consumer = new ConsumerMetrics(Tags.of("job", "a"), clock::get);
    private final TestPublisher<Integer> source = TestPublisher.create();
    private final Flux<Integer> measured = source.flux().transform(consumer::measure);

    ConsumerMetricsTest() {
        consumer.bindTo(registry);
    }

    private double seconds(String name) {
        return timer(name).totalTime(TimeUnit.SECONDS);
    }

    private FunctionTimer timer(String name) {
        return registry.get(name).tag("job", "a").functionTimer();
    }

    private void pass(long seconds) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void measure_withoutDemand_requestsNothingAndCountsNoTime() {
        StepVerifier.create(measured, 0)
                .expectSubscription()
                .then(() -> pass(5))
                .then(() -> assertThat(seconds("penstock.batch.wait")).isZero())
                .then(source::assertWasNotRequested)
                .thenCancel()
                .verify();
        source.assertCancelled();
    }

    @Test
    void aConsumerThatRequestsOneByOne_waitsFromRequestToArrival() {
        StepVerifier.create(measured, 0)
                .expectSubscription()
                .then(() -> pass(1)) // neither waits nor uses
                .thenRequest(1)
                .then(() -> pass(2))
                .then(() -> assertThat(seconds("penstock.batch.wait")).isEqualTo(2)) // a wait that goes on
                .then(() -> source.next(1))
                .expectNext(1)
                .then(() -> pass(4)) // uses
                .thenRequest(1)
                .then(() -> pass(8))
                .then(() -> source.next(2))
                .expectNext(2)
                .then(() -> pass(16))
                .then(source::complete)
                .verifyComplete();
        pass(32); // over

        assertThat(seconds("penstock.batch.wait")).isEqualTo(2 + 8);
        assertThat(seconds("penstock.batch.use")).isEqualTo(4 + 16);
        assertThat(timer("penstock.batch.use").count()).isEqualTo(2);
    }

    @Test
    void aConsumerWithOpenDemand_usesABatchWhileItReceivesIt() {
        measured.doOnNext(value -> pass(3)).subscribe();
        pass(1);
        source.next(1);
        pass(1);
        source.next(2);
        source.error(new IllegalStateException("over"));
        pass(100);

        assertThat(seconds("penstock.batch.wait")).isEqualTo(2);
        assertThat(seconds("penstock.batch.use")).isEqualTo(6);
    }

    @Test
    void cancelInTheMiddleOfABatch_endsTheTime() {
        measured.subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Integer value) {
                pass(2);
                cancel();
                pass(40);
            }
        });
        source.next(1);
        pass(40);

        assertThat(seconds("penstock.batch.use")).isEqualTo(2);
        assertThat(seconds("penstock.batch.wait")).isZero();
    }

    @Test
    void twoSubscriptions_addUp() {
        StepVerifier.create(measured)
                .then(() -> StepVerifier.create(measured)
                        .then(() -> pass(2))
                        .thenCancel()
                        .verify())
                .thenCancel()
                .verify();

        assertThat(seconds("penstock.batch.wait")).isEqualTo(4);
    }

    @Test
    void batchesAskedForByNumber_countFromTheRequest_apartFromTheOthers() {
        TestPublisher<Integer> other = TestPublisher.create();
        Flux<Integer> slow = other.flux().transform(consumer::measureNumbered);
        Flux<Integer> fast = source.flux().transform(consumer::measureNumbered).take(1);

        StepVerifier.create(slow)
                .then(() -> StepVerifier.create(fast)
                        .then(() -> pass(2))
                        .then(() -> source.next(1))
                        .expectNext(1)
                        .verifyComplete())
                .then(() -> pass(5))
                .then(() -> assertThat(seconds("penstock.batch.made")).isEqualTo(2 + 7)) // a wait that goes on
                .thenCancel()
                .verify();
        pass(100);

        assertThat(seconds("penstock.batch.made")).isEqualTo(2 + 7);
        assertThat(timer("penstock.batch.made").count()).isEqualTo(1);
        assertThat(timer("penstock.batch.wait").count()).isZero();
        assertThat(seconds("penstock.batch.wait") + seconds("penstock.batch.use"))
                .isZero();
    }
}
