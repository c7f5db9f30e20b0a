package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.order.Sampler;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A trainer blocks for as long as it likes; the threads that fill its batches never do. */
@Tag("blockhound")
class BatchesBlockHoundTest {

    @BeforeAll
    static void watch() {
        assumeTrue(
                ManagementFactory.getRuntimeMXBean()
                        .getInputArguments()
                        .contains("-XX:+AllowRedefinitionToAddDeleteMethods"),
                "BlockHound needs -XX:+AllowRedefinitionToAddDeleteMethods: run the build's own execution");
        BlockHound.install();
    }

    private static void block() {
        try {
            assertThat(new CountDownLatch(1).await(2, TimeUnit.MILLISECONDS)).isFalse();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Test
    void blocking_onAWorker_isNoticed() {
        Mono<Void> onWorker =
                Mono.<Void>fromRunnable(BatchesBlockHoundTest::block).subscribeOn(Schedulers.parallel());

        assertThatThrownBy(() -> onWorker.block()).hasCauseInstanceOf(BlockingOperationError.class);
    }

    @Test
    void consumer_mayBlock_whileWorkersFillItsBatches() {
        Set<String> stackedOn = ConcurrentHashMap.newKeySet();

        for (Points points : List.of(Points.immediate(200), Points.jittery(200), Points.blocking(200))) {
            Long batches = points.stream(Sampler.sequential())
                    .doOnNext(sample -> stackedOn.add(Thread.currentThread().getName()))
                    .transform(Batches.of(8, Points.SCHEMA))
                    .doOnNext(batch -> block())
                    .map(Seen::of)
                    .count()
                    .block();

            assertThat(batches).isEqualTo(25);
        }
        assertThat(stackedOn).anyMatch(name -> name.startsWith("penstock-worker-"));
    }

    @Test
    void batch_closedOnAWorker_isGivenBackWithoutBlocking() {
        Long batches = Points.immediate(400).stream(Sampler.sequential())
                .transform(Batches.of(8, Points.SCHEMA).slots(2))
                .publishOn(Schedulers.parallel(), 1)
                .map(Seen::of)
                .count()
                .block();

        assertThat(batches).isEqualTo(50);
    }
}
