package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.HitCheck;
import io.penstock.cache.Producer;
import io.penstock.cache.Tier;
import io.penstock.fault.SampleException;
import io.penstock.internal.Arguments;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Parts;
import io.penstock.internal.index.Selection;
import io.penstock.internal.index.Splits;
import io.penstock.order.Draw;
import io.penstock.order.internal.Mixing;
import io.penstock.tensor.Codec;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Samples by index, the same for the same index every time, and so what can be cached. The extension point for sources:
 * three methods to implement, and {@link #id} where samples have names and states of their own. What changes how another
 * dataset's samples are loaded is made by {@link #wrapping}.
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
     * Loads what these samples and their neighbours lie in, such as row groups, if this keeps it for a while. A stream
     * in windows asks for those that come next while it delivers the ones before:
     * {@link io.penstock.order.Sampler#windowed}. Cancelled with the stream; its failures are dropped, as the samples
     * tell theirs. Nothing unless overridden.
     * @param indices the first and the last sample of each window
     */
    default Mono<Void> prefetch(long[] indices) {
        return Mono.empty();
    }

    /**
     * What a sample is known by. By default that is the dataset's fingerprint and the index, so another fingerprint
     * reloads every sample. A source whose samples have names and states of their own says so here, and then a change
     * of one sample reloads that one alone.
     */
    default SampleId id(long index) {
        return SampleId.of(fingerprint(), index);
    }

    /**
     * The same samples, loaded in another way: retried, delayed, counted. They keep their names, keys and neighbours. A
     * decorator that implements this interface itself would lose them where it overrides neither {@link #id} nor
     * {@link #prefetch}.
     * <pre>{@code
     *  Dataset<Row> patient = Dataset.wrapping(table, index -> table.get(index).retry(3));
     * }</pre>
     * @param get as {@link #get}, of the same values
     */
    static <T> Dataset<T> wrapping(Dataset<T> dataset, LongFunction<? extends Mono<T>> get) {
        return new Source<>(dataset, get);
    }

    @Override
    default Mono<T> load(Draw draw) {
        return get(draw.index());
    }

    @Override
    default <R> Dataset<R> map(String stage, Function<? super T, ? extends R> fn) {
        return MappedDataset.mapped(Stage.of(this), StageFunction.map(stage, fn, this::id));
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

    /**
     * The same samples, which a cache may keep in place of what the next stages make of them: files in place of decoded
     * pictures. It does so as its {@link io.penstock.tensor.Form.Use} says, and makes a hit's sample anew.
     * <pre>{@code
     *  files.keepable(Schema.of(LabelledFile.class)).map("decode", decode).cache(cache.withForm(form, AUTO), schema)
     * }</pre>
     * @param codec of these samples
     */
    default Dataset<T> keepable(Codec<T> codec) {
        return new KeepableDataset<>(Stage.of(this), codec);
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
     * The samples whose indices the predicate takes, renumbered from 0. Their keys stay. Nothing is loaded: the
     * predicate may ask for {@link #name}, {@link #id} or a source's label of an index. It is called once for each
     * index, now, on several threads.
     * <p><b>Memory</b>: 1.04 bits a sample.
     * @param stage the predicate's name: part of the fingerprint, so say its parameters
     */
    default Dataset<T> selectIf(String stage, LongPredicate indices) {
        return new SelectedDataset<>(Stage.of(this), Bits.of(size(), indices), "select " + stage);
    }

    /** As {@link #filter(String, Predicate, Indexing)}, with an index in memory. */
    default Mono<Dataset<T>> filter(String stage, Predicate<? super T> predicate) {
        return filter(stage, predicate, Indexing.inMemory());
    }

    /**
     * The samples that a predicate takes, renumbered from 0: {@link #size} is exact, batches are full, ranks in step.
     * Their keys stay. Every sample is loaded and examined once, at each subscription, unless the index of an earlier
     * process is kept. So put a cache before the filter if loads are expensive. Cancelling ends the pass; what it found
     * is kept.
     * <p><b>Memory</b>: 1.04 bits a sample. <b>Threads</b>: the predicate runs on the workers and must not block.
     * @param stage the predicate's name: part of the fingerprint, so say its parameters
     * @return the filtered data; fails with a {@link SampleException} if a sample cannot be loaded, or the predicate
     *     throws, and the indexing's policy does not skip it; with a {@link io.penstock.fault.StoreException} if the index
     *     cannot be kept; with an {@link IllegalArgumentException} if it takes none of the samples
     */
    default Mono<Dataset<T>> filter(String stage, Predicate<? super T> predicate, Indexing indexing) {
        Stage<T> input = Stage.of(this);
        String words = "filter " + stage;
        return new IndexBuild<>(input, words, value -> predicate.test(value) ? 1 : 0, indexing)
                .bits(false)
                .map(taken -> SelectedDataset.filtered(input, taken, stage, words));
    }

    /**
     * Every sample in {@code each} parts: part p of sample s has the index {@code s * each + p}. A part loads its whole
     * sample, so put a cache before it, or a windowed order above it.
     * @param stage the function's name, as for {@link #map}
     * @param part  makes the part of this number, counted from 0, of a sample
     * @throws IllegalArgumentException if {@code each < 1}
     */
    default <R> Dataset<R> expand(String stage, int each, BiFunction<? super T, Integer, ? extends R> part) {
        Stage<T> input = Stage.of(this);
        return SelectedDataset.expanded(
                input, new Parts.Fixed(input.size(), each), stage + ", " + each + " each", part);
    }

    /**
     * Every sample in as many parts as it has; samples without a part are left out. The number of parts is counted once
     * for each sample, as {@link #filter(String, Predicate, Indexing)} examines them.
     * <p><b>Memory</b>: 1.04 bits a sample and 1.04 bits a part.
     * @param count the number of parts of a sample, 0 or more
     */
    default <R> Mono<Dataset<R>> expand(
            String stage,
            ToIntFunction<? super T> count,
            BiFunction<? super T, Integer, ? extends R> part,
            Indexing indexing) {
        Stage<T> input = Stage.of(this);
        return new IndexBuild<T>(input, "expand " + stage, count, indexing)
                .bits(true)
                .map(counted -> SelectedDataset.expanded(input, new Parts.Counted(counted), stage, part));
    }

    /**
     * One dataset for each share, dealt by a hash of each sample's {@link #name}: disjoint, and together all samples. A
     * sample never changes its part: not when others are added or removed, nor when its file is written again. Samples
     * of one name come into one part. So parts have their shares only as exactly as chance has it: of n samples, a share p
     * within {@code sqrt(p (1 - p) / n)}.
     * <p><b>Memory</b>: 1.04 bits a sample and part. Asks for every name, now.
     * @param shares in (0, 1], 1 in all; at most 127
     */
    default List<Dataset<T>> split(long seed, double... shares) {
        byte[] parts = Splits.byName(size(), index -> id(index).name(), seed, shares);
        String words = "split %s, seed %d".formatted(Arrays.toString(shares), seed);
        return SelectedDataset.parts(Stage.of(this), parts, shares.length, words);
    }

    /**
     * As {@link #split}, with the shares of every class exact to one sample. When samples are added, a few of their class
     * may change their part.
     * @param label the class of an index
     */
    default List<Dataset<T>> stratified(long seed, LongToIntFunction label, double... shares) {
        byte[] parts = Splits.byClass(size(), index -> id(index).name(), seed, label, shares);
        String words = "stratified %s, seed %d, labels %016x"
                .formatted(Arrays.toString(shares), seed, Mixing.hash(Arrays.toString(parts)));
        return SelectedDataset.parts(Stage.of(this), parts, shares.length, words);
    }

    /**
     * Cross-validation: {@code count} parts as {@link #split} makes them, each once as what is validated by.
     * @param count in [2, 127]
     */
    default List<Fold<T>> folds(long seed, int count) {
        Arguments.refuse(count < 2, "there must be at least 2 folds, was %s", count);
        double[] shares = new double[count];
        Arrays.fill(shares, 1.0 / count);
        byte[] parts = Splits.byName(size(), index -> id(index).name(), seed, shares);
        String words = "%d folds, seed %d".formatted(count, seed);
        Stage<T> input = Stage.of(this);
        return IntStream.range(0, count)
                .mapToObj(fold -> new Fold<>(
                        SelectedDataset.part(input, parts, fold, false, words),
                        SelectedDataset.part(input, parts, fold, true, words)))
                .toList();
    }

    /** The samples to train with and the others, to validate by. */
    record Fold<T>(Dataset<T> training, Dataset<T> validation) {}

    /**
     * The samples of all these datasets, one dataset after another, numbered on. Their keys stay, so caches before and
     * after are shared with pipelines over one part.
     * @throws IllegalArgumentException if there is none
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read
    static <T> Dataset<T> concat(Dataset<? extends T>... parts) {
        return concat(List.of(parts));
    }

    /** As {@link #concat(Dataset[])}. */
    static <T> Dataset<T> concat(List<? extends Dataset<? extends T>> parts) {
        return new ConcatDataset<>(parts.stream().map(ConcatDataset::<T>stage).toList());
    }

    /**
     * Pairs of samples of the same index.
     * @throws IllegalArgumentException if the sizes differ
     */
    default <U, R> Dataset<R> zip(
            String stage, Dataset<U> other, BiFunction<? super T, ? super U, ? extends R> combine) {
        return ZippedDataset.of(stage, Stage.of(this), Stage.of(other), combine);
    }

    /**
     * Pairs of samples of the same key, such as pictures and the rows of a table about them. A sample has the name of
     * its left side. Each side keeps its caches: put them before the join. Samples without a partner, and several right
     * ones of one key, are counted in the stage's words, and a warning tells of them. Asks for every name, now.
     * <p><b>Memory</b>: 8 bytes a left sample; 24 to 48 a right one until it returns.
     * @param stage   the function's name, as for {@link #map}
     * @param combine makes one sample of both; the right one is null where {@link Join#left} finds none
     * @throws IllegalArgumentException if no sample has a partner
     */
    default <U, R> Dataset<R> join(
            String stage,
            Dataset<U> other,
            Join join,
            BiFunction<? super T, ? super @Nullable U, ? extends R> combine) {
        return JoinedDataset.of(stage, Stage.of(this), Stage.of(other), join, combine);
    }

    /**
     * A number of each sample by index, such as its length: what groups are planned by. Each sample is loaded and examined
     * once, as for a {@link #filter}; over a cached dataset this pass fills the cache.
     * @param stage the function's name: a function whose results change must change its name
     * @return the numbers, 0 where a sample was skipped
     * @throws IllegalArgumentException if there are more samples than an array holds
     */
    default Mono<int[]> counts(String stage, ToIntFunction<? super T> count, Indexing indexing) {
        return new IndexBuild<T>(Stage.of(this), "count " + stage, count, indexing).counts();
    }

    /**
     * What a {@link Summary} finds out about all samples, in one pass that runs on all processors. The result is the same at
     * any parallelism. Where the indexing keeps it, a pass that was killed continues where it was. After a change of the data
     * the parts that changed alone are loaded: of a table the files, up to 8,192 rows at a time; of pictures each picture.
     * <p><b>Disk</b>: a summary a part. A part with a sample that was skipped is loaded again by the next pass.
     * @param stage the summary's name: what changes its result or its bytes must change its name
     * @return fails as {@link #filter(String, Predicate, Indexing)} does; what the summary throws ends the pass
     */
    default <S> Mono<S> summarise(String stage, Summary<? super T, S> summary, Indexing indexing) {
        return new SummaryBuild<T, S>(Stage.of(this), "summarise " + stage, summary, indexing).run();
    }

    /**
     * Groups of samples that are loaded together, such as the texts of one row. The groups are planned before anything
     * is loaded, so they are the same at every world size, and a position counts groups.
     * <p>Sizes, order and resuming are those of the groups. A group's key changes with that of each of its samples.
     */
    default Dataset<Group<T>> group(Grouping grouping) {
        return new GroupedDataset<>(Stage.of(this), grouping);
    }

    /** The producer that {@link #cache} announces to a tier: the source, the stages and the codec. */
    static Producer producer(Dataset<?> dataset, Codec<?> codec) {
        return Producer.of(dataset.fingerprint(), Stage.of(dataset).stages(), codec);
    }
}
