package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

class BatchesScanTest {

    /** Asks for nothing by itself, and closes what it gets. */
    private static final class Consumer extends BaseSubscriber<Batch> {
        private Scannable run = Scannable.from(null);

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            run = Scannable.from(subscription);
        }

        @Override
        protected void hookOnNext(Batch batch) {
            batch.close();
        }
    }

    private final Consumer consumer = new Consumer();
    private final Scannable run = subscribe(consumer);

    private static Scannable subscribe(Consumer consumer) {
        Draws draws = Sampler.sequential().draws(5);
        Flux.range(0, 5)
                .map(i -> Sample.of(draws.at(i), Points.Point.of(i)))
                .transform(Batches.of(2, Points.SCHEMA)
                        .slots(2)
                        .consumeOn(Schedulers.immediate())
                        .fillOn(Schedulers.immediate()))
                .subscribe(consumer);
        return consumer.run;
    }

    @Test
    void run_scanned_hasAParentAndAnActual() {
        assertThat(run.isScanAvailable()).isTrue();
        assertThat(run.scan(Scannable.Attr.ACTUAL)).isNotNull();
        assertThat(run.parents()).isNotEmpty();
        assertThat(run.scan(Scannable.Attr.CAPACITY)).isEqualTo(2);
        assertThat(run.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
    }

    @Test
    void run_underWay_tellsWhatIsRequested() {
        consumer.request(1);
        consumer.request(1);

        assertThat(run.scan(Scannable.Attr.REQUESTED_FROM_DOWNSTREAM)).isZero();
        assertThat(run.scan(Scannable.Attr.BUFFERED)).isBetween(0, 2);
        assertThat(run.scan(Scannable.Attr.TERMINATED)).isFalse();
        assertThat(run.scan(Scannable.Attr.CANCELLED)).isFalse();
    }

    @Test
    void run_completed_isTerminatedAndNotCancelled() {
        consumer.request(3);

        assertThat(run.scan(Scannable.Attr.TERMINATED)).isTrue();
        assertThat(run.scan(Scannable.Attr.CANCELLED)).isFalse();
        assertThat(run.scan(Scannable.Attr.ERROR)).isNull();
    }

    @Test
    void run_cancelled_isNotTerminated() {
        consumer.cancel();

        assertThat(run.scan(Scannable.Attr.CANCELLED)).isTrue();
        assertThat(run.scan(Scannable.Attr.TERMINATED)).isFalse();
    }
}
