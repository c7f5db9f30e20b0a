package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.Lookup;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.internal.Begun;
import io.penstock.internal.Guarded;
import io.penstock.internal.StageMeter;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.tensor.Codec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What a cache holds under the keys of a flux's elements, or what a loader makes of them. */
final class KeyedStage<A, T> extends Stage<T> implements Lookup.Loader<KeyedStage.Element<A>, T> {

    record Element<A>(Draw draw, A value) {}

    private final Stage<A> input;
    private final List<Tier> tiers;
    private final Function<? super A, SampleKey> key;
    private final Function<? super A, ? extends Mono<? extends T>> loader;
    private final Fingerprint layout;
    private final Lookup<Element<A>, T> lookup;
    private final StageMeter loads = new StageMeter();
    private final StageMeter misses = new StageMeter();
    private final StageMeter[] hits;

    KeyedStage(
            Stage<A> input,
            Cache cache,
            Function<? super A, SampleKey> key,
            Codec<T> codec,
            Function<? super A, ? extends Mono<? extends T>> loader) {
        super(input.fingerprint(), input);
        this.input = input;
        this.tiers = cache.tiers();
        this.key = key;
        this.loader = loader;
        this.layout = Fingerprint.of(codec);
        this.lookup = new Lookup<>(cache, codec, this, null);
        this.hits = Stream.generate(StageMeter::new).limit(tiers.size()).toArray(StageMeter[]::new);
    }

    @Override
    Object begin(Draw draw) {
        return begin(input.begin(draw), draw);
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        input.beginAll(draws, begun);
        if (!findAll(draws, begun)) {
            for (int i = 0; i < draws.length; i++) {
                try {
                    begun[i] = begin(begun[i], draws[i]);
                } catch (Throwable e) {
                    begun[i] = Begun.failed(e);
                }
            }
        }
    }

    /** Looks for all elements at once, if all are at hand and have a key. */
    @SuppressWarnings({"unchecked", "rawtypes"}) // the input began them
    private boolean findAll(Draw[] draws, Object[] begun) {
        SampleKey[] keys = new SampleKey[draws.length];
        Element<A>[] elements = new Element[draws.length];
        try {
            for (int i = 0; i < draws.length; i++) {
                if (begun[i] instanceof Mono<?> || begun[i] == Begun.ABSENT || begun[i] instanceof Begun.Failed) {
                    return false;
                }
                elements[i] = new Element<>(draws[i], (A) begun[i]);
                keys[i] = key(elements[i]);
            }
        } catch (Throwable e) { // of one element, so each begins by itself and fails by itself
            return false;
        }
        @Nullable ByteBuffer[] found = lookup.findAll(keys, elements, begun, false);
        for (int i = 0; i < draws.length; i++) {
            if (found[i] != null) {
                hits[0].count(draws[i]);
            }
        }
        return true;
    }

    @SuppressWarnings("unchecked") // the input began it
    private Object begin(Object begun, Draw draw) {
        if (begun instanceof Mono<?> mono) {
            return ((Mono<A>) mono).flatMap(Thrown.function(value -> Begun.toMono(find(new Element<>(draw, value)))));
        }
        return begun == Begun.ABSENT || begun instanceof Begun.Failed ? begun : find(new Element<>(draw, (A) begun));
    }

    private Object find(Element<A> element) {
        return lookup.find(key(element), element);
    }

    private SampleKey key(Element<A> element) {
        try {
            return key.apply(element.value).with(layout);
        } catch (Throwable e) {
            throw Thrown.ofSample("key", element.draw, this::name, e);
        }
    }

    @Override
    public Object beginLoad(Element<A> element) {
        long started = loads.start(element.draw);
        Object begun;
        try {
            begun = Begun.of(loader.apply(element.value));
        } catch (Throwable e) {
            throw failure(element.draw, e);
        }
        if (begun instanceof Mono<?> mono) {
            return new Guarded<>(mono)
                    .onErrorMap(e -> failure(element.draw, e))
                    .doOnSuccess(value -> loads.stop(element.draw, started));
        }
        loads.stop(element.draw, started);
        return begun;
    }

    /** None: the elements have nothing to do with each other. */
    @Override
    public void beginLoads(List<Element<A>> elements, @Nullable Object[] begun) {}

    private RuntimeException failure(Draw draw, Throwable thrown) {
        return Thrown.ofSample(Source.STAGE, draw, this::name, thrown);
    }

    @Override
    public Entry entry(Element<A> element, long loadNanos) {
        return Entry.of(element.draw.epoch(), loadNanos);
    }

    @Override
    public void hit(int tier, SampleKey found, Element<A> element) {
        hits[tier].count(element.draw);
    }

    /** As {@link CachedDataset} counts it. */
    @Override
    public void joined(Element<A> element) {
        hits[0].count(element.draw);
    }

    @Override
    public void missed(Element<A> element) {
        misses.count(element.draw);
    }

    @Override
    public void stored(SampleKey stored, Element<A> element) {}

    @Override
    void report(RunStatistics.Tally tally) {
        super.report(tally);
        tally.source(Source.STAGE, loads);
        for (int i = 0; i < hits.length; i++) {
            tally.hits(tiers.get(i).name(), hits[i]);
        }
        tally.misses(misses);
    }

    @Override
    public String toString() {
        return input + "\ncache " + tiers.stream().map(Tier::name).toList();
    }
}
