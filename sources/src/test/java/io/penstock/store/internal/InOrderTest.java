package io.penstock.store.internal;

import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class InOrderTest {

    @Test
    void map_whateverEndsFirst_isInTheOrderOfTheElements() {
        List<Sinks.One<String>> asked = List.of(Sinks.one(), Sinks.one(), Sinks.one());
        Flux<String> made =
                Flux.range(0, 3).transform(InOrder.map(3, i -> asked.get(i).asMono()));

        StepVerifier.create(made, 0)
                .thenRequest(3)
                .then(() -> {
                    asked.get(2).tryEmitValue("c");
                    asked.get(1).tryEmitEmpty();
                })
                .expectNoEvent(java.time.Duration.ofMillis(1))
                .then(() -> asked.get(0).tryEmitValue("a"))
                .expectNext("a", "c")
                .verifyComplete();
    }

    @Test
    void map_severalFailAtOnce_failsAsTheFirstOfThem() {
        Sinks.One<String> slow = Sinks.one();
        Flux<String> made = Flux.just("a", "b", "c")
                .transform(InOrder.map(
                        3, name -> name.equals("a") ? slow.asMono() : Mono.error(new IllegalStateException(name))));

        StepVerifier.create(made)
                .then(() -> slow.tryEmitError(new IllegalStateException("a")))
                .verifyErrorMessage("a");
    }
}
