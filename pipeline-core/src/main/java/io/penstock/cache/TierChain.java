package io.penstock.cache;

import io.penstock.internal.Guarded;
import io.penstock.internal.Thrown;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tiers one behind another, kept as a flat list, which is what makes chaining associative. */
final class TierChain implements Tier {

    private final List<Tier> levels;
    private final TierFaults faults;

    TierChain(Tier faster, Tier slower) {
        this(Stream.of(faster, slower).flatMap(tier -> tier.levels().stream()).toList(), new TierFaults());
    }

    private TierChain(List<Tier> levels, TierFaults faults) {
        this.levels = levels;
        this.faults = faults;
    }

    @Override
    public String name() {
        return levels.stream().map(Tier::name).reduce((a, b) -> a + "+" + b).orElseThrow();
    }

    @Override
    public Mono<ByteBuffer> get(SampleKey key) {
        return getFrom(0, key);
    }

    private Mono<ByteBuffer> getFrom(int level, SampleKey key) {
        Mono<ByteBuffer> found = levels.get(level).get(key);
        if (level == levels.size() - 1) {
            return found;
        }
        if (found instanceof Callable<?> answered) {
            return callAnswered(answered) ? found : getFrom(level + 1, key);
        }
        return found.switchIfEmpty(Mono.defer(() -> getFrom(level + 1, key)));
    }

    private static boolean callAnswered(Callable<?> answered) {
        try {
            return answered.call() != null;
        } catch (Exception e) {
            return true; // the failure is the answer, and its subscriber sees it
        }
    }

    @Override
    public Mono<Boolean> put(SampleKey key, Encoded value, Offer offer) {
        return putDownTo(slowestOffered(levels.size()), key, value, offer, false);
    }

    /** The first of so many levels that hands down what gives way, or the last of them. */
    private int slowestOffered(int ofLevels) {
        int level = 0;
        while (level < ofLevels - 1 && !levels.get(level).handsDown()) {
            level++;
        }
        return level;
    }

    /** Offers to the levels from the slowest to the fastest, each of which learns whether a slower one holds it. */
    private Mono<Boolean> putDownTo(int level, SampleKey key, Encoded value, Offer offer, boolean held) {
        if (level < 0) {
            return Mono.just(held);
        }
        Tier tier = levels.get(level);
        return Mono.defer(Thrown.supplier(
                        () -> tier.accepts(key, offer) ? putInto(level, key, value, offer) : Mono.just(false)))
                .onErrorResume(e -> {
                    faults.report(tier, e);
                    return Mono.just(false);
                })
                .flatMap(taken -> putDownTo(level - 1, key, value, taken ? offer.asSpare() : offer, held || taken));
    }

    private Mono<Boolean> putInto(int level, SampleKey key, Encoded value, Offer offer) {
        Tier tier = levels.get(level);
        Mono<Boolean> put = tier.handsDown() && level < levels.size() - 1
                ? tier.put(key, value, offer, new TierChain(levels.subList(level + 1, levels.size()), faults))
                : tier.put(key, value, offer);
        return new Guarded<>(put);
    }

    @Override
    public void answered(int level, SampleKey key, ByteBuffer value) {
        if (levels.get(level).keepsHits()) {
            return;
        }
        for (int faster = 0; faster < level; faster++) {
            if (levels.get(faster).accepts(key, Offer.SPARE)) { // seldom: a full tier that holds takes no copies
                putDownTo(slowestOffered(level), key, Encoded.of(value), Offer.SPARE, true)
                        .subscribe();
                return;
            }
        }
    }

    @Override
    public boolean filledBy(Filling filling) {
        boolean origins = false;
        for (Tier level : levels) {
            origins |= level.filledBy(filling);
        }
        return origins;
    }

    @Override
    public void remove(SampleKey key) {
        levels.forEach(level -> level.remove(key));
    }

    @Override
    public Optional<Flux<SampleKey>> keys() {
        List<Flux<SampleKey>> known =
                levels.stream().flatMap(level -> level.keys().stream()).toList();
        return known.size() < levels.size() ? Optional.empty() : Optional.of(Flux.concat(known));
    }

    /** Leases of all levels that several processes fill, taken from the slowest up, so that no two wait in a circle. */
    @Override
    public Mono<Lease> lease(SampleKey key) {
        Mono<Lease> leases = Lease.NONE;
        for (Tier level : levels) {
            Mono<Lease> own = level.lease(key);
            if (own != Lease.NONE) {
                leases = leases == Lease.NONE ? own : both(own, leases);
            }
        }
        return leases;
    }

    private static Mono<Lease> both(Mono<Lease> first, Mono<Lease> second) {
        return first.flatMap(outer -> second.doOnError(e -> outer.release())
                .doOnCancel(outer::release)
                .map(inner -> () -> {
                    inner.release();
                    outer.release();
                }));
    }

    @Override
    public boolean accepts(SampleKey key) {
        return levels.stream().anyMatch(level -> level.accepts(key));
    }

    @Override
    public boolean accepts(SampleKey key, Offer offer) {
        return levels.stream().anyMatch(level -> level.accepts(key, offer));
    }

    @Override
    public TierStatistics statistics() {
        return levels.stream()
                .map(Tier::statistics)
                .reduce((a, b) -> new TierStatistics(
                        a.samples() + b.samples(),
                        a.bytes() + b.bytes(),
                        a.capacity() + b.capacity(),
                        a.hits() + b.hits(),
                        b.misses(),
                        a.refused() + b.refused(),
                        a.evicted() + b.evicted(),
                        a.errors() + b.errors()))
                .orElseThrow();
    }

    @Override
    public List<Tier> levels() {
        return levels;
    }

    @Override
    public void close() {
        levels.forEach(Tier::close);
    }

    @Override
    public String toString() {
        return levels.stream()
                .map(Tier::toString)
                .reduce((a, b) -> a + ", then " + b)
                .orElseThrow();
    }
}
