package io.penstock.pipeline;

import io.penstock.cache.Cache;
import io.penstock.cache.SampleKey;
import io.penstock.fault.SampleException;
import io.penstock.internal.Arguments;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.tensor.Codec;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The stages of a pipeline for a plain {@code Flux}: for data that arrive and have no addresses, such as those of a
 * broker. Data that can be addressed are better a {@link Dataset}, whose order, shards and resuming need no state.
 * <pre>{@code
 *  flux.transform(Samples.numbered(42))
 *      .transform(Samples.map("parse", Line::parse))
 *      .transform(Samples.augment("flip", Photo::flip))
 *      .transform(Batches.of(256, schema))
 * }</pre>
 *
 * <p>{@link #numbered} comes first. It gives each element its draw: epoch 0, which does not end, and a running number
 * as the index. A {@link io.penstock.stream.ShuffleBuffer} stands before it. The other operators keep the draws, so
 * {@code Batches} cuts batches as it does behind a pipeline, and {@code batch.next().offset()} is the number of the
 * first element that is in no batch yet. They also work behind {@link Pipeline#stream}.
 *
 * <p><b>Memory</b>: the elements asked for and not delivered, at most {@code inFlight}. <b>Threads</b>: as
 * {@link Pipeline#stream(io.penstock.order.Sampler, Execution)}; neighbouring operators run in one call. The source is
 * asked for more on the thread that delivers, which must not block: a source that blocks takes {@code subscribeOn}.
 * <b>Emits when</b> the oldest element is through, in the order of arrival, at any parallelism.
 * <b>Backpressures when</b> {@code inFlight} elements are ahead of what was delivered; asks the source for nothing
 * before the first request, and never for more than {@code inFlight} ahead. <b>Completes when</b> the source has and
 * all is delivered. <b>Cancels when</b> the subscriber does: the source and loads in flight are cancelled, and samples
 * that wait go to {@code doOnDiscard}. <b>Errors</b>: the first failure in order, which cancels the source; a
 * failing stage as a {@link SampleException} with the stage and the number. The source's own error comes after the
 * elements before it.
 */
public final class Samples {

    private Samples() {}

    /** Numbers the elements from 0; see {@link #numbered(long, long)}. */
    public static <T> Function<Flux<T>, Flux<Sample<T>>> numbered(long seed) {
        return numbered(seed, 0);
    }

    /**
     * Makes each element a sample, whose random numbers depend on (seed, its number, stage) alone.
     * @param from the number of the first element. A run that goes on passes that of the first element it has not
     *     committed, and reads its source from there: augmentation is then the same as it was
     * @throws IllegalArgumentException if negative
     */
    public static <T> Function<Flux<T>, Flux<Sample<T>>> numbered(long seed, long from) {
        Arguments.refuse(from < 0, "the number of the first element must not be negative, was %s", from);
        return flux -> flux.index((nth, value) -> {
            long number = from + nth;
            return Sample.of(new Draw(seed, 0, number, new Position(0, number + 1)), value);
        });
    }

    /**
     * Makes each element a sample, whose random numbers depend on (seed, its own number, stage) alone: for elements
     * that have addresses, such as a partition and an offset, and come in any order. They are the same whenever the
     * element comes again. Positions count from 0.
     * @param number of an element, not negative
     */
    public static <T> Function<Flux<T>, Flux<Sample<T>>> numbered(long seed, ToLongFunction<? super T> number) {
        return flux -> flux.index((nth, value) ->
                Sample.of(new Draw(seed, 0, number.applyAsLong(value), new Position(0, nth + 1)), value));
    }

    /**
     * The operators that follow run as this says; on {@link Execution#standard} unless set. Place it before the first
     * of them, or between two: those behind it then run on their own.
     */
    public static <T> Function<Flux<Sample<T>>, Flux<Sample<T>>> on(Execution execution) {
        return flux -> StagedFlux.over(flux, execution);
    }

    /** Through a deterministic function, as {@link Pipeline#map}. */
    public static <T, R> Function<Flux<Sample<T>>, Flux<Sample<R>>> map(
            String stage, Function<? super T, ? extends R> fn) {
        return flux -> StagedFlux.then(flux, samples -> samples.<R>map(stage, fn));
    }

    /** Through a random function, as {@link Pipeline#augment}. */
    public static <T> Function<Flux<Sample<T>>, Flux<Sample<T>>> augment(String stage, RandomTransform<T> transform) {
        return flux -> StagedFlux.then(flux, samples -> samples.augment(stage, transform));
    }

    /**
     * What the cache holds under each element's key, or what the loader makes of the element. A hit skips the loader.
     * Elements of one key that come at the same time share its load. A tier that fails is a miss.
     * @param cache  stays the caller's to close
     * @param key    names everything that decides the value, and the loader's version:
     *     {@code SampleKey.of(line.url(), "resize 224")}. The codec's id is added
     * @param codec  how values are kept; a {@link io.penstock.tensor.Schema} is one
     * @param loader as {@link Dataset#get}: reading that blocks belongs on a scheduler that may. An empty {@code Mono}
     *     makes a sample without a value, which is not kept. Retries belong here
     */
    public static <T, R> Function<Flux<Sample<T>>, Flux<Sample<R>>> cached(
            Cache cache,
            Function<? super T, SampleKey> key,
            Codec<R> codec,
            Function<? super T, ? extends Mono<? extends R>> loader) {
        return flux -> StagedFlux.then(flux, samples -> new KeyedStage<>(samples, cache, key, codec, loader));
    }

    /**
     * With elements left out that failed in the operators before it, as {@link Pipeline#onError}; those still count as
     * draws. Operators stand before it if they follow the source, or {@link #on}, without another one between.
     * @throws IllegalArgumentException if the policy retries, substitutes, or has a budget that is a share: an element
     *     comes once, and how many there are is not known
     */
    public static <T> Function<Flux<Sample<T>>, Flux<Sample<T>>> onError(ErrorPolicy policy) {
        ErrorPolicy checked = policy.withoutReloads();
        return flux -> StagedFlux.then(flux, samples -> samples.onError(checked));
    }

    /**
     * What the neighbouring operators that end in this flux did up to now, over all its subscriptions.
     * @throws IllegalArgumentException if it is not what an operator of this class returned
     */
    public static RunStatistics statistics(Flux<?> flux) {
        if (flux instanceof StagedFlux<?, ?> staged) {
            return staged.stage.statistics();
        }
        throw new IllegalArgumentException("only what an operator of Samples returned has statistics; was "
                + flux.getClass().getName());
    }
}
