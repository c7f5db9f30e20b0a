package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Lookup;
import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.internal.StageMeter;
import io.penstock.order.Draw;
import io.penstock.stream.internal.OrderedMerge;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A dataset whose samples are kept in a cache: a hit skips everything above, a miss loads once for all callers. */
final class CachedDataset<T> extends Stage<T> implements Dataset<T>, Lookup.Loader<Draw, T> {

    final Stage<T> input;
    private final List<Tier> tiers;
    private final Codec<T> codec;
    private final Fingerprint layout;
    private final Producer producer;
    private final int producerId;
    private final @Nullable HitVerifier<T> verifier;
    private final Lookup<Draw, T> lookup;
    private final StageMeter[][] hits; // by tier and part
    private final StageMeter[] misses; // by part
    private volatile long loadedBefore; // when a stream last asked for what comes next

    CachedDataset(Stage<T> input, Cache cache, Codec<T> codec, @Nullable HitCheck check) {
        super(input.fingerprint(), input);
        this.input = input;
        this.tiers = cache.tiers();
        this.codec = codec;
        this.layout = Fingerprint.of(codec);
        this.producer = Producer.of(input.fingerprint(), input.stages(), codec);
        this.producerId = producer.id();
        this.verifier = check == null ? null : new HitVerifier<>(check, input, codec);
        this.lookup = new Lookup<>(cache, codec, this, verifier);
        this.misses = meters(input.parts());
        this.hits = tiers.stream().map(tier -> meters(misses.length)).toArray(StageMeter[][]::new);
    }

    private static StageMeter[] meters(int parts) {
        return Stream.generate(StageMeter::new).limit(parts).toArray(StageMeter[]::new);
    }

    private int part(Draw draw) {
        return misses.length == 1 ? 0 : input.part(draw.index());
    }

    @Override
    Object begin(Draw draw) {
        return lookup.find(id(draw.index()).key(), draw);
    }

    @Override
    void beginAll(Draw[] draws, Object[] begun) {
        beginAll(draws, begun, false);
    }

    @Override
    OrderedMerge.@Nullable Lending lending() {
        return lookup.lends()
                ? new OrderedMerge.Lending((draws, begun) -> beginAll(draws, begun, true), lookup::lost)
                : null;
    }

    private void beginAll(Draw[] draws, Object[] begun, boolean views) {
        SampleKey[] keys = new SampleKey[draws.length];
        try {
            for (int i = 0; i < draws.length; i++) {
                keys[i] = id(draws[i].index()).key();
            }
        } catch (Throwable e) { // of one draw, so each begins by itself and fails by itself
            if (views && e instanceof InternalError fault) {
                throw fault; // perhaps of a view that was lent before: who copied it has to learn of it
            }
            super.beginAll(draws, begun);
            return;
        }
        countHits(draws, lookup.findAll(keys, draws, begun, views));
    }

    /** Counts the draws that the fastest tier answered, neighbours of one epoch at once. */
    private void countHits(Draw[] draws, @Nullable ByteBuffer[] found) {
        long[] hit = new long[misses.length];
        long epoch = draws[0].epoch();
        for (int i = 0; i < draws.length; i++) {
            if (draws[i].epoch() != epoch) {
                countHits(epoch, hit);
                epoch = draws[i].epoch();
            }
            if (found[i] != null) {
                hit[part(draws[i])]++;
            }
        }
        countHits(epoch, hit);
    }

    private void countHits(long epoch, long[] hit) {
        for (int part = 0; part < hit.length; part++) {
            if (hit[part] > 0) {
                hits[0][part].count(epoch, hit[part]);
                hit[part] = 0;
            }
        }
    }

    /** Nothing, unless samples were loaded since the last time: what comes next is cached most likely. */
    @Override
    public Mono<Void> prefetch(long[] indices) {
        return Mono.defer(() -> {
            long loaded = Arrays.stream(misses)
                    .mapToLong(part -> part.total().samples.sum())
                    .sum();
            boolean loads = loaded > loadedBefore;
            loadedBefore = loaded;
            return loads ? input.prefetch(indices) : Mono.empty();
        });
    }

    @Override
    public SampleId id(long index) {
        return input.id(index).with(layout);
    }

    @Override
    public Entry entry(Draw draw, long loadNanos) {
        Entry entry = Entry.of(draw.epoch(), loadNanos);
        if (!lookup.keepsProvenance(producer)) {
            return entry;
        }
        SampleId id = id(draw.index());
        return entry.from(Provenance.of(id.name(), id.state(), producerId));
    }

    @Override
    public Object beginLoad(Draw draw) {
        return input.begin(draw);
    }

    @Override
    public void hit(int tier, SampleKey key, Draw draw) {
        hits[tier][part(draw)].count(draw);
    }

    /** A hit: with a load that an earlier epoch began it would be a miss of an epoch without loads. */
    @Override
    public void joined(Draw draw) {
        hits[0][part(draw)].count(draw);
    }

    @Override
    public void missed(Draw draw) {
        misses[part(draw)].count(draw);
    }

    @Override
    public void stored(SampleKey key, Draw draw) {}

    @Override
    Fingerprint stages() {
        return input.stages().with(layout);
    }

    @Override
    @Nullable Schema<?> schema() {
        return codec instanceof Schema<?> schema ? schema : null;
    }

    @Override
    void report(RunStatistics.Tally tally) {
        super.report(tally);
        for (int i = 0; i < hits.length; i++) {
            tally.hits(tiers.get(i).name(), hits[i]);
        }
        tally.misses(misses);
        if (verifier != null) {
            tally.rechecks(verifier.verified, verifier.differing);
        }
    }

    @Override
    public String toString() {
        return input + "\ncache " + tiers.stream().map(Tier::name).toList();
    }
}
