package io.penstock.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.penstock.cache.Filling;
import io.penstock.cache.Lease;
import io.penstock.cache.Offer;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A tier of which some calls are timed. Keys are well mixed, so a few of their bits choose as fairly as dice do.
 *
 * <p>Every method with a default is forwarded: a default says something about the tier, such as that nothing is handed
 * down, which is wrong for the one behind. Only {@link #levels} stays, since a timed tier is one level.
 */
final class TimedTier implements Tier {

    private static final long ONE_IN = 64;

    private final Tier tier;
    private final Timer hits;
    private final Timer misses;
    private final Timer puts;

    TimedTier(Tier tier, String name, MeterRegistry registry) {
        this.tier = tier;
        this.hits = look(name, "hit").register(registry);
        this.misses = look(name, "miss").register(registry);
        this.puts = Timer.builder("penstock.tier.put")
                .tag("tier", name)
                .description("how long a put takes, of one in 64")
                .register(registry);
    }

    private static Timer.Builder look(String name, String result) {
        return Timer.builder("penstock.tier.get")
                .tag("tier", name)
                .tag("result", result)
                .description("how long a look-up takes, of one in 64");
    }

    private static boolean isTimed(SampleKey key) {
        return (key.low() & ONE_IN - 1) == 0;
    }

    @Override
    public String name() {
        return tier.name();
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        if (!isTimed(key)) {
            return tier.get(key);
        }
        long started = System.nanoTime();
        Mono<ByteBuffer> asked = tier.get(key);
        return asked instanceof Callable<?> callable ? answered(callable, started) : later(asked);
    }

    /** What can be had now is asked for now, so that the answer is as direct as the tier's own. */
    private Mono<ByteBuffer> answered(Callable<?> callable, long started) {
        try {
            ByteBuffer value = (ByteBuffer) callable.call();
            looked(value != null, started);
            return Mono.justOrEmpty(value);
        } catch (Throwable e) {
            return Mono.error(Thrown.signal(e));
        }
    }

    private Mono<ByteBuffer> later(Mono<ByteBuffer> asked) {
        return Mono.defer(() -> {
            long started = System.nanoTime();
            return asked.doOnSuccess(value -> looked(value != null, started));
        });
    }

    /** A group is timed as a whole where one of its keys is to be: each then took its share. */
    @Override
    public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
        boolean timed = false;
        for (SampleKey key : keys) {
            timed |= isTimed(key);
        }
        long started = timed ? System.nanoTime() : 0;
        if (!tier.getAll(keys, found)) {
            return false;
        }
        if (timed) {
            long share = (System.nanoTime() - started) / keys.length;
            for (int i = 0; i < keys.length; i++) {
                if (isTimed(keys[i])) {
                    (found[i] != null ? hits : misses).record(share, TimeUnit.NANOSECONDS);
                }
            }
        }
        return true;
    }

    private void looked(boolean hit, long started) {
        (hit ? hits : misses).record(System.nanoTime() - started, TimeUnit.NANOSECONDS);
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
        return isTimed(key) ? timedPut(tier.put(key, value, offer)) : tier.put(key, value, offer);
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer, Tier slower) {
        Mono<Boolean> put = tier.put(key, value, offer, slower);
        return isTimed(key) ? timedPut(put) : put;
    }

    private Mono<Boolean> timedPut(Mono<Boolean> put) {
        return Mono.defer(() -> {
            long started = System.nanoTime();
            return put.doOnSuccess(held -> puts.record(System.nanoTime() - started, TimeUnit.NANOSECONDS));
        });
    }

    @Override
    public boolean accepts(SampleKey key) {
        return tier.accepts(key);
    }

    @Override
    public boolean accepts(SampleKey key, Offer offer) {
        return tier.accepts(key, offer);
    }

    @Override
    public boolean handsDown() {
        return tier.handsDown();
    }

    @Override
    public boolean keepsHits() {
        return tier.keepsHits();
    }

    @Override
    public boolean filledBy(Filling filling) {
        return tier.filledBy(filling);
    }

    @Override
    public Optional<Flux<SampleKey>> keys() {
        return tier.keys();
    }

    @Override
    public void remove(SampleKey key) {
        tier.remove(key);
    }

    @Override
    public Mono<Lease> lease(SampleKey key) {
        return tier.lease(key);
    }

    @Override
    public void answered(int level, SampleKey key, ByteBuffer value) {
        tier.answered(level, key, value);
    }

    @Override
    public TierStatistics statistics() {
        return tier.statistics();
    }

    @Override
    public void close() {
        tier.close();
    }

    @Override
    public String toString() {
        return tier.toString();
    }
}
