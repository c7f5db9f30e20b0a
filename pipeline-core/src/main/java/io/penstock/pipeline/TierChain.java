package io.penstock.pipeline;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tiers one behind another, kept as a flat list, which is what makes chaining associative. */
final class TierChain implements Tier {

    private final List<Tier> levels;

    TierChain(Tier faster, Tier slower) {
        this.levels = Stream.of(faster, slower)
                .flatMap(tier -> tier.levels().stream())
                .toList();
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
    public Mono<Void> put(SampleKey key, ByteBuffer value) {
        return Flux.fromIterable(levels)
                .concatMap(level -> level.put(key, value.duplicate()))
                .then();
    }

    @Override
    public boolean accepts(SampleKey key) {
        return levels.stream().anyMatch(level -> level.accepts(key));
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
                        a.refused() + b.refused()))
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
