package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Producer;
import io.penstock.cache.Tier;
import io.penstock.internal.index.Selection;
import io.penstock.order.Draw;
import io.penstock.tensor.Codec;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * Samples by index, the same for the same index every time, and so what can be cached. The extension point for sources:
 * three methods to implement, and {@link #id} where samples have names and states of their own.
 * <p><b>Threads</b>: {@link #get} and {@link #id} are called from several threads at once.
 */
public non-sealed interface Dataset<T> extends Pipeline<T> {

    @Override
    long size();

    /** What decides the values: the source and its state. Same fingerprint, same values. */
    @Override
    Fingerprint fingerprint();

    /**
     * The sample at an index in {@code [0, size())}. Called from several threads at once.
     *
     * <p>Reading that blocks belongs on a scheduler that may ({@code Schedulers.boundedElastic()}). A {@code Mono} that
     * is a {@code Callable} ({@code Mono.just}, {@code fromCallable}) is called on the thread that wants the sample.
     */
    Mono<T> get(long index);

    /**
     * What a sample is known by. By default that is the dataset's fingerprint and the index, so another fingerprint
     * reloads every sample. A source whose samples have names and states of their own says so here, and then a change
     * of one sample reloads that one alone.
     */
    default SampleId id(long index) {
        return SampleId.of(fingerprint(), index);
    }

    @Override
    default Mono<T> load(Draw draw) {
        return get(draw.index());
    }

    @Override
    default <R> Dataset<R> map(String stage, Function<? super T, ? extends R> fn) {
        return MappedDataset.over(Stage.of(this), StageFunction.map(stage, fn, this::id));
    }

    /**
     * The same samples, kept in a cache once loaded: a hit skips everything above. Callers that want one sample at the
     * same time share its load. A tier that fails is a miss, logged once a cause.
     * @param cache where encoded samples are kept; stays the caller's to close
     * @param codec how; a {@link io.penstock.tensor.Schema} is one
     */
    default Dataset<T> cache(Cache cache, Codec<T> codec) {
        return new CachedDataset<>(Stage.of(this), cache, codec, null);
    }

    /** As {@link #cache(Cache, Codec)}, in a cache of one tier. */
    default Dataset<T> cache(Tier tier, Codec<T> codec) {
        return cache(Cache.of(tier), codec);
    }

    /**
     * As {@link #cache(Cache, Codec)}, with a share of the hits loaded again and compared with what the cache holds. A
     * checked hit costs a load and a comparison; it counts among the loads and in {@link RunStatistics#verified}.
     */
    default Dataset<T> cache(Cache cache, Codec<T> codec, HitCheck check) {
        return new CachedDataset<>(Stage.of(this), cache, codec, check);
    }

    /**
     * The samples of {@code [from, to)}, renumbered from 0. Their keys stay, so both share cache entries.
     * @throws IndexOutOfBoundsException unless {@code 0 <= from <= to <= size()}
     */
    default Dataset<T> slice(long from, long to) {
        return new SelectedDataset<>(
                Stage.of(this), Selection.Range.of(from, to, size()), "slice " + from + " to " + to);
    }

    /**
     * The samples of these indices, in this order, renumbered from 0. One may be named several times. Their keys stay.
     * <p><b>Memory</b>: 8 bytes an index.
     * @throws IndexOutOfBoundsException if one is not in {@code [0, size())}
     */
    default Dataset<T> select(long... indices) {
        Selection.Listed listed = Selection.Listed.of(indices, size());
        return new SelectedDataset<>(Stage.of(this), listed, "select " + listed);
    }

    /**
     * The samples of all these datasets, one dataset after another, numbered on. Their keys stay, so caches before and
     * after are shared with pipelines over one part.
     * @throws IllegalArgumentException if there is none
     */
    @SafeVarargs
    static <T> Dataset<T> concat(Dataset<? extends T>... parts) {
        return new ConcatDataset<>(Stream.of(parts).map(ConcatDataset::<T>stage).toList());
    }

    /**
     * Pairs of samples of the same index.
     * @throws IllegalArgumentException if the sizes differ
     */
    default <U, R> Dataset<R> zip(
            String stage, Dataset<U> other, BiFunction<? super T, ? super U, ? extends R> combine) {
        return ZippedDataset.of(stage, Stage.of(this), Stage.of(other), combine);
    }

    /** The producer that {@link #cache} announces to a tier: the source, the stages and the codec. */
    static Producer producer(Dataset<?> dataset, Codec<?> codec) {
        return Producer.of(dataset.fingerprint(), Stage.of(dataset).stages(), codec);
    }
}
