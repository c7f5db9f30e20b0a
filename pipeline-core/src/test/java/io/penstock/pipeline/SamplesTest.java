package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.SampleException;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.publisher.TestPublisher;

/** The stages of a pipeline on a flux that has no addresses. */
class SamplesTest {

    private static Scheduler workers;

    @BeforeAll
    static void startWorkers() {
        workers = Execution.newWorkers(4);
    }

    @AfterAll
    static void stopWorkers() {
        workers.dispose();
    }

    private static Execution inFlight(int samples) {
        return Execution.standard().inFlight(samples).workers(workers, 4);
    }

    private static Flux<Sample<Integer>> numbers(int count) {
        return Flux.range(0, count).transform(Samples.numbered(42));
    }

    private static Integer spin(Integer value, RandomGenerator random) {
        int dice = 0;
        for (int i = 0; i < 30_000; i++) { // long enough that workers take over
            dice += random.nextInt();
        }
        return value ^ dice;
    }

    private static <T> List<T> values(Flux<Sample<T>> samples) {
        return samples.map(Sample::value).collectList().block();
    }

    @Test
    void numbered_givesEachElementItsDraw() {
        StepVerifier.create(Flux.just("a", "b").transform(Samples.numbered(7, 5)), 0)
                .expectSubscription()
                .thenRequest(1)
                .assertNext(sample -> {
                    assertThat(sample.value()).isEqualTo("a");
                    assertThat(sample.draw()).isEqualTo(new Draw(7, 0, 5, new Position(0, 6)));
                })
                .thenRequest(1)
                .assertNext(sample -> assertThat(sample.draw().index()).isEqualTo(6))
                .expectComplete()
                .verify();
    }

    @Test
    void numbered_fromANegativeNumber_isRefused() {
        assertThatThrownBy(() -> Samples.numbered(1, -1)).hasMessageContaining("was -1");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 32, 100})
    void stages_anyInFlight_keepOrderAndValues(int inFlight) {
        List<Integer> alone = values(numbers(300)
                .transform(Samples.on(new Execution(1, Schedulers.immediate(), 1, 0)))
                .transform(Samples.augment("spin", SamplesTest::spin)));

        assertThat(values(numbers(300)
                        .transform(Samples.on(inFlight(inFlight)))
                        .transform(Samples.augment("spin", SamplesTest::spin))))
                .isEqualTo(alone);
        assertThat(values(Flux.range(0, 300)
                        .publishOn(Schedulers.parallel(), 3)
                        .transform(Samples.numbered(42))
                        .transform(Samples.on(inFlight(inFlight)))
                        .transform(Samples.augment("spin", SamplesTest::spin))))
                .isEqualTo(alone);
    }

    @Test
    void augment_ofAnElementsNumber_isThatOfADatasetsIndex() {
        Sampler sampler = Sampler.sequential().seed(42);
        List<Integer> dataset = values(
                FakeDataset.immediate(50)
                        .map("int", tensor -> (int) tensor.longAt(0))
                        .augment("spin", SamplesTest::spin)
                        .stream(sampler));

        assertThat(values(numbers(50).transform(Samples.augment("spin", SamplesTest::spin))))
                .isEqualTo(dataset);
    }

    @Test
    void augment_afterARestart_isTheSame() {
        List<Integer> whole = values(numbers(200).transform(Samples.augment("spin", SamplesTest::spin)));

        List<Integer> rest = values(Flux.range(130, 70)
                .transform(Samples.numbered(42, 130))
                .transform(Samples.augment("spin", SamplesTest::spin)));

        assertThat(rest).isEqualTo(whole.subList(130, 200));
    }

    @Test
    void expensiveStages_runOnTheWorkers() {
        Queue<String> threads = new ConcurrentLinkedQueue<>();

        values(numbers(300).transform(Samples.on(inFlight(16))).transform(Samples.augment("spin", (value, random) -> {
            threads.add(Thread.currentThread().getName());
            return spin(value, random);
        })));

        assertThat(threads)
                .filteredOn(name -> name.startsWith("penstock-worker"))
                .hasSizeGreaterThan(250);
    }

    @Test
    void neighbours_shareOneMerge() {
        Flux<Sample<Integer>> source = numbers(3);
        Flux<Sample<String>> flux = source.transform(Samples.map("twice", value -> value * 2))
                .transform(Samples.augment("dice", (value, random) -> value + random.nextInt(2)))
                .transform(Samples.map("text", value -> "#" + value));

        assertThat(Scannable.from(flux).parents().findFirst().orElseThrow()).isSameAs(source);
        assertThat(flux).hasToString("flux\nmap \"twice\"\naugment \"dice\"\nmap \"text\"");
        assertThat(values(flux)).hasSize(3);
        assertThat(Samples.statistics(flux).stages()).hasSize(3).allMatch(stage -> stage.samples() == 3);
    }

    @Test
    void statistics_ofAnotherFlux_areRefused() {
        assertThatThrownBy(() -> Samples.statistics(Flux.empty())).hasMessageContaining("operator of Samples");
    }

    @Test
    void source_isAskedForNothingBeforeTheFirstRequest_andThenForAWindow() {
        AtomicLong asked = new AtomicLong();
        AtomicInteger emitted = new AtomicInteger();
        Flux<Sample<Integer>> flux = Flux.range(0, 1_000)
                .doOnRequest(asked::addAndGet)
                .doOnNext(value -> emitted.incrementAndGet())
                .transform(Samples.numbered(1))
                .transform(Samples.on(inFlight(8)))
                .transform(Samples.map("same", value -> value));

        StepVerifier.create(flux, 0)
                .expectSubscription()
                .then(() -> assertThat(asked).hasValue(0))
                .thenRequest(1)
                .expectNextCount(1)
                .thenRequest(100)
                .expectNextCount(100)
                .then(() -> {
                    assertThat(asked.get()).isBetween(101L, 109L);
                    assertThat(emitted.get()).isLessThanOrEqualTo(109);
                })
                .thenCancel()
                .verify();
    }

    @Test
    void elementsInFlight_neverPassTheWindow() {
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        Flux<Sample<Integer>> flux = Flux.range(0, 2_000)
                .doOnNext(value -> max.accumulateAndGet(inFlight.incrementAndGet(), Math::max))
                .transform(Samples.numbered(1))
                .transform(Samples.on(inFlight(16)))
                .transform(Samples.augment("spin", SamplesTest::spin))
                .doOnNext(sample -> inFlight.decrementAndGet());

        assertThat(values(flux)).hasSize(2_000);
        assertThat(max.get()).isLessThanOrEqualTo(17); // one is counted as delivered a little late
    }

    @Test
    void failure_ofAStage_namesStageAndNumber() {
        AtomicInteger cancelled = new AtomicInteger();
        Flux<Sample<Integer>> flux = Flux.range(0, 100)
                .doOnCancel(cancelled::incrementAndGet)
                .transform(Samples.numbered(1, 1_000))
                .transform(Samples.map("divide", value -> 60 / (value - 3)));

        StepVerifier.create(flux, 0)
                .expectSubscription()
                .thenRequest(Long.MAX_VALUE)
                .expectNextCount(3)
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOfSatisfying(SampleException.class, failure -> {
                            assertThat(failure.stage()).isEqualTo("divide");
                            assertThat(failure.index()).isEqualTo(1_003);
                        })
                        .hasCauseInstanceOf(ArithmeticException.class))
                .verify();
        assertThat(cancelled).hasValue(1);
    }

    static List<Throwable> throwables() {
        return List.of(
                new IllegalStateException("broken"),
                new AssertionError("broken"),
                new LinkageError("broken"),
                new OutOfMemoryError("broken"),
                new StackOverflowError("broken"));
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void throwable_ofAnyClass_endsTheStream(Throwable thrown) {
        Flux<Integer> source = Flux.range(0, 100);

        for (Flux<Integer> elements : List.of(source, source.publishOn(Schedulers.parallel()))) {
            Flux<Sample<Integer>> flux = elements.transform(Samples.numbered(42))
                    .transform(Samples.on(inFlight(4)))
                    .transform(Samples.map("fails", value -> {
                        spin(value, new Random(1));
                        return value < 50 ? value : raise(thrown);
                    }));
            StepVerifier.create(flux)
                    .expectNextCount(50)
                    .expectErrorSatisfies(e ->
                            assertThat(e).isInstanceOf(SampleException.class).hasCause(thrown))
                    .verify();
        }
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> Integer raise(Throwable thrown) throws X {
        throw (X) thrown;
    }

    @Test
    void failure_ofTheSource_comesAfterTheElementsBeforeIt() {
        Flux<Sample<Integer>> flux = Flux.range(0, 40)
                .concatWith(Mono.error(new IllegalStateException("gone")))
                .transform(Samples.numbered(1))
                .transform(Samples.augment("spin", SamplesTest::spin));

        StepVerifier.create(flux, 0)
                .expectSubscription()
                .thenRequest(Long.MAX_VALUE)
                .expectNextCount(40)
                .expectErrorMessage("gone")
                .verify();
    }

    @Test
    void source_withoutAnElement_completesWithoutARequest() {
        StepVerifier.create(numbers(0).transform(Samples.map("same", value -> value)), 0)
                .expectComplete()
                .verify();
    }

    @Test
    void source_thatThrows_isAnError() {
        Flux<Sample<Integer>> flux = Flux.<Integer>from(subscriber -> {
                    throw new LinkageError("no source");
                })
                .transform(Samples.numbered(1))
                .transform(Samples.map("same", value -> value));

        StepVerifier.create(flux)
                .expectErrorSatisfies(e -> assertThat(e).hasMessageContaining("no source"))
                .verify();
    }

    @Test
    void source_thatIgnoresDemand_isAnError() {
        TestPublisher<Integer> source = TestPublisher.createNoncompliant(TestPublisher.Violation.REQUEST_OVERFLOW);
        Flux<Sample<Integer>> flux = source.flux()
                .transform(Samples.numbered(1))
                .transform(Samples.on(inFlight(4)))
                .transform(Samples.map("same", value -> value));

        StepVerifier.create(flux, 0)
                .expectSubscription()
                .then(() -> source.next(1))
                .expectErrorSatisfies(e -> assertThat(e).hasMessageContaining("onBackpressureBuffer"))
                .verify();
    }

    @Test
    void cancel_cancelsTheSourceAndDiscardsWhatWaits() {
        Queue<Sample<?>> discarded = new ConcurrentLinkedQueue<>();
        TestPublisher<Integer> source = TestPublisher.create();
        Flux<Sample<Integer>> flux = source.flux()
                .transform(Samples.numbered(1))
                .transform(Samples.on(inFlight(8)))
                .transform(Samples.map("same", value -> value))
                .doOnDiscard(Sample.class, discarded::add);

        StepVerifier.create(flux, 1)
                .then(() -> source.next(0))
                .expectNextCount(1)
                .then(() -> source.next(1, 2, 3, 4))
                .thenCancel()
                .verify();

        source.assertCancelled();
        assertThat(discarded).extracting(sample -> sample.draw().index()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    }

    @Test
    void skippedElements_stillCountAsDraws() {
        List<Long> quarantined = new CopyOnWriteArrayList<>(); // by workers, in any order
        Flux<Sample<Integer>> flux = numbers(10)
                .transform(Samples.map("divide", value -> 60 / (value % 5 - 3)))
                .transform(Samples.onError(
                        ErrorPolicy.skip().budget(2).quarantine(failure -> quarantined.add(failure.index()))))
                .transform(Samples.map("next", value -> value + 1));

        List<Sample<Integer>> samples = flux.collectList().block();

        assertThat(samples)
                .extracting(sample -> sample.draw().index())
                .containsExactlyElementsOf(LongStream.range(0, 10).boxed().toList());
        assertThat(samples)
                .filteredOn(sample -> !sample.isPresent())
                .extracting(sample -> sample.draw().index())
                .containsExactly(3L, 8L);
        assertThat(quarantined).containsExactlyInAnyOrder(3L, 8L);
        assertThat(Samples.statistics(flux).skipped()).isEqualTo(2);
    }

    @Test
    void errorBudget_usedUp_endsTheStream() {
        Flux<Sample<Integer>> flux = numbers(10)
                .transform(Samples.map("divide", value -> 60 / (value % 5 - 3)))
                .transform(Samples.onError(ErrorPolicy.skip().budget(1)));

        StepVerifier.create(flux)
                .expectNextCount(8)
                .expectErrorSatisfies(e -> assertThat(e).hasMessageContaining("error budget of 1 samples is used up"))
                .verify();
    }

    @Test
    void errorPolicies_thatLoadAgain_areRefused() {
        for (ErrorPolicy policy : List.of(
                ErrorPolicy.substitute(),
                ErrorPolicy.skip().retry(1, Duration.ZERO),
                ErrorPolicy.skip().budgetShare(0.1))) {
            assertThatThrownBy(() -> Samples.onError(policy))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("does not fit a flux");
        }
    }

    @Test
    void stages_behindAPipelinesStream_keepItsDrawsAndPadding() {
        Sampler padded = Sampler.shuffled(3)
                .shard(Shard.of(2, 3))
                .remainder(Remainder.PAD)
                .epochs(2);
        FakeDataset dataset = FakeDataset.jittery(10);
        List<Draw> draws =
                dataset.stream(padded).map(Sample::draw).collectList().block();

        List<Sample<Long>> samples = dataset.stream(padded)
                .transform(Samples.map("long", (Tensor tensor) -> tensor.longAt(0)))
                .collectList()
                .block();

        assertThat(samples).extracting(Sample::draw).isEqualTo(draws);
        assertThat(samples)
                .allMatch(sample -> sample.isPresent() != sample.draw().isPadding());
        assertThat(samples.stream().filter(Sample::isPresent))
                .allMatch(sample -> sample.value() == sample.draw().index());
    }

    @Test
    void elements_requestedOneAtATime_allComeOnce() {
        List<Integer> seen = new ArrayList<>();
        Flux<Sample<Integer>> flux = Flux.range(0, 5_000)
                .publishOn(Schedulers.boundedElastic(), 5)
                .transform(Samples.numbered(1))
                .transform(Samples.on(inFlight(9)))
                .transform(Samples.map("same", value -> value))
                .doOnNext(sample -> seen.add(sample.value()));

        flux.limitRate(1).blockLast();

        assertThat(seen).isEqualTo(IntStream.range(0, 5_000).boxed().toList());
    }
}
