package io.penstock.store.http.internal;

import io.penstock.fault.StoreException;
import io.penstock.internal.GuardedScheduler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * Asks again where a fault may pass, within a number of attempts and a time.
 *
 * <p>Waits are exponential with full jitter; what a server asks for in {@code Retry-After} is the least wait, and where
 * the budget does not hold it, the read fails at once.
 *
 * @param dice gives numbers in [0, 1)
 */
record Retries(HttpSettings options, DoubleSupplier dice) {

    private static final int MAX_DOUBLINGS = 30;

    /**
     * The result of the first attempt that succeeds.
     * @param what the request, for messages: method and address
     */
    <T> Mono<T> of(String what, Supplier<Mono<T>> attempt) {
        return Mono.defer(() -> attempt(what, attempt, 1, now()));
    }

    private <T> Mono<T> attempt(String what, Supplier<Mono<T>> source, int number, long began) {
        return Mono.defer(source).onErrorResume(thrown -> {
            HttpFault fault = HttpFault.of(thrown, options);
            if (!fault.isPassing()) {
                return Mono.error(failed(what, fault, number, began, fault.advice()));
            }
            if (number >= options.attempts) {
                return Mono.error(failed(what, fault, number, began, fault.advice() + ", or allow more attempts"));
            }
            Duration wait = wait(number, fault);
            if (now() - began + wait.toMillis() > options.retryFor.toMillis()) {
                return Mono.error(failed(what, fault, number, began, tooLate(fault, wait)));
            }
            return Mono.delay(wait, GuardedScheduler.PARALLEL)
                    .then(Mono.defer(() -> attempt(what, source, number + 1, began)));
        });
    }

    private String tooLate(HttpFault fault, Duration wait) {
        return fault.retryAfter() == null
                ? fault.advice() + ", or allow more time than " + Words.of(options.retryFor)
                : "; the server asks to wait %s, which is more than is left of the %s for retries"
                        .formatted(Words.of(wait), Words.of(options.retryFor));
    }

    private StoreException failed(String what, HttpFault fault, int number, long began, String advice) {
        String message = "%s failed on attempt %d of %d after %s: %s%s"
                .formatted(
                        what,
                        number,
                        options.attempts,
                        Words.of(Duration.ofMillis(now() - began)),
                        fault.reason(),
                        advice);
        Throwable cause = fault.getCause();
        return cause == null ? new StoreException(message) : new StoreException(message, cause);
    }

    private Duration wait(int failures, HttpFault fault) {
        long first = options.firstBackoff.toMillis();
        long longest = options.longestBackoff.toMillis();
        int doublings = Math.min(failures - 1, MAX_DOUBLINGS);
        double max = Math.min((double) longest, Math.scalb((double) first, doublings));
        Duration jittered = Duration.ofMillis((long) (dice.getAsDouble() * max));
        Duration asked = fault.retryAfter();
        return asked != null && asked.compareTo(jittered) > 0 ? asked : jittered;
    }

    private static long now() {
        return GuardedScheduler.PARALLEL.now(TimeUnit.MILLISECONDS);
    }
}
