package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

class SingleFlightTest {

    private static final String KEY = "key";

    private final SingleFlight<String, Integer> shared = new SingleFlight<>();
    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger joins = new AtomicInteger();
    private final AtomicInteger cancels = new AtomicInteger();

    private Mono<Integer> joining(Mono<Integer> load) {
        return shared.join(
                KEY,
                () -> {
                    loads.incrementAndGet();
                    return load.doOnCancel(cancels::incrementAndGet);
                },
                joins::incrementAndGet);
    }

    @Test
    void join_manyAtOnce_loadOnceAndAllAreTold() {
        Sinks.One<Integer> later = Sinks.one();
        Mono<Integer> joining = joining(later.asMono());
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            joining.subscribe(told::add);
        }
        assertThat(told).isEmpty();

        later.tryEmitValue(7);

        assertThat(told).containsExactly(7, 7, 7);
        assertThat(loads).hasValue(1);
        assertThat(joins).hasValue(2);
        assertThat(shared.completed()).isOne();
    }

    @Test
    void waiter_toldAfterItCancelled_discardsNothingOfTheOthers() {
        List<Object> discarded = new ArrayList<>();
        BaseSubscriber<Integer> cancelled = new BaseSubscriber<>() {
            @Override
            public Context currentContext() {
                return Operators.enableOnDiscard(Context.empty(), discarded::add);
            }
        };
        SingleFlight.Waiter<Integer> waiter = new SingleFlight.Waiter<>(cancelled);
        waiter.cancel();

        waiter.tell(7, null);

        assertThat(discarded).isEmpty();
    }

    @Test
    void join_noDemand_isToldWhenItAsks() {
        StepVerifier.create(joining(Mono.just(7)), 0)
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(20))
                .thenRequest(1)
                .expectNext(7)
                .verifyComplete();
    }

    @Test
    void join_loadFailsOrGivesNothing_allAreToldThat() {
        Sinks.One<Integer> failing = Sinks.one();
        Mono<Integer> failed = joining(failing.asMono());
        AtomicInteger failures = new AtomicInteger();
        failed.subscribe(value -> {}, e -> failures.incrementAndGet());
        StepVerifier.create(failed)
                .then(() -> failing.tryEmitError(new FormatException("not a JPEG")))
                .expectErrorMessage("not a JPEG")
                .verify();
        assertThat(failures).hasValue(1);

        StepVerifier.create(joining(Mono.empty())).verifyComplete();
        StepVerifier.create(shared.join(
                        KEY,
                        () -> {
                            throw new IllegalStateException("cannot begin");
                        },
                        () -> {}))
                .verifyErrorMessage("cannot begin");
        assertThat(shared.completed()).isEqualTo(3);
    }

    @Test
    void join_afterTheEnd_loadsAgain() {
        Mono<Integer> joining = joining(Mono.just(7));

        assertThat(joining.block()).isEqualTo(7);
        assertThat(joining.block()).isEqualTo(7);
        assertThat(loads).hasValue(2);
        assertThat(joins).hasValue(0);
    }

    @Test
    void cancel_oneOfTwo_theLoadGoesOn() {
        Sinks.One<Integer> later = Sinks.one();
        Mono<Integer> joining = joining(later.asMono());
        AtomicReference<Integer> told = new AtomicReference<>();
        joining.subscribe().dispose(); // one that was alone, whose load is cancelled
        assertThat(cancels).hasValue(1);

        var first = joining.subscribe();
        joining.subscribe(told::set);
        first.dispose();
        later.tryEmitValue(7);

        assertThat(told).hasValue(7);
        assertThat(loads).hasValue(2);
        assertThat(cancels).hasValue(1);
    }

    @Test
    void joinToEnd_allCancel_theLoadGoesOnAndIsShared() {
        Sinks.One<Integer> later = Sinks.one();
        Mono<Integer> joining = shared.joinToEnd(KEY, () -> {
            loads.incrementAndGet();
            return later.asMono().doOnCancel(cancels::incrementAndGet);
        });
        AtomicReference<Integer> told = new AtomicReference<>();

        joining.subscribe().dispose();
        assertThat(shared.isUnderWay(KEY)).isTrue();
        joining.subscribe(told::set);
        later.tryEmitValue(7);

        assertThat(told).hasValue(7);
        assertThat(loads).hasValue(1);
        assertThat(cancels).hasValue(0);
        assertThat(shared.isUnderWay(KEY)).isFalse();
    }

    @Test
    void cancel_beforeItBegins_loadsNothing() {
        joining(Mono.just(7)).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });

        assertThat(loads).hasValue(0);
        assertThat(shared.completed()).isZero();
    }

    @Test
    void join_contextOfTheFirstCaller_reachesTheLoad() {
        Mono<Integer> load = Mono.deferContextual(context -> Mono.just(context.get("n")));

        assertThat(joining(load).contextWrite(Context.of("n", 5)).block()).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void join_subscriberOfOneWaiterThrows_theOthersAreTold(Throwable thrown) {
        Sinks.One<Integer> load = Sinks.one();
        AtomicReference<Throwable> first = new AtomicReference<>();
        shared.join(KEY, load::asMono, () -> {}).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnNext(Integer value) {
                throw SingleFlightTest.<RuntimeException>unchecked(thrown);
            }

            @Override
            protected void hookOnError(Throwable e) {
                first.set(e);
            }
        });

        StepVerifier.create(shared.join(KEY, load::asMono, () -> {}))
                .then(() -> load.tryEmitValue(7))
                .expectNext(7)
                .expectComplete()
                .verify();

        assertThat(Thrown.cause(first.get())).isSameAs(thrown);
    }

    static Stream<Throwable> throwables() {
        return Stream.of(
                new IllegalStateException("of a subscriber"),
                new InternalError("of a mapped file"),
                new StackOverflowError(),
                new NoClassDefFoundError("absent"));
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the compiler alone tells checked from unchecked
    private static <X extends Throwable> X unchecked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
