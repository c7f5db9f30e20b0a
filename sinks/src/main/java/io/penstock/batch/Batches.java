package io.penstock.batch;

import io.penstock.batch.internal.RowForm;
import io.penstock.order.Remainder;
import io.penstock.pipeline.Group;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import io.penstock.stream.internal.Lent;
import io.penstock.stream.internal.OrderedMerge;
import io.penstock.tensor.Schema;
import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxOperator;
import reactor.core.scheduler.Scheduler;

/**
 * Stacks samples into batches along a new first axis, in memory that is used over and over.
 * <pre>{@code
 *  in   --s0--s1--s2--s3--s4|
 *  out  ---------[01]----[23]-[4]|
 *
 *  flux.transform(Batches.of(256, Schema.of(Photo.class)).remainder(Remainder.DROP))
 * }</pre>
 *
 * <p><b>Shapes.</b> A field {@code u8[h, w, c]} becomes {@code u8[n, h, w, c]}; engines want {@link
 * #channelsFirst}. All rows of a batch have one dtype and
 * shape; {@link #padShapes} lifts that.
 *
 * <p><b>Cutting.</b> A batch ends after n draws, and with its epoch, which it never straddles. Draws count whether they
 * brought a sample or not (skipped, padding), so all ranks cut at the same draws and have the same number of batches
 * wherever they have the same number of draws. Valid rows come first. What becomes of short batches is the
 * {@link #remainder}. {@link Batch#next} is where a run goes on that has consumed the batch: repeating nothing,
 * skipping nothing, at any world size and batch size.
 *
 * <p><b>Epochs.</b> The last batch of an epoch says so ({@link Batch#endsEpoch}) under every remainder. Under {@code
 * DROP} that is the last full one: what the epoch drops behind it is not drawn again, so its {@code next} is the start
 * of the next epoch. Behind a {@code filter} the number of draws does not tell which batch is the last; each is then
 * held back until the next sample comes, under {@code DROP} until the next full batch. A stream that completes ends the
 * epoch too; {@code next} is then behind its last sample. An epoch without a batch has no end that shows. Nor has the
 * first one, if a filter lets everything pass but its last samples, and those are more than two batches.
 *
 * <p><b>Order.</b> Samples must come in the order of their draws, which {@code flatMap}, {@code merge} and
 * {@code repeat} do not keep: a draw that does not lead beyond the one before is an error, since {@code next} would
 * skip or repeat samples. {@code filter}, {@code concatMap} and {@code flatMapSequential} keep it; several streams are
 * batched before they are merged.
 *
 * <p><b>Memory.</b> A ring of {@link #slots} batches, one direct buffer a field and slot, allocated when the first
 * sample shows its layout. {@link Batch#close} gives a slot back, from any thread, at any time. While all are held
 * nothing is asked of upstream, which so never runs ahead by more than {@code slots × n} draws, and those that release
 * a batch held back; under {@code DROP} behind a filter that takes a slot more. A batch that was dropped without being
 * closed is logged once, and its slot returns with new memory.
 *
 * <p><b>Threads.</b> Signals come from one thread of {@code Schedulers.boundedElastic()} a subscription, on which a
 * trainer may block; see {@link #consumeOn}. Nothing is asked of upstream before the first request. While the consumer
 * is fast, that thread asks upstream itself, so samples at hand are loaded, stacked and consumed without a hop; while
 * it is slow, {@link #fillOn} workers fill the free slots as it works. Samples are copied on the thread that upstream
 * signals from.
 *
 * <p>Completes after the last batch was emitted. An error, upstream's or that of samples which do not stack, comes
 * after the batches that were complete before it; the one in the making is lost. On cancel, upstream is cancelled and
 * batches not delivered are closed; the consumer's thread is not interrupted. Operators behind this one that hold
 * batches back ({@code publishOn}) lose them on cancel unless the flow ends in {@code doOnDiscard(Batch.class,
 * Batch::close)}.
 *
 * <p>Immutable; every method returns a copy, and one instance serves any number of streams.
 */
public final class Batches<T> implements Function<Flux<Sample<T>>, Flux<Batch>> {

    private final Collation<T> collation;
    private final BatchOptions options;

    private Batches(Collation<T> collation, BatchOptions options) {
        this.collation = collation;
        this.options = options;
    }

    /**
     * Batches of {@code n} draws, with the remainder kept, over a ring of three slots.
     * @throws IllegalArgumentException if {@code n} is not in {@code [1, 16,777,216]}
     */
    public static <T> Batches<T> of(int n, Schema<T> schema) {
        return new Batches<>(Collation.of(n, schema), BatchOptions.standard());
    }

    /**
     * A batch a group, of any number of samples, padded as by {@link #padShapes}: for groups that were planned
     * by length, such as those of at most n tokens.
     *
     * <p>All ranks have the same number of batches wherever they have the same number of draws. A group that was skipped
     * makes a batch without a row. Slots grow to the largest batch. A remainder of {@code PAD} is refused.
     * @throws IllegalArgumentException if a companion of {@link #padShapes} has the name of a field
     */
    public static <T> Batches<Group<T>> ofGroups(Schema<T> schema) {
        return new Batches<>(Collation.ofGroups(schema), BatchOptions.standard());
    }

    /**
     * What becomes of a batch that its epoch cuts short, and of draws without a sample.
     *
     * <p>{@code KEEP}, unless set: rows are what samples there are, down to none ({@code [0, …]}), so that ranks keep
     * step. {@code DROP}: a batch of fewer than n draws is left out; a stream whose first whole epoch has no batch so
     * ends with an {@link IllegalStateException}. {@code PAD}: always n rows, zeros beyond {@link
     * Batch#size}, with a {@link Batch#mask}.
     *
     * <p>A batch without a row before any sample has shown what fields look like has fields of {@code u8[rows, 0]}.
     */
    public Batches<T> remainder(Remainder remainder) {
        return new Batches<>(collation.remainder(remainder), options);
    }

    /**
     * How many batches may be finished or held at once: the memory, and how far the stream works ahead.
     * @throws IllegalArgumentException if not in {@code [1, 65,536]}
     */
    public Batches<T> slots(int slots) {
        return new Batches<>(collation, options.slots(slots));
    }

    /**
     * Pads each field to its longest row in the batch, on every axis, with zeros behind.
     *
     * <p>Each field with axes gets a companion {@code NAME.length}, {@code i32[n]}: its rows' own lengths along their
     * first axis; a field with several axes also {@code NAME.shape}, {@code i32[n, axes]}. Rows beyond
     * {@link Batch#size} have zeros there. Dtype and number of axes must still agree.
     *
     * <p>The samples of a batch are held until it is complete, and copied then. Slots grow to the largest batch and
     * stay so.
     * @throws IllegalArgumentException if a companion has the name of a field
     */
    public Batches<T> padShapes() {
        return new Batches<>(collation.padShapes(), options);
    }

    /**
     * Batches samples of similar length together, each padded as by {@link #padShapes}: boundaries {@code 10, 20} make
     * the buckets {@code < 10}, {@code 10…19} and {@code ≥ 20}.
     *
     * <p>A batch ends when its bucket has n <em>samples</em>; at the end of an epoch every bucket is emitted, the one
     * waiting longest first, as the remainder says. So ranks no longer have the same number of batches, and an
     * empty batch is never emitted. The ring has one slot more for each bucket.
     *
     * <p>Resuming is at least once here: {@link Batch#next} is the position before the oldest sample that still waits
     * in a bucket, so nothing is skipped, but batches delivered between that sample and this batch are drawn again (it
     * is exact where nothing waits: at the end of an epoch). Ranks differ in it: resume all at the smallest.
     * @throws IllegalArgumentException if there is no boundary or they do not ascend
     */
    public Batches<T> bucketByLength(ToLongFunction<? super T> length, long... boundaries) {
        return new Batches<>(collation.buckets(Buckets.by(length, boundaries)), options);
    }

    /**
     * The same by the length of a field's first axis.
     * @throws IllegalArgumentException if there is no such field, or for the boundaries
     */
    public Batches<T> bucketByLength(String field, long... boundaries) {
        return new Batches<>(
                collation.buckets(Buckets.byField(collation.schema().names(), field, boundaries)), options);
    }

    /**
     * Adds the field {@code index}, {@code i64[n]}: which sample of the pipeline each row is, the index of its draw. {@link
     * io.penstock.pipeline.Pipeline#name} has its name. Rows beyond {@link Batch#size} have -1.
     *
     * <p>In a stream of numbered arrivals it is the arrival's number, of packed rows the row's. Where an error policy puts
     * another sample in a broken one's place, it stays that of the broken one.
     * @throws IllegalArgumentException if a field has that name, or for batches of groups, whose draws are of several
     *     samples
     */
    public Batches<T> withIndices() {
        return new Batches<>(collation.withIndices(), options);
    }

    /**
     * Delivers fields with their channels before their pixels, as DJL, PyTorch and most ONNX models take images: {@code
     * [h, w, c]} becomes {@code [n, c, h, w]}, {@code [t, h, w, c]} becomes {@code [n, t, c, h, w]}. Of any dtype. Rows
     * are transposed while they are copied into their batch, so there is no second copy. A sample of another number of
     * axes ends the stream with an {@link IllegalArgumentException} that names the field.
     * @throws IllegalArgumentException if there is no such field, or it is one of {@link #asLongs}
     */
    public Batches<T> channelsFirst(String... fields) {
        return new Batches<>(collation.form(RowForm.CHANNELS_FIRST, fields), options);
    }

    /**
     * Delivers fields of integers as {@code i64}, as PyTorch takes labels. A sample of {@code u64} or of floats ends the
     * stream with an {@link IllegalArgumentException} that names the field.
     * @throws IllegalArgumentException if there is no such field, or it is one of {@link #channelsFirst}
     */
    public Batches<T> asLongs(String... fields) {
        return new Batches<>(collation.form(RowForm.LONGS, fields), options);
    }

    /** Where batches are consumed, on one worker of it; {@code boundedElastic()} unless set. */
    public Batches<T> consumeOn(Scheduler scheduler) {
        return new Batches<>(collation, options.consumeOn(scheduler));
    }

    /**
     * Where upstream is asked for more while a slow consumer works; the {@linkplain Execution#standard standard}
     * workers unless set.
     */
    public Batches<T> fillOn(Scheduler scheduler) {
        return new Batches<>(collation, options.fillOn(scheduler));
    }

    /**
     * Memory of another kind, such as pinned: called with a number of bytes, once a field and slot (again to grow), on
     * threads that must not block; returns a buffer of at least as many from 0 on. Unless set, direct buffers aligned
     * to 64 bytes.
     */
    public Batches<T> allocator(IntFunction<ByteBuffer> allocator) {
        return new Batches<>(collation, options.allocator(allocator));
    }

    @Override
    public Flux<Batch> apply(Flux<Sample<T>> samples) {
        return new BatchFlux<>(samples, this);
    }

    @Override
    public String toString() {
        return collation + ", " + options.slots() + " slots";
    }

    /** The batches of a stream: each subscription has its own ring. */
    private static final class BatchFlux<T> extends FluxOperator<Sample<T>, Batch> {

        private final Batches<T> batches;

        BatchFlux(Flux<Sample<T>> source, Batches<T> batches) {
            super(source);
            this.batches = batches;
        }

        @Override
        @SuppressWarnings("unchecked") // a merge of samples lends such samples
        public void subscribe(CoreSubscriber<? super Batch> actual) {
            Lent<T> lent = source instanceof OrderedMerge<?> merge && batches.collation.buckets() == null
                    ? ((OrderedMerge<T>) merge).lent()
                    : null;
            if (lent == null) {
                source.subscribe(new BatchRun<>(batches.collation, batches.options, actual));
            } else {
                new MappedBatches<>(lent, batches.collation, batches.options).subscribe(actual);
            }
        }

        @Override
        public String toString() {
            return batches.collation.toString();
        }
    }
}
