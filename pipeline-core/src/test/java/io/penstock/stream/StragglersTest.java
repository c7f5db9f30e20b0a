package io.penstock.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** One sample in a hundred that takes a hundred times as long as the others, in virtual time. */
class StragglersTest {

    private static final Duration USUAL = Duration.ofMillis(2);
    private static final Duration STEP = Duration.ofMillis(16);
    private static final int BATCH = 32;
    private static final int BATCHES = 512;

    private final VirtualTimeScheduler time = VirtualTimeScheduler.create();

    private record Stragglers(long size, Scheduler time) implements Dataset<Long> {

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("stragglers");
        }

        @Override
        public Mono<Long> get(long index) {
            return Mono.delay(index % 100 == 0 ? USUAL.multipliedBy(100) : USUAL, time)
                    .thenReturn(index);
        }
    }

    private static Execution execution(int inFlight, int window) {
        return new Execution(inFlight, Schedulers.immediate(), 1, window);
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                Arguments.of(execution(512, 0), true),
                Arguments.of(execution(32, 512), true),
                Arguments.of(execution(64, 0), false),
                Arguments.of(execution(32, 64), false));
    }

    /** A slow sample takes as long as 400 draws of the trainer. */
    @ParameterizedTest
    @MethodSource("ways")
    void trainer_waitsLittle_whereWhatIsBegunAheadCoversASlowSample(Execution execution, boolean covers) {
        AtomicLong steps = new AtomicLong();
        new Stragglers(BATCHES * BATCH, time)
                .stream(Sampler.shuffled(3), execution)
                        .buffer(BATCH)
                        .concatMap(batch -> Mono.delay(STEP, time), 1)
                        .subscribe(step -> steps.incrementAndGet());

        time.advanceTimeBy(STEP.multipliedBy(BATCHES * 105 / 100));

        assertThat(steps.get() == BATCHES).as("%d steps", steps.get()).isEqualTo(covers);
    }
}
