package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.stream.ShuffleBuffer;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Nothing blocks on a worker, whichever way a sample takes. */
@Tag("blockhound")
class StreamBlockHoundTest {

    @BeforeAll
    static void install() {
        BlockHound.install();
        Schedulers.boundedElastic()
                .schedule(() -> {}); // made here: a pool starts a thread of its own, and waits for it
    }

    @Test
    void blockHound_blockingCallOnAWorker_isSeen() {
        Mono<Integer> blocking = Mono.fromCallable(() -> {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000);
                    return 1;
                })
                .subscribeOn(Execution.standard().workers());

        assertThatThrownBy(() -> blocking.block()).hasRootCauseInstanceOf(BlockingOperationError.class);
    }

    @Test
    void stream_missesHitsStagesAndFailures_blockNoWorker() {
        FakeTier late = new FakeTier("late");
        late.late = true;
        Pipeline<Tensor> pipeline = FakeDataset.blocking(300)
                .map("decode", StreamBlockHoundTest::decode)
                .cache(Cache.of(new FakeTier("ram"), late), Schema.tensor("v"))
                .augment("dice", (value, random) -> Tensor.scalar(value.longAt(0) + random.nextInt(2)))
                .onError(ErrorPolicy.skip().retry(2, Duration.ofMillis(1)).quarantine(failure -> {}));

        long delivered = pipeline.stream(Sampler.shuffled(1).epochs(3)).count().block();

        assertThat(delivered).isEqualTo(900);
        assertThat(pipeline.statistics(2).skipped()).isEqualTo(3);
    }

    @Test
    void flux_missesHitsStagesAndFailures_blockNoWorker() {
        FakeTier late = new FakeTier("late");
        late.late = true;
        Cache cache = Cache.of(new FakeTier("ram"), late);
        Flux<Sample<Tensor>> flux = Flux.range(0, 900)
                .subscribeOn(Schedulers.boundedElastic())
                .transform(ShuffleBuffer.of(100, 1))
                .transform(Samples.numbered(1))
                .transform(Samples.cached(
                        cache,
                        value -> SampleKey.of("value", String.valueOf(value % 300)),
                        Schema.tensor("v"),
                        value -> Mono.fromCallable(() -> Tensor.scalar(value % 300L))
                                .subscribeOn(Schedulers.boundedElastic())))
                .transform(Samples.map("decode", StreamBlockHoundTest::decode))
                .transform(Samples.onError(ErrorPolicy.skip().quarantine(failure -> {})));

        long delivered = flux.count().block();

        assertThat(delivered).isEqualTo(900);
        assertThat(Samples.statistics(flux).skipped()).isEqualTo(9);
    }

    private static Tensor decode(Tensor value) {
        if (Set.of(7L, 70L, 77L).contains(value.longAt(0))) {
            throw new FormatException("not a JPEG");
        }
        return value;
    }
}
