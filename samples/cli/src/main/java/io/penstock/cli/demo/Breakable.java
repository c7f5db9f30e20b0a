package io.penstock.cli.demo;

import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** A source that goes wrong while someone wants it to, as a file server or a disk would. Its samples stay the same. */
final class Breakable<T> {

    private static final Duration LATE = Duration.ofMillis(100);
    private static final int RETRIES = 3;
    private static final Duration BACKOFF = Duration.ofMillis(100);

    private final Dataset<T> source;
    private final Sinks.Many<Health> health = Sinks.many().replay().latestOrDefault(Health.WORKS);
    private final LongAdder asked = new LongAdder();
    private final LongAdder settled = new LongAdder();
    final LongAdder loaded = new LongAdder();
    volatile Health now = Health.WORKS;

    enum Health {
        WORKS("the source works"),
        SLOW("the source answers %d ms late".formatted(LATE.toMillis())),
        FAILS("the source fails: each sample is tried %d times, then skipped".formatted(1 + RETRIES)),
        STALLS("the source does not answer: the run waits for samples that the cache lacks");

        private final String words;

        Health(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    Breakable(Dataset<T> source) {
        this.source = source;
    }

    /** What is asked for from now on, or waits, meets this. Called by one thread at a time. */
    void become(Health next) {
        now = next;
        health.emitNext(next, Sinks.EmitFailureHandler.FAIL_FAST);
    }

    long waiting() {
        long done = settled.sum(); // first, so that it is never the larger
        return asked.sum() - done;
    }

    Dataset<T> dataset() {
        return Dataset.wrapping(source, this::get);
    }

    private Mono<T> get(long index) {
        return Mono.defer(() -> {
            asked.increment();
            return Mono.defer(() -> attempt(index))
                    .retryWhen(Retry.backoff(RETRIES, BACKOFF).onRetryExhaustedThrow((spec, last) -> last.failure()))
                    .doOnNext(value -> loaded.increment())
                    .doOnTerminate(settled::increment) // before the value goes on, so that no stage counts as waiting
                    .doOnCancel(settled::increment);
        });
    }

    private Mono<T> attempt(long index) {
        return switch (now) {
            case WORKS -> source.get(index);
            case SLOW -> Mono.delay(LATE).then(source.get(index));
            case FAILS ->
                Mono.error(new StoreException("cannot read %s: the source is broken".formatted(source.name(index))));
            case STALLS ->
                health.asFlux().filter(state -> state != Health.STALLS).next().then(Mono.defer(() -> attempt(index)));
        };
    }
}
