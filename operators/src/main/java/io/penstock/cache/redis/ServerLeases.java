package io.penstock.cache.redis;

import io.penstock.cache.Lease;
import io.penstock.cache.SampleKey;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.Told;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The right to load a key, shared among machines: a key beside the value's, with a token that only its owner knows and
 * a time to live. The owner prolongs it while it loads. It deletes the key only while the key has its own token: after
 * a pause longer than the time to live another process may own it. A caller that waits looks again, soon and then less
 * often.
 *
 * <p>While a server cannot be asked there are no leases: each caller loads for itself.
 *
 * <p>Source of the scheme: the documentation of {@code SET}, "Patterns".
 * @see <a href="https://redis.io/docs/latest/commands/set/">SET</a>
 */
final class ServerLeases {

    private static final Lease NOTHING = () -> {};
    private static final long FIRST_WAIT_MILLIS = 2;
    private static final long LONGEST_WAIT_MILLIS = 64;

    private final Endpoint endpoint;
    private final KeySpace keys;
    private final Commands commands;
    private final Writes writes;
    private final Duration time;
    private final Scheduler timer = GuardedScheduler.PARALLEL;
    private final String owner = UUID.randomUUID().toString();
    private final AtomicLong taken = new AtomicLong();
    private final Set<CompletionStage<String>> requests = ConcurrentHashMap.newKeySet();
    private final Set<Held> held = ConcurrentHashMap.newKeySet();
    private final Disposable heartbeat;

    ServerLeases(Endpoint endpoint, KeySpace keys, Commands commands, Writes writes, Duration time) {
        this.endpoint = endpoint;
        this.keys = keys;
        this.commands = commands;
        this.writes = writes;
        this.time = time;
        long beat = Math.max(1, time.toMillis() / 4);
        this.heartbeat = timer.schedulePeriodically(this::prolong, beat, beat, TimeUnit.MILLISECONDS);
    }

    /** Emits once, on a worker: when this process may load the key, or when there is nothing to load or to wait for. */
    Mono<Lease> lease(SampleKey key) {
        return Told.mono(told -> new Request(key, told).take(FIRST_WAIT_MILLIS));
    }

    private final class Request {
        private final SampleKey key;
        private final byte[] value;
        private final byte[] name;
        private final Told<Lease> told;
        private final AtomicReference<@Nullable Lease> given = new AtomicReference<>();
        private volatile boolean cancelled;

        Request(SampleKey key, Told<Lease> told) {
            this.key = key;
            this.value = keys.sample(key);
            this.name = keys.lease(key);
            this.told = told;
            told.onCancel(this::cancel);
        }

        void take(long waitMillis) {
            byte[] token = (owner + "-" + taken.incrementAndGet()).getBytes(StandardCharsets.US_ASCII);
            CompletionStage<String> request = endpoint.send(name, commands.take(name, token, time))
                    .whenComplete((answer, e) -> told.attempt(() -> {
                        if (e != null) {
                            give(NOTHING);
                        } else if (answer != null) {
                            give(new Held(key, name, token));
                        } else {
                            Runnable again = () -> lookAgain(waitMillis);
                            timer.schedule(() -> told.attempt(again), waitMillis, TimeUnit.MILLISECONDS);
                        }
                    }));
            requests.add(request);
            request.whenComplete((answer, e) -> requests.remove(request));
        }

        private void lookAgain(long waited) {
            if (cancelled) {
                return;
            }
            if (!endpoint.isUp(name)) {
                give(NOTHING);
                return;
            }
            endpoint.send(name, commands.removeEndless(name));
            endpoint.send(value, commands.exists(value))
                    .whenComplete((there, e) -> told.attempt(() -> {
                        if (e != null || there > 0) {
                            give(NOTHING);
                        } else {
                            take(Math.min(2 * waited, LONGEST_WAIT_MILLIS));
                        }
                    }));
        }

        /** A lease is not lost if the request is cancelled at the same moment: one of the two sees the other. */
        private void give(Lease lease) {
            given.set(lease);
            if (cancelled) {
                lease.release();
            } else {
                timer.schedule(() -> told.tell(lease, null));
            }
        }

        private void cancel() {
            cancelled = true;
            Lease lease = given.get();
            if (lease != null) {
                lease.release();
            }
        }
    }

    private final class Held implements Lease {
        private final SampleKey key;
        private final byte[] name;
        private final byte[] token;
        private final long since = System.nanoTime();
        private final AtomicBoolean released = new AtomicBoolean();

        Held(SampleKey key, byte[] name, byte[] token) {
            this.key = key;
            this.name = name;
            this.token = token;
            held.add(this);
        }

        /** Once the value, if one was put, is there for others to find. */
        @Override
        public void release() {
            if (released.compareAndSet(false, true)) {
                writes.afterPut(key, this::giveBack);
            }
        }

        CompletionStage<Long> giveBack() {
            return endpoint.send(name, commands.release(name, token)).whenComplete((was, e) -> held.remove(this));
        }

        void prolong() {
            if (System.nanoTime() - since > time.toNanos() / 4) {
                endpoint.send(name, commands.extend(name, token, time));
            }
        }
    }

    private void prolong() {
        held.forEach(Held::prolong);
    }

    /**
     * Releases the leases that are held and those that are still being taken, so that no process waits for their time
     * to pass. To be called after the last put. Never fails.
     */
    Mono<Void> close() {
        return Mono.defer(() -> {
            heartbeat.dispose();
            return Flux.fromIterable(List.copyOf(requests))
                    .flatMap(request -> Mono.fromCompletionStage(request).onErrorComplete())
                    .thenMany(Flux.defer(() -> Flux.fromIterable(List.copyOf(held))))
                    .flatMap(lease -> Mono.fromCompletionStage(lease::giveBack).onErrorComplete())
                    .then();
        });
    }
}
