package io.penstock.batch;

import io.penstock.internal.DrainLoop;
import io.penstock.internal.Thrown;
import io.penstock.order.Position;
import io.penstock.order.internal.ShuffleSlots;
import io.penstock.stream.ShuffleBuffer;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;

/**
 * Commits a source's own offsets, once the batches that hold its elements were closed.
 * <pre>{@code
 *  Commits<Long> commits = Commits.at(saved.offset(), saved.number(), log::commit);
 *
 *  log.read(saved.offset())
 *      .transform(commits.offsets(Line::end))
 *      .transform(Samples.numbered(seed, saved.number()))
 *      .transform(Samples.map("parse", Line::parse))
 *      .transform(Batches.of(256, schema))
 *      .transform(commits.onClose())
 * }</pre>
 *
 * <p>A commit is an offset and a number. A run that goes on reads its source from the offset and numbers elements from
 * the number. It delivers every element that was in no closed batch, in the same order and with the same random
 * numbers. Elements of batches that were closed after the last commit are delivered again.
 *
 * <p>With a {@link ShuffleBuffer} the offset is that of the oldest element that is in no closed batch, and the number
 * goes to {@link ShuffleBuffer#resumeAt} too. What the buffer delivers after the source has completed is not committed:
 * where the source ended decided its order.
 *
 * <p><b>Order.</b> Offsets are committed when their batch and all batches before it were closed, in order, one call at
 * a time, on a thread that closes. Several closes may share a call. Between {@code offsets} and {@code numbered} stands
 * at most the shuffle buffer: an operator that leaves elements out would make the commits wrong.
 *
 * <p><b>Errors.</b> What the commit function throws, a {@code close} throws; the next close commits that much more.
 * After a cancel nothing is committed, as operators then close batches that were not consumed. Closing says that a
 * batch was consumed: a step that may fail closes its batch behind it, not in {@code finally}.
 *
 * <p><b>Memory.</b> The offsets that are not committed. One instance serves one subscription.
 */
public final class Commits<S> {

    /** Batches has no more slots. */
    private static final int MAX_HELD = 1 << 16;

    private final BinaryOperator<S> both;
    private final ObjLongConsumer<? super S> commit;
    private final int buffered;
    private final @Nullable ShuffleSlots shuffle;
    private final AtomicBoolean subscribed = new AtomicBoolean();
    private final Queue<S> offsets = new ConcurrentLinkedQueue<>();
    private final Queue<Delivered> batches = new ConcurrentLinkedQueue<>();
    private final AtomicInteger held = new AtomicInteger();
    private final DrainLoop loop = new DrainLoop();
    private long arrived; // the number of the next arrival; the source's thread only
    private volatile long end = Long.MAX_VALUE; // the number of arrivals, once that is known
    private volatile boolean cancelled;
    private long taken; // the number of the first arrival in offsets; inside the loop only, as what follows
    private S offset; // what is committed with it

    private static final class Delivered {
        final long next;
        volatile boolean closed;

        Delivered(long next) {
            this.next = next;
        }
    }

    private Commits(
            S offset,
            long first,
            BinaryOperator<S> both,
            int buffered,
            @Nullable ShuffleSlots shuffle,
            ObjLongConsumer<? super S> commit) {
        this.offset = offset;
        this.both = both;
        this.commit = commit;
        this.buffered = buffered;
        this.shuffle = shuffle;
        this.arrived = first;
        this.taken = first;
    }

    /**
     * Commits of elements that keep their order.
     * @param offset from which the source is read
     * @param number of the first element there, as for {@code Samples.numbered}
     * @param commit gets an offset and the number of the first element that is not committed; may block
     */
    public static <S> Commits<S> at(S offset, long number, ObjLongConsumer<? super S> commit) {
        return at(offset, number, (earlier, later) -> later, commit);
    }

    /**
     * The same for a source that has several offsets at a time, such as one a partition.
     * @param offset none: what is committed is only what elements have brought
     * @param both   the offsets of both, given what is committed up to now and the offset of the next element
     */
    public static <S> Commits<S> at(S offset, long number, BinaryOperator<S> both, ObjLongConsumer<? super S> commit) {
        return new Commits<>(offset, number, both, 0, null, commit);
    }

    /** The same for elements behind a shuffle buffer, which has the number. */
    public static <S> Commits<S> at(S offset, ShuffleBuffer<?> shuffle, ObjLongConsumer<? super S> commit) {
        return at(offset, shuffle, (earlier, later) -> later, commit);
    }

    /** The same for elements behind a shuffle buffer, of a source that has several offsets at a time. */
    public static <S> Commits<S> at(
            S offset, ShuffleBuffer<?> shuffle, BinaryOperator<S> both, ObjLongConsumer<? super S> commit) {
        ShuffleSlots slots = new ShuffleSlots(shuffle.size(), shuffle.seed(), shuffle.number());
        return new Commits<>(offset, slots.oldest(), both, shuffle.size(), slots, commit);
    }

    /**
     * Stands directly behind the source: keeps its offsets.
     * @param offset where the source goes on behind an element
     */
    public <T> Function<Flux<T>, Flux<T>> offsets(Function<? super T, ? extends S> offset) {
        Function<T, S> guarded = Thrown.function(offset);
        return flux -> Flux.defer(() -> {
            if (!subscribed.compareAndSet(false, true)) {
                return Flux.error(new IllegalStateException(
                        "a Commits serves one subscription: make another one where the flux is made"));
            }
            return flux.doOnNext(element -> {
                        offsets.add(Objects.requireNonNull(guarded.apply(element), "offset"));
                        arrived++;
                    })
                    .doOnComplete(() -> end = arrived);
        });
    }

    /** Stands behind the batches: commits once they are closed. */
    public Function<Flux<Batch>, Flux<Batch>> onClose() {
        return flux -> flux.map(this::watched).doOnCancel(() -> cancelled = true);
    }

    private Batch watched(Batch batch) {
        Position next = batch.next();
        if (next.epoch() != 0) {
            batch.close();
            throw new IllegalStateException(
                    "cannot commit at %s: a flux has one epoch, so number its elements by Samples.numbered"
                            .formatted(next));
        }
        if (held.incrementAndGet() > MAX_HELD) {
            batch.close();
            throw new IllegalStateException(
                    "%d batches were not closed, so nothing behind them is committed; close every batch"
                            .formatted(MAX_HELD));
        }
        Delivered delivered = new Delivered(next.offset());
        batches.add(delivered);
        return batch.thenOnClose(() -> {
            delivered.closed = true;
            commitClosed();
        });
    }

    private void commitClosed() {
        if (!loop.enter()) {
            return;
        }
        Throwable failure = null;
        do {
            try {
                Delivered last = null;
                for (Delivered head = batches.peek(); head != null && head.closed; head = batches.peek()) {
                    last = head.next <= committable() ? head : last;
                    batches.remove();
                    held.decrementAndGet();
                }
                if (last != null && !cancelled) {
                    commit(last.next);
                }
            } catch (Throwable e) { // thrown on once the loop is left, or no close would ever commit again
                failure = e;
            }
        } while (!loop.leave());
        if (failure != null) {
            throw Exceptions.propagate(failure);
        }
    }

    /** Behind this number, the end of the source decided the order. */
    private long committable() {
        return shuffle == null ? Long.MAX_VALUE : end - buffered;
    }

    private void commit(long number) {
        long gone = shuffle == null ? number : oldest(shuffle, number);
        while (taken < gone) {
            S next = offsets.poll();
            if (next == null) {
                throw new IllegalStateException(
                        ("cannot commit number %d: only %d elements came; place offsets directly behind the source, "
                                        + "and pass the number of its first element")
                                .formatted(number, taken));
            }
            offset = both.apply(offset, next);
            taken++;
        }
        commit.accept(offset, number);
    }

    private static long oldest(ShuffleSlots slots, long number) {
        while (slots.step() < number) {
            slots.next();
        }
        return slots.oldest();
    }
}
