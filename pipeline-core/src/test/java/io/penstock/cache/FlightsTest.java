package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.FormatException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;
import reactor.util.context.Context;

class FlightsTest {

    private static final SampleKey KEY = new SampleKey(1, 2);

    private final Flights<Integer> flights = new Flights<>();
    private final AtomicInteger loads = new AtomicInteger();
    private final AtomicInteger joins = new AtomicInteger();
    private final AtomicInteger cancels = new AtomicInteger();

    private Mono<Integer> joining(Mono<Integer> load) {
        return flights.join(
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
        assertThat(flights.landed()).isOne();
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
                .verify(Duration.ofSeconds(5));
        assertThat(failures).hasValue(1);

        StepVerifier.create(joining(Mono.empty())).verifyComplete();
        StepVerifier.create(flights.join(
                        KEY,
                        () -> {
                            throw new IllegalStateException("cannot begin");
                        },
                        () -> {}))
                .verifyErrorMessage("cannot begin");
        assertThat(flights.landed()).isEqualTo(3);
    }

    @Test
    void join_afterTheEnd_loadsAnew() {
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
    void cancel_beforeItBegins_loadsNothing() {
        joining(Mono.just(7)).subscribe(new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                cancel();
            }
        });

        assertThat(loads).hasValue(0);
        assertThat(flights.landed()).isZero();
    }

    @Test
    void join_contextOfWhoBegins_reachesTheLoad() {
        Mono<Integer> load = Mono.deferContextual(context -> Mono.just(context.get("n")));

        assertThat(joining(load).contextWrite(Context.of("n", 5)).block()).isEqualTo(5);
    }
}
