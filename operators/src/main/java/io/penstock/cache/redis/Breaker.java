package io.penstock.cache.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.penstock.internal.Notice;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * A circuit breaker for one server. It opens when the server is gone, or slow three times in a row. Then it probes,
 * soon first and then less often, until the server answers. While it is open, look-ups miss at once.
 */
final class Breaker {

    private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);
    private static final int TIMEOUTS_IN_A_ROW = 3;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final Duration CALM = Duration.ofMinutes(1);

    private final String where;
    private final Supplier<Mono<?>> probe;
    private final Scheduler timer;
    private final AtomicBoolean open = new AtomicBoolean();
    private final AtomicInteger timeouts = new AtomicInteger();
    private final Disposable.Swap waiting = Disposables.swap();
    private volatile Duration pause = FIRST_PAUSE;
    private volatile long openedAt;
    private volatile long closedAt = System.nanoTime() - CALM.toNanos();

    /** @param probe asks the server for something; completes if it answers */
    Breaker(String where, Supplier<Mono<?>> probe, Scheduler timer) {
        this.where = where;
        this.probe = probe;
        this.timer = timer;
    }

    /** Whether the server is not to be asked now. */
    boolean isOpen() {
        return open.get();
    }

    void succeeded() {
        if (timeouts.get() != 0) {
            timeouts.set(0);
        }
    }

    /** There is no connection, so no answers will fail. */
    void unreachable(Throwable e) {
        open(e);
    }

    /** The first connection is not made in time; it may come later. */
    void late(Duration waited) {
        Notice.warn(
                LOG,
                "the redis cache at {} is not connected after {} ms, the run goes on without it until it is",
                where,
                waited.toMillis());
    }

    void failed(Throwable e) {
        if (!(e instanceof RedisCommandTimeoutException) || timeouts.incrementAndGet() >= TIMEOUTS_IN_A_ROW) {
            open(e);
        }
    }

    private void open(Throwable e) {
        if (!open.compareAndSet(false, true)) {
            return;
        }
        openedAt = System.nanoTime();
        pause = openedAt - closedAt > CALM.toNanos() ? FIRST_PAUSE : longer();
        Notice.warn(
                LOG,
                "the redis cache at {} is out of reach, the run goes on without it: {}",
                where,
                Endpoint.reason(e));
        waiting.replace(Mono.defer(() -> Mono.delay(pause, timer).then(Mono.defer(probe)))
                .doOnError(failure -> pause = longer())
                .retry()
                .subscribe(answer -> {}, failure -> {}, this::close));
    }

    private Duration longer() {
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }

    private void close() {
        timeouts.set(0);
        closedAt = System.nanoTime();
        open.set(false);
        LOG.info(
                "the redis cache at {} answers again, after {} s",
                where,
                TimeUnit.NANOSECONDS.toSeconds(closedAt - openedAt));
    }

    /** Stops probing. */
    void dispose() {
        waiting.dispose();
    }
}
