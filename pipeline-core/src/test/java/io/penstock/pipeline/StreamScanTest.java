package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.Scannable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

class StreamScanTest {

    private static final Execution EXECUTION = new Execution(4, Schedulers.immediate(), 1, 0);

    /** Asks for nothing by itself. */
    private static final class Consumer extends BaseSubscriber<Sample<Tensor>> {
        private Scannable run = Scannable.from(null);

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            run = Scannable.from(subscription);
        }

        @Override
        protected void hookOnError(Throwable e) {}
    }

    private final Consumer consumer = new Consumer();

    private Flux<Sample<Tensor>> stream(FakeDataset dataset) {
        Flux<Sample<Tensor>> stream = dataset.stream(Sampler.sequential(), EXECUTION);
        stream.subscribe(consumer);
        return stream;
    }

    @Test
    void stream_scanned_tellsHowItRuns() {
        Scannable stream = Scannable.from(stream(FakeDataset.immediate(3)));

        assertThat(stream.isScanAvailable()).isTrue();
        assertThat(stream.scan(Scannable.Attr.PREFETCH)).isEqualTo(4);
        assertThat(stream.scan(Scannable.Attr.RUN_STYLE)).isEqualTo(Scannable.Attr.RunStyle.ASYNC);
    }

    @Test
    void run_underWay_tellsWhatIsRequestedAndInFlight() {
        stream(FakeDataset.silent(10));

        consumer.request(3);

        assertThat(consumer.run.scan(Scannable.Attr.ACTUAL)).isNotNull();
        assertThat(consumer.run.scan(Scannable.Attr.REQUESTED_FROM_DOWNSTREAM)).isEqualTo(3);
        assertThat(consumer.run.scan(Scannable.Attr.BUFFERED)).isEqualTo(4);
        assertThat(consumer.run.scan(Scannable.Attr.TERMINATED)).isFalse();
        assertThat(consumer.run.scan(Scannable.Attr.CANCELLED)).isFalse();
    }

    @Test
    void run_completed_isTerminatedAndNotCancelled() {
        stream(FakeDataset.immediate(3));

        consumer.request(3);

        assertThat(consumer.run.scan(Scannable.Attr.TERMINATED)).isTrue();
        assertThat(consumer.run.scan(Scannable.Attr.CANCELLED)).isFalse();
        assertThat(consumer.run.scan(Scannable.Attr.ERROR)).isNull();
    }

    @Test
    void run_cancelled_isCancelledAndNotTerminated() {
        stream(FakeDataset.silent(3));

        consumer.cancel();

        assertThat(consumer.run.scan(Scannable.Attr.CANCELLED)).isTrue();
        assertThat(consumer.run.scan(Scannable.Attr.TERMINATED)).isFalse();
    }

    @Test
    void run_failed_tellsTheError() {
        stream(FakeDataset.answering(3, index -> Mono.error(new IllegalStateException("broken"))));

        consumer.request(1);

        assertThat(consumer.run.scan(Scannable.Attr.TERMINATED)).isTrue();
        assertThat(consumer.run.scan(Scannable.Attr.ERROR)).hasRootCauseMessage("broken");
    }
}
