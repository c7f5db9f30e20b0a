package io.penstock.simulation;

import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.SharedTier;
import io.penstock.cache.TierStatistics;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** A tier that answers now or later, loses and refuses values, returns cut ones, and fails; its leases are exact. */
final class SimulatedTier implements SharedTier {

    private final String name;
    private final Scenario scenario;
    private final SimulatedScheduler scheduler;
    private final Dice dice;
    private final int capacity;
    private final boolean lru;
    private final boolean shared;
    private final Map<SampleKey, ByteBuffer> values;
    private final Map<SampleKey, Deque<Waiter>> leases = new HashMap<>();

    /** @param capacity in values */
    SimulatedTier(
            String name, Scenario scenario, SimulatedScheduler scheduler, Dice dice, int capacity, boolean shared) {
        this.name = name;
        this.scenario = scenario;
        this.scheduler = scheduler;
        this.dice = dice;
        this.capacity = capacity;
        this.lru = scenario.localLru() && !shared;
        this.shared = shared;
        this.values = new LinkedHashMap<>(16, 0.75f, lru);
    }

    /** How many leases are held now. */
    int leased() {
        return leases.size();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Eviction eviction() {
        return lru ? Eviction.DROPPED : Eviction.NONE;
    }

    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        return false;
    }

    @Override
    public boolean accepts(SampleKey key, Entry about) {
        return true;
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        return answer(() -> {
            ByteBuffer found = values.get(key);
            if (found == null) {
                return null;
            }
            ByteBuffer view = found.asReadOnlyBuffer();
            return dice.chance(scenario.tierFaults()) ? view.limit(dice.below(view.limit())) : view;
        });
    }

    @Override
    public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
        return answer(() -> {
            if (!values.containsKey(key) && values.size() == capacity) {
                if (!lru) {
                    return Put.REFUSED;
                }
                Iterator<SampleKey> eldest = values.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
            ByteBuffer copy = ByteBuffer.allocate(value.length());
            value.copyTo(copy, 0);
            values.put(key, copy);
            return Put.HELD;
        });
    }

    /** What a call brings: now or later, or one of the faults. */
    private <T> Mono<T> answer(Supplier<T> call) {
        if (dice.chance(scenario.tierFaults())) {
            Fault fault = dice.oneOf(Fault.values());
            if (dice.chance(0.5)) {
                throw fault.raise();
            }
            return dice.chance(0.5)
                    ? Mono.error(fault.thrown())
                    : later(() -> {
                        throw fault.raise();
                    });
        }
        return dice.chance(scenario.asynchronous()) ? later(call) : Mono.fromSupplier(call);
    }

    private <T> Mono<T> later(Supplier<T> call) {
        return Mono.create(sink -> {
            boolean[] gone = {false};
            sink.onCancel(() -> gone[0] = true);
            scheduler.schedule(
                    () -> {
                        T answer;
                        try {
                            answer = call.get();
                        } catch (Throwable e) {
                            if (!gone[0]) { // Reactor rethrows some errors that nothing waits for
                                sink.error(e);
                            }
                            return;
                        }
                        sink.success(answer);
                    },
                    dice.below(50_000),
                    TimeUnit.NANOSECONDS);
        });
    }

    @Override
    public Mono<Lease> lease(SampleKey key) {
        return shared ? Mono.create(sink -> wait(key, new Waiter(sink))) : Lease.NONE;
    }

    private static final class Waiter {
        final MonoSink<Lease> sink;
        boolean gone;

        Waiter(MonoSink<Lease> sink) {
            this.sink = sink;
            sink.onCancel(() -> gone = true);
        }
    }

    private void wait(SampleKey key, Waiter waiter) {
        Deque<Waiter> queue = leases.get(key);
        if (queue == null) {
            leases.put(key, new ArrayDeque<>());
            waiter.sink.success(leaseOf(key));
        } else {
            queue.add(waiter);
        }
    }

    private Lease leaseOf(SampleKey key) {
        boolean[] released = {false};
        return () -> {
            if (released[0]) {
                throw new AssertionError("a lease was released twice");
            }
            released[0] = true;
            pass(key);
        };
    }

    private void pass(SampleKey key) {
        Waiter next = leases.get(key).poll();
        if (next == null) {
            leases.remove(key);
            return;
        }
        scheduler.schedule(() -> {
            if (next.gone) {
                pass(key);
            } else {
                next.sink.success(leaseOf(key));
            }
        });
    }

    @Override
    public TierStatistics statistics() {
        return new TierStatistics(values.size(), values.size(), Long.MAX_VALUE, 0, 0, 0, 0, 0);
    }

    @Override
    public void close() {}
}
