package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.stream.Execution;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.test.StepVerifier;

/** What Reactor's operators rethrow on the threads of this house, in any of them, reaches the subscriber. */
class GuardedTest {

    private static final Duration HANG = Duration.ofSeconds(30);

    private static final Scheduler OWN = GuardedScheduler.ofThreads(1, "own");

    @AfterAll
    static void dispose() {
        OWN.dispose();
    }

    private static Mono<Integer> told(Scheduler threads, int value) {
        return Told.mono(told -> threads.schedule(() -> told.tell(value, null)));
    }

    private interface Place {
        Flux<Integer> on(Scheduler threads, Supplier<Integer> thrower);
    }

    private static final Map<String, Place> PLACES = Map.ofEntries(
            Map.entry(
                    "callable",
                    (threads, thrower) ->
                            Mono.fromCallable(thrower::get).subscribeOn(threads).flux()),
            Map.entry(
                    "defer",
                    (threads, thrower) -> Mono.defer(() -> Mono.just(thrower.get()))
                            .subscribeOn(threads)
                            .flux()),
            Map.entry(
                    "generate",
                    (threads, thrower) -> Flux.<Integer>generate(sink -> sink.next(thrower.get()))
                            .subscribeOn(threads)),
            Map.entry(
                    "map",
                    (threads, thrower) -> Mono.just(1)
                            .publishOn(threads)
                            .map(one -> thrower.get())
                            .flux()),
            Map.entry(
                    "map of a flux",
                    (threads, thrower) -> Flux.range(0, 9).publishOn(threads).map(one -> thrower.get())),
            Map.entry(
                    "flatMap",
                    (threads, thrower) -> Mono.just(1)
                            .publishOn(threads)
                            .flatMap(one -> Mono.just(thrower.get()))
                            .flux()),
            Map.entry(
                    "flatMap of a flux",
                    (threads, thrower) -> Flux.range(0, 9).publishOn(threads).flatMap(one -> Mono.just(thrower.get()))),
            Map.entry(
                    "flatMapMany",
                    (threads, thrower) -> Mono.just(1).publishOn(threads).flatMapMany(one -> Flux.just(thrower.get()))),
            Map.entry(
                    "concatMap",
                    (threads, thrower) ->
                            Flux.range(0, 9).publishOn(threads).concatMap(one -> Mono.just(thrower.get()))),
            Map.entry(
                    "then",
                    (threads, thrower) -> Mono.just(1)
                            .publishOn(threads)
                            .then(Mono.fromCallable(thrower::get))
                            .flux()),
            Map.entry(
                    "inner",
                    (threads, thrower) -> Flux.range(0, 9)
                            .flatMap(one ->
                                    Mono.just(one).publishOn(threads).map(two -> two == 4 ? thrower.get() : two))),
            Map.entry(
                    "map of what is told",
                    (threads, thrower) ->
                            told(threads, 1).map(one -> thrower.get()).flux()),
            Map.entry(
                    "flatMap of what is told",
                    (threads, thrower) -> told(threads, 1)
                            .flatMap(one -> Mono.just(thrower.get()))
                            .flux()),
            Map.entry(
                    "before it is told",
                    (threads, thrower) -> Told.<Integer>mono(told ->
                                    threads.schedule(() -> told.attempt(() -> told.tell(thrower.get(), null))))
                            .flux()),
            Map.entry(
                    "behind a guard",
                    (threads, thrower) -> new Guarded<>(Mono.just(1).publishOn(threads))
                            .map(one -> thrower.get())
                            .flux()),
            Map.entry(
                    "in a single flight",
                    (threads, thrower) -> new SingleFlight<String, Integer>()
                            .join("key", () -> Mono.just(1).publishOn(threads), () -> {})
                            .flatMap(one -> Mono.just(thrower.get()))
                            .flux()));

    static Stream<Arguments> places() {
        return PLACES.entrySet().stream()
                .flatMap(place -> Stream.of(
                                GuardedScheduler.ELASTIC,
                                GuardedScheduler.PARALLEL,
                                OWN,
                                Execution.standard().workers())
                        .flatMap(threads -> Planted.rethrown().stream()
                                .map(error -> Arguments.of(place.getKey(), threads, error.get()))));
    }

    @ParameterizedTest
    @MethodSource("places")
    void subscriber_ofWhatIsRethrown_isTold(String place, Scheduler threads, Throwable thrown) {
        Flux<Integer> failing = PLACES.get(place).on(threads, () -> {
            throw (Error) thrown;
        });

        StepVerifier.create(failing)
                .thenConsumeWhile(any -> true)
                .expectErrorSatisfies(e -> assertThat(Thrown.cause(e)).isSameAs(thrown))
                .verify(HANG);
    }

    @Test
    void failure_belowAGuard_isMappedThere() {
        Error thrown = new NoClassDefFoundError("planted");
        Mono<Integer> failing = new Guarded<>(
                        Mono.just(1).publishOn(GuardedScheduler.ELASTIC).<Integer>map(one -> {
                            throw thrown;
                        }))
                .onErrorResume(e -> Mono.just(2));

        StepVerifier.create(failing).expectNext(2).expectComplete().verify(HANG);
    }

    @Test
    void failure_ofOneOperator_cancelsWhatIsAboveIt() {
        AtomicInteger cancelled = new AtomicInteger();
        Flux<Integer> failing = Flux.range(0, 9)
                .concatWith(Flux.never())
                .doOnCancel(cancelled::incrementAndGet)
                .publishOn(GuardedScheduler.ELASTIC)
                .map(one -> {
                    throw new NoClassDefFoundError("planted");
                });

        StepVerifier.create(failing).expectError().verify(HANG);

        assertThat(cancelled).hasValue(1);
    }
}
