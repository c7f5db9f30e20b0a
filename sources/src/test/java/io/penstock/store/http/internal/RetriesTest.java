package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fault.StoreException;
import io.penstock.store.http.HttpOptions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Time is virtual, and the dice show what the test says. */
class RetriesTest {

    private static final HttpOptions OPTIONS = HttpOptions.standard()
            .attempts(5, Duration.ofSeconds(60))
            .backoff(Duration.ofMillis(100), Duration.ofMillis(500));

    private final AtomicInteger attempts = new AtomicInteger();

    private Mono<String> failing(int times, Supplier<RuntimeException> failure) {
        return Mono.defer(() ->
                attempts.incrementAndGet() <= times ? Mono.error(failure.get()) : Mono.just("attempt " + attempts));
    }

    private static RuntimeException passing() {
        return HttpFault.passing("answered 503", "check the server");
    }

    private Mono<String> retried(double dice, Mono<String> source) {
        return new Retries(OPTIONS, () -> dice).of("GET x", () -> source);
    }

    @Test
    void filesThatAreAllOpen_areAFaultThatMayPassWithAdvice() {
        HttpFault fault = HttpFault.of(
                new IllegalStateException(new IOException("newSocketStream(..) failed: Too many open files")),
                HttpOptions.standard());

        assertThat(fault.isPassing()).isTrue();
        assertThat(fault.reason() + fault.advice())
                .contains("as many files and connections open as it may; raise the limit that ulimit -n shows");
    }

    @Test
    void waits_withFullJitter_doubleUpToTheLongest() {
        StepVerifier.withVirtualTime(() -> retried(0.5, failing(4, RetriesTest::passing)), 0)
                .expectSubscription()
                .thenRequest(1)
                .then(() -> assertThat(attempts).hasValue(1))
                .expectNoEvent(Duration.ofMillis(49))
                .then(() -> assertThat(attempts).hasValue(1))
                .thenAwait(Duration.ofMillis(1)) // half of 100
                .then(() -> assertThat(attempts).hasValue(2))
                .thenAwait(Duration.ofMillis(100)) // half of 200
                .then(() -> assertThat(attempts).hasValue(3))
                .thenAwait(Duration.ofMillis(200)) // half of 400
                .then(() -> assertThat(attempts).hasValue(4))
                .expectNoEvent(Duration.ofMillis(249))
                .thenAwait(Duration.ofMillis(1)) // half of 500, not of 800
                .expectNext("attempt 5")
                .verifyComplete();
    }

    @Test
    void attempts_usedUp_endWithTheLastFaultAndItsNumber() {
        StepVerifier.withVirtualTime(() -> retried(0, failing(9, RetriesTest::passing)))
                .thenAwait(Duration.ofSeconds(5))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .isInstanceOf(StoreException.class)
                        .hasMessage(
                                "GET x failed on attempt 5 of 5 after 0 ms: answered 503; check the server, or allow"
                                        + " more attempts"));
        assertThat(attempts).hasValue(5);
    }

    @Test
    void retryAfter_longerThanTheJitter_isWaitedFor() {
        Duration asked = Duration.ofSeconds(7);

        StepVerifier.withVirtualTime(() ->
                        retried(0.9, failing(1, () -> HttpFault.later("answered 429", asked, "ask less"))))
                .expectSubscription()
                .expectNoEvent(asked.minusMillis(1))
                .thenAwait(Duration.ofMillis(1))
                .expectNext("attempt 2")
                .verifyComplete();
    }

    @Test
    void retryAfter_longerThanTheBudget_givesUpAtOnce() {
        StepVerifier.withVirtualTime(() -> retried(
                        0.9, failing(1, () -> HttpFault.later("answered 429", Duration.ofHours(1), "ask less"))))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .hasMessageContaining("attempt 1 of 5")
                        .hasMessageContaining(
                                "the server asks to wait 3600.0 s, which is more than is left of the 60.0 s"));
        assertThat(attempts).hasValue(1);
    }

    @Test
    void time_usedUp_endsBeforeTheAttempts() {
        StepVerifier.withVirtualTime(() ->
                        retried(0.9, Mono.delay(Duration.ofSeconds(25)).then(failing(9, RetriesTest::passing))))
                .thenAwait(Duration.ofMinutes(5))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .hasMessageContaining("attempt 3 of 5 after 75.3 s")
                        .hasMessageContaining("or allow more time than 60.0 s"));
    }

    @Test
    void fault_thatLasts_isNotAskedAgain() {
        StepVerifier.withVirtualTime(() -> retried(0, failing(1, () -> HttpFault.lasting("answered 403", "check"))))
                .verifyErrorMessage("GET x failed on attempt 1 of 5 after 0 ms: answered 403; check");
        assertThat(attempts).hasValue(1);
    }

    @Test
    void cancel_whileWaiting_asksNoMore() {
        StepVerifier.withVirtualTime(() -> retried(1, failing(9, RetriesTest::passing)))
                .expectSubscription()
                .thenAwait(Duration.ofMillis(50))
                .thenCancel()
                .verify();
        assertThat(attempts).hasValue(1);
    }

    @Test
    void failure_ofTheNetwork_isRetriedAndItsAddressesStripped() {
        StepVerifier.withVirtualTime(() -> new Retries(OPTIONS, () -> 0)
                        .of(
                                "GET x",
                                () -> Mono.<String>error(
                                        new IOException("reset by http://user:secret@host/a?token=secret"))))
                .thenAwait(Duration.ofSeconds(5))
                .verifyErrorSatisfies(failure -> assertThat(failure)
                        .hasMessageContaining("connection broke: reset by http://host/a?…")
                        .hasMessageNotContaining("secret"));
    }
}
