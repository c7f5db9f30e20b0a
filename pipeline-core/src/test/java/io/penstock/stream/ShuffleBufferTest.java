package io.penstock.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.Samples;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

class ShuffleBufferTest {

    private static List<Integer> shuffled(ShuffleBuffer<Integer> buffer, int from, int to) {
        return Flux.range(from, to - from).transform(buffer).collectList().block();
    }

    @ParameterizedTest
    @CsvSource({"1, 100", "2, 100", "7, 100", "99, 100", "100, 100", "101, 100", "1000, 100", "10, 0", "10, 1"})
    void shuffle_ofAnySize_deliversEachElementOnce(int n, int elements) {
        List<Integer> order = shuffled(ShuffleBuffer.of(n, 42), 0, elements);

        assertThat(order)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, elements).boxed().toList());
        if (n > 1 && elements > 20) {
            assertThat(order).isNotEqualTo(IntStream.range(0, elements).boxed().toList());
        }
    }

    @Test
    void shuffle_bySeedAndArrival_isTheSame() {
        List<Integer> order = shuffled(ShuffleBuffer.of(50, 1), 0, 1_000);

        assertThat(shuffled(ShuffleBuffer.of(50, 1), 0, 1_000)).isEqualTo(order);
        assertThat(shuffled(ShuffleBuffer.of(50, 2), 0, 1_000)).isNotEqualTo(order);
        assertThat(Flux.range(0, 1_000)
                        .publishOn(Schedulers.parallel(), 3)
                        .transform(ShuffleBuffer.of(50, 1))
                        .limitRate(7)
                        .collectList()
                        .block())
                .isEqualTo(order);
    }

    @Test
    void shuffle_golden_staysAcrossVersions() {
        assertThat(shuffled(ShuffleBuffer.of(4, 42), 0, 12)).containsExactly(1, 2, 4, 6, 5, 3, 9, 10, 7, 11, 8, 0);
    }

    @Test
    void shuffle_ofAFullBuffer_isUniform() {
        Map<List<Integer>, Integer> orders = new HashMap<>();
        int runs = 24_000;
        for (int seed = 0; seed < runs; seed++) {
            orders.merge(shuffled(ShuffleBuffer.of(4, seed), 0, 4), 1, Integer::sum);
        }

        double expected = runs / 24.0;
        double chiSquare = orders.values().stream()
                .mapToDouble(count -> (count - expected) * (count - expected) / expected)
                .sum();
        assertThat(orders).hasSize(24);
        assertThat(chiSquare).isLessThan(50); // 23 degrees of freedom: beyond 50 once in 1,000
    }

    @Test
    void elements_leaveAfterNStepsOnAverage() {
        int n = 100;
        List<Integer> order = shuffled(ShuffleBuffer.of(n, 7), 0, 50_000);

        double waited = IntStream.range(0, 40_000)
                .map(step -> step + n - order.get(step))
                .average()
                .orElseThrow();
        assertThat(waited).isBetween(95.0, 105.0);
    }

    @Test
    void source_isAskedForNElementsMore() {
        AtomicLong emitted = new AtomicLong();
        Flux<Integer> source = Flux.range(0, 1_000).doOnNext(element -> emitted.incrementAndGet());

        StepVerifier.create(source.transform(ShuffleBuffer.of(10, 1)), 0)
                .expectSubscription()
                .then(() -> assertThat(emitted).hasValue(0))
                .thenRequest(1)
                .expectNextCount(1)
                .then(() -> assertThat(emitted).hasValue(11))
                .thenRequest(20)
                .expectNextCount(20)
                .then(() -> assertThat(emitted).hasValue(31))
                .thenCancel()
                .verify();
    }

    @Test
    void rest_isDeliveredOnDemand() {
        StepVerifier.create(Flux.range(0, 5).transform(ShuffleBuffer.of(10, 1)), 0)
                .expectSubscription()
                .thenRequest(2)
                .expectNextCount(2)
                .thenRequest(3)
                .expectNextCount(3)
                .expectComplete()
                .verify();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 64})
    void resume_atAnyNumber_goesOnExactly(int n) {
        int elements = 600;
        List<Integer> whole = shuffled(ShuffleBuffer.of(n, 5), 0, elements);
        Random random = new Random(n);

        for (int i = 0; i < 50; i++) {
            int number = random.nextInt(elements - n + 1);
            ShuffleBuffer<Integer> buffer = ShuffleBuffer.<Integer>of(n, 5).resumeAt(number);
            int first = (int) buffer.firstArrival();

            assertThat(shuffled(buffer, first, elements)).isEqualTo(whole.subList(number, elements));
            // the source need not begin earlier, and must not begin later
            Set<Integer> before = new HashSet<>(whole.subList(0, number));
            assertThat(before).containsAll(IntStream.range(0, first).boxed().toList());
            assertThat(before).doesNotContain(first);
        }
    }

    @Test
    void resume_whereTheEndDecidedTheOrder_isAnError() {
        ShuffleBuffer<Integer> buffer = ShuffleBuffer.<Integer>of(10, 5).resumeAt(95);

        StepVerifier.create(Flux.range(0, 100).skip(buffer.firstArrival()).transform(buffer))
                .expectErrorMessage("cannot resume the shuffle at number 95: the source ended after 100 elements, "
                        + "and that end decided the order of the last 10; resume at number 90 or before")
                .verify();
    }

    @Test
    void cancel_discardsWhatWaits() {
        List<Object> discarded = new ArrayList<>();
        TestPublisher<Integer> source = TestPublisher.create();

        StepVerifier.create(
                        source.flux().transform(ShuffleBuffer.of(4, 1)).doOnDiscard(Integer.class, discarded::add), 9)
                .then(() -> source.next(0, 1, 2))
                .thenCancel()
                .verify();

        source.assertCancelled();
        assertThat(discarded).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void cancel_whileTheRestLeaves_discardsTheOthers() {
        List<Integer> seen = new ArrayList<>();
        List<Integer> discarded = new ArrayList<>();

        StepVerifier.create(
                        Flux.range(0, 6)
                                .transform(ShuffleBuffer.of(10, 1))
                                .doOnNext(seen::add)
                                .doOnDiscard(Integer.class, discarded::add),
                        2)
                .expectNextCount(2)
                .thenCancel()
                .verify();

        seen.addAll(discarded);
        assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
    }

    @Test
    void error_ofTheSource_discardsWhatWaits() {
        List<Integer> discarded = new ArrayList<>();

        StepVerifier.create(Flux.range(0, 6)
                        .concatWith(Mono.error(new IllegalStateException("gone")))
                        .transform(ShuffleBuffer.of(4, 1))
                        .doOnDiscard(Integer.class, discarded::add))
                .expectNextCount(2)
                .expectErrorMessage("gone")
                .verify();

        assertThat(discarded).hasSize(4);
    }

    @Test
    void samples_thatHaveNumbers_areRefused() {
        StepVerifier.create(Flux.range(0, 100).transform(Samples.numbered(1)).transform(ShuffleBuffer.of(10, 1)))
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("place ShuffleBuffer before Samples.numbered"))
                .verify();
    }

    @Test
    void sizesAndNumbers_outOfRange_areRefused() {
        assertThatThrownBy(() -> ShuffleBuffer.of(0, 1)).hasMessageContaining("was 0");
        assertThatThrownBy(() -> ShuffleBuffer.of(1, 1).resumeAt(-1)).hasMessageContaining("was -1");
    }
}
