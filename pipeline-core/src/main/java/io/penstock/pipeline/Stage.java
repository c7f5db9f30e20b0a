package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.WithOrigin;
import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.internal.OrderedMerge;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What every stage is besides its public face: able to begin a sample without a {@code Mono} around it. It has inputs,
 * the stages above it, unless it is a {@link Source}.
 *
 * <p>A {@code Mono} a stage costs more than a RAM hit does. So {@link #begin} returns the value itself where it is at
 * hand, and a {@code Mono} only where the stream has to wait; {@code load} wraps that for callers outside.
 */
abstract non-sealed class Stage<T> implements Pipeline<T> {

    private final Fingerprint fingerprint;
    private final Stage<?>[] inputs;
    private volatile @Nullable Supplier<LoadsInFlight> inFlight;

    /** @param inputs the stages above, of one size; a stage without inputs overrides what this class asks them */
    Stage(Fingerprint fingerprint, Stage<?>... inputs) {
        this.fingerprint = fingerprint;
        this.inputs = inputs;
    }

    /** The stage behind a pipeline; a user's own dataset gets a {@link Source} around it. */
    static <T> Stage<T> of(Pipeline<T> pipeline) {
        if (pipeline instanceof Stage<T> stage) {
            return stage;
        }
        Dataset<T> dataset = (Dataset<T>) pipeline;
        return new Source<>(dataset);
    }

    /**
     * Begins a draw on the calling thread: returns its value, {@link Begun#ABSENT}, or a {@code Mono<T>} of it that is
     * cold and has not begun.
     * @throws RuntimeException the draw's failure, where it is known at once
     */
    abstract Object begin(Draw draw);

    /**
     * Begins several draws one after another: {@code begun[i]} gets what {@link #begin} returns for {@code draws[i]},
     * or a {@link Begun.Failed} of what it throws. A stage that waits for memory rather than for work waits once for
     * all of them.
     */
    void beginAll(Draw[] draws, Object[] begun) {
        for (int i = 0; i < draws.length; i++) {
            try {
                begun[i] = begin(draws[i]);
            } catch (Throwable e) {
                begun[i] = Begun.failed(e);
            }
        }
    }

    final OrderedMerge<T> merge(Sampler sampler, Execution execution, @Nullable ReadAhead<? super T> readAhead) {
        Draws draws = sampler.draws(size());
        return new OrderedMerge<T>(this::beginAll, groupSize(), this::prefetch, draws, execution, readAhead)
                .lending(lending())
                .telling(loads -> inFlight = loads);
    }

    /** How many draws it pays to begin at once, for the sake of a source that loads {@linkplain GroupLoader groups}. */
    int groupSize() {
        return Arrays.stream(inputs).mapToInt(Stage::groupSize).max().orElse(1);
    }

    @Override
    public final LoadsInFlight loadsInFlight() {
        Supplier<LoadsInFlight> last = inFlight;
        return last == null
                ? new LoadsInFlight(Execution.standard().inFlight(), LoadsInFlight.Bound.START)
                : last.get();
    }

    /** What begins the same samples as views of mapped files; null if they are never such views. */
    OrderedMerge.@Nullable Lending lending() {
        return null;
    }

    /** As {@link Dataset#prefetch}, of the inputs whose samples have the same indices. */
    public Mono<Void> prefetch(long[] indices) {
        return Mono.when(
                Arrays.stream(inputs).map(input -> input.prefetch(indices)).toList());
    }

    /** A draw as a {@code Mono} that begins it at each subscription. */
    @Override
    public final Mono<T> load(Draw draw) {
        return Mono.defer(Thrown.supplier(() -> Begun.toMono(begin(draw))));
    }

    /** The sample of an index, for datasets. Fails with an {@link IndexOutOfBoundsException} if there is none. */
    public final Mono<T> get(long index) {
        return Mono.defer(() -> load(Draw.of(Objects.checkIndex(index, size()))));
    }

    @Override
    public long size() {
        return inputs[0].size();
    }

    @Override
    public final Fingerprint fingerprint() {
        return fingerprint;
    }

    @Override
    public Fingerprint source() {
        return inputs[0].source();
    }

    /** The same samples with what they are made of; null where no dataset above is {@linkplain Dataset#keepable keepable}. */
    @Nullable Stage<WithOrigin<T>> withOrigin() {
        return null;
    }

    /** Makes a sample of its origin, on a worker. Only of a stage that has origins. */
    T made(ByteBuffer origin, Draw draw) {
        throw new IllegalStateException("nothing above is kept in place of the samples of " + this);
    }

    /** How many datasets lie one after another above; 1 where none are concatenated. */
    int parts() {
        return inputs.length == 0 ? 1 : inputs[0].parts();
    }

    /** Which of them has an index. */
    int part(long index) {
        return inputs.length == 0 ? 0 : inputs[0].part(index);
    }

    /** What a sample is known by. Behind a random stage its key is that of the dataset above, which no cache sees. */
    public SampleId id(long index) {
        return inputs[0].id(index);
    }

    /** The stages between the sources and what leaves this stage, as they are part of its keys. */
    Fingerprint stages() {
        Fingerprint all = Fingerprint.of();
        for (Stage<?> input : inputs) {
            all = all.with(input.stages());
        }
        return all;
    }

    /** How the samples are laid out, as far as a cache says it and no function follows. */
    @Nullable Schema<?> schema() {
        return null;
    }

    /** Adds what this stage and those above did in an epoch. */
    void report(RunStatistics.Tally tally) {
        for (Stage<?> input : inputs) {
            input.report(tally);
        }
    }
}
