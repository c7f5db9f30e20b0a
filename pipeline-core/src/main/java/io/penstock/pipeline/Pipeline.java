package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.fault.SampleException;
import io.penstock.order.Draw;
import io.penstock.order.DrawnGroups;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Samples as a function of a draw: (seed, epoch, index). A pipeline that depends on the index alone is a
 * {@link Dataset}. Any other pipeline has a random stage, and so has no {@code cache}: caching after augmentation does
 * not compile.
 *
 * <p>Every method returns another pipeline over this one. Nothing is loaded before a subscriber requests it.
 * <p><b>Memory</b>: none a sample. <b>Threads</b>: immutable and thread-safe.
 */
public sealed interface Pipeline<T> permits Dataset, Stage {

    /** The number of samples in one epoch, over all ranks. */
    long size();

    /** What decides the values: pipelines of the same fingerprint give the same values for the same draws. */
    Fingerprint fingerprint();

    /** The fingerprint of the data alone, without the stages. */
    default Fingerprint source() {
        return fingerprint();
    }

    /** The name of the sample of an index, as {@link SampleId#name} has it. */
    default String name(long index) {
        return Stage.of(this).id(index).name();
    }

    /** The sample of a draw: the same draw, the same value. Empty where an {@link ErrorPolicy} skipped it. */
    Mono<T> load(Draw draw);

    /**
     * The same samples through a deterministic function.
     *
     * <p>Runs on the workers of the {@link Execution}, several samples at once, so {@code fn} must be thread-safe and
     * must not block. What it throws ends the stream as a {@link SampleException} unless {@link #onError} says
     * otherwise.
     * @param stage the stage's name: part of the fingerprint, metric tag, place in an error. A stage whose results
     *     change must change its name, so say the parameters: {@code "resize 224"}
     */
    default <R> Pipeline<R> map(String stage, Function<? super T, ? extends R> fn) {
        Stage<T> input = Stage.of(this);
        return FunctionStage.over(input, StageFunction.map(stage, fn, input::id));
    }

    /**
     * The same samples through a random function, whose generator depends on (seed, epoch, index, turn, stage) alone.
     * @param stage as for {@link #map}; two stages of one name get the same random numbers
     */
    default Pipeline<T> augment(String stage, RandomTransform<T> transform) {
        Stage<T> input = Stage.of(this);
        return FunctionStage.over(input, StageFunction.augment(stage, transform, input::id));
    }

    /**
     * Groups of samples that are other ones in each epoch, such as batches of P classes by K samples. Each sample is
     * augmented by its own draw. Sizes, order and resuming are those of the groups.
     */
    default Pipeline<Group<T>> group(DrawnGroups groups) {
        return new GroupedPipeline<>(Stage.of(this), groups);
    }

    /** The same samples, with those that fail retried, skipped or replaced. */
    default Pipeline<T> onError(ErrorPolicy policy) {
        return new TolerantPipeline<>(Stage.of(this), policy);
    }

    /** The stream of a sampler's draws on {@link Execution#standard}; see {@link #stream(Sampler, Execution)}. */
    default Flux<Sample<T>> stream(Sampler sampler) {
        return stream(sampler, Execution.standard());
    }

    /**
     * Loads a sampler's draws and delivers them in draw order, at any parallelism, also where some loads are slow.
     * <pre>{@code
     *  draws   d0 d1 d2 d3 …
     *  loads   [--d0--][-d1-]      up to inFlight at once
     *               [d2][d3]
     *  out     -------d0-d1d2d3-|
     * }</pre>
     * <p><b>Memory</b>: a slot a load in flight, 4 to 8 bytes, and the samples loaded ahead. <b>Threads</b>: signals
     * come from the thread that finished the oldest sample: a worker, an I/O thread, or, where samples are at hand
     * without work (a RAM hit), the thread that requested. Put a {@code publishOn} before a consumer that blocks; the
     * batching sink brings its own.
     * <p><b>Emits when</b> the oldest draw is loaded: one {@link Sample} a draw, without a value where it was skipped
     * or pads. <b>Backpressures when</b> {@code inFlight} samples are ahead of what was delivered; begins nothing
     * before the first request. <b>Completes when</b> the last draw of the last epoch is delivered; the next epoch's
     * loads begin while this one ends. <b>Cancels when</b> the subscriber cancels: loads in flight are cancelled at
     * once, and their values dropped. <b>Errors</b>: the first failure in draw order, which cancels the other loads.
     */
    default Flux<Sample<T>> stream(Sampler sampler, Execution execution) {
        return Stage.of(this).merge(sampler, execution, null);
    }

    /** The same with a bound in bytes on what is loaded ahead, for samples that are huge or of very different sizes. */
    default Flux<Sample<T>> stream(Sampler sampler, Execution execution, ReadAhead<? super T> readAhead) {
        return Stage.of(this).merge(sampler, execution, readAhead);
    }

    /** How many loads the stream that was subscribed to last has in flight at most, and what decided it. */
    default LoadsInFlight loadsInFlight() {
        return Stage.of(this).loadsInFlight();
    }

    /**
     * What was loaded, hit, skipped and how long each stage took in one epoch; recent epochs only. Stages keep the counts,
     * so those of a source that nothing follows are 0.
     */
    default RunStatistics statistics(long epoch) {
        RunStatistics.Tally tally = RunStatistics.Tally.of(epoch);
        Stage.of(this).report(tally);
        return tally.total();
    }

    /** The same over all epochs since the pipeline was made; counts never fall, so that they can be watched. */
    default RunStatistics statistics() {
        RunStatistics.Tally tally = RunStatistics.Tally.ofAll();
        Stage.of(this).report(tally);
        return tally.total();
    }
}
