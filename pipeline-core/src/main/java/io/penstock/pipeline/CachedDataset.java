package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Lookup;
import io.penstock.cache.MeasuredLoader;
import io.penstock.cache.Producer;
import io.penstock.cache.Provenance;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.internal.Begun;
import io.penstock.internal.Span;
import io.penstock.internal.Spans;
import io.penstock.internal.StageMeter;
import io.penstock.order.Draw;
import io.penstock.stream.internal.OrderedMerge;
import io.penstock.stream.internal.Workers;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A dataset whose samples are kept in a cache: a hit skips everything above, a miss loads once for all callers. */
final class CachedDataset<T> extends Stage<T> implements Dataset<T>, Lookup.Loader<Draw, T>, MeasuredLoader<Draw, T> {

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
    private final Stage<?> loaded; // the input, or the same with origins
    private final @Nullable StageMeter unpacking; // of a cache that may hold packed values
    private final @Nullable StageMeter remaking; // of one that may hold origins
    private volatile States states = new States(List.of(), 0);
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
        boolean forms = Lookup.mayUnpack(cache, codec);
        Stage<?> origins = forms ? input.withOrigin() : null;
        this.loaded = origins == null ? input : origins;
        this.unpacking = forms ? new StageMeter() : null;
        this.remaking = origins == null ? null : new StageMeter();
        this.lookup = new Lookup<>(cache, codec, this, verifier);
        this.misses = meters(input.parts());
        this.hits = tiers.stream().map(tier -> meters(misses.length)).toArray(StageMeter[][]::new);
    }

    /** The state of the last sample, which others of its file have too, and its hash in a {@link Provenance}. */
    private record States(List<String> words, long hash) {}

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
        @Nullable ByteBuffer[] found = lookup.findAll(keys, draws, begun, views);
        countHits(draws, found);
        Span tracing = Spans.begin(); // one question for all of them: they are hit in a microsecond
        for (int i = 0; tracing != null && i < draws.length; i++) {
            if (found[i] != null) {
                traced(Spans.begin(), 0, draws[i]);
            }
        }
    }

    private void traced(@Nullable Span span, int tier, Draw draw) {
        if (span != null) {
            span.end(
                    Span.Kind.HIT,
                    tiers.get(tier).name(),
                    draw,
                    () -> id(draw.index()).key().toString());
        }
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
            long loaded = loaded();
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
        List<String> words = id.state();
        States last = states;
        if (last.words != words) {
            last = new States(words, Provenance.of("", words, producerId).state());
            states = last;
        }
        long sample = Provenance.of(id.name(), List.of(), producerId).sample();
        return entry.from(new Provenance(sample, last.hash, producerId));
    }

    @Override
    public Object beginLoad(Draw draw) {
        return loaded.begin(draw);
    }

    /** Only a load in groups gains: what else is above begins each by itself, once it is known that no other load has it. */
    @Override
    public void beginLoads(List<Draw> draws, @Nullable Object[] begun) {
        if (input.groupSize() > 1 && draws.size() > 1) {
            Object[] loads = new Object[begun.length];
            loaded.beginAll(draws.toArray(Draw[]::new), loads);
            for (int i = 0; i < loads.length; i++) {
                begun[i] = loads[i] instanceof Begun.Failed ? null : loads[i];
            }
        }
    }

    @Override
    public void hit(int tier, SampleKey key, Draw draw) {
        hits[tier][part(draw)].count(draw);
        traced(Spans.begin(), tier, draw);
    }

    /** A hit: with a load that an earlier epoch began it would be a miss of an epoch without loads. */
    @Override
    public void joined(Draw draw) {
        hits[0][part(draw)].count(draw);
        traced(Spans.begin(), 0, draw);
    }

    @Override
    public void missed(Draw draw) {
        misses[part(draw)].count(draw);
    }

    @Override
    public void stored(SampleKey key, Draw draw) {}

    @Override
    public MeasuredLoader.Drawn drawn(Draw draw) {
        long left = draw.left() == Draw.UNKNOWN ? Math.max(0, size() - loaded()) : draw.left();
        return new MeasuredLoader.Drawn(part(draw), draw.epoch(), left);
    }

    @Override
    public MeasuredLoader.Spent spent(Draw draw) {
        long loads = 0;
        double processor = 0;
        double source = 0;
        String others = "part (?!%d:).*".formatted(part(draw));
        for (StageStatistics stage : input.statistics(draw.epoch()).stages()) {
            boolean passed = misses.length == 1 || !stage.name().matches(others);
            double mean = passed ? (double) stage.time().toNanos() / Math.max(1, stage.samples()) : 0;
            boolean isSource = stage.kind() == StageStatistics.Kind.SOURCE;
            source += isSource ? mean : 0;
            processor += isSource ? 0 : mean;
            loads += isSource && passed ? stage.samples() : 0;
        }
        return new MeasuredLoader.Spent(loads, loads * processor, loads * source);
    }

    @Override
    public Mono<ByteBuffer> unpacked(Callable<ByteBuffer> unpack, Draw draw) {
        return Mono.deferContextual(context -> Mono.fromCallable(() -> {
                    long started = System.nanoTime();
                    ByteBuffer bytes = unpack.call();
                    Objects.requireNonNull(unpacking).stop(draw, started);
                    return bytes;
                })
                .subscribeOn(Workers.of(context)));
    }

    @Override
    public Mono<T> remade(ByteBuffer origin, Draw draw) {
        return Mono.deferContextual(context -> Mono.fromCallable(() -> {
                    T sample = input.made(origin, draw);
                    if (remaking != null) {
                        remaking.count(draw); // the stages count its time
                    }
                    return sample;
                })
                .subscribeOn(Workers.of(context)));
    }

    private long loaded() {
        return Arrays.stream(misses)
                .mapToLong(part -> part.total().samples.sum())
                .sum();
    }

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
        if (unpacking != null) {
            tally.stage(RunStatistics.UNPACK, unpacking);
        }
        if (remaking != null) {
            tally.stage(RunStatistics.REMAKE, remaking);
        }
        if (verifier != null) {
            tally.rechecks(verifier.verified, verifier.differing);
        }
    }

    @Override
    public String toString() {
        return input + "\ncache " + tiers.stream().map(Tier::name).toList();
    }
}
