package io.penstock.batch;

import io.penstock.batch.internal.LentSlot;
import io.penstock.batch.internal.Memory;
import io.penstock.batch.internal.SlotRing;
import io.penstock.internal.AccessFaults;
import io.penstock.internal.DrainLoop;
import io.penstock.internal.Thrown;
import io.penstock.stream.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One subscription: samples arrive on upstream's threads, batches leave on the consumer's thread.
 *
 * <p>Reactor's {@code buffer} and {@code publishOn} do the same with a list and a thread hop for each batch. This class
 * decides which thread calls {@code request}, because that call may load samples. It is the consumer's own thread while
 * the consumer would only wait, and a worker while the consumer works.
 *
 * <p>A sample goes through {@link Backlog} and {@link Batcher} into a slot of the {@link SlotRing}. A complete batch
 * waits in {@code ready}. A {@link DrainLoop} sends the consumer's signals on its thread, one at a time. When no batch
 * is ready, the same loop asks {@link UpstreamDemand} for the next one. No signal is sent from inside a signal of
 * upstream.
 */
final class BatchRun<T> implements CoreSubscriber<Sample<T>>, Subscription, Scannable, Batcher.Output, Runnable {

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<BatchRun> REQUESTED =
            AtomicLongFieldUpdater.newUpdater(BatchRun.class, "requested");

    private final CoreSubscriber<? super Batch> actual;
    private final Scheduler.Worker consumer;
    private final SlotRing ring;
    private final Batcher<T> batcher;
    private final Backlog<T> backlog;
    private final UpstreamDemand demand;
    private final ConsumerPace pace;
    private final UnclosedBatches unclosed;
    private final AccessFaults faults = new AccessFaults();
    private final @Nullable LongSupplier lost;
    private final long lostBefore;
    private final Queue<LentSlot> ready = new ConcurrentLinkedQueue<>();
    private final DrainLoop signals = new DrainLoop();
    private volatile long requested;
    private long emitted; // the consumer's thread only
    private final ConsumerSpans spans = new ConsumerSpans();
    private volatile boolean done; // no batch will be added to those that are ready
    private volatile boolean over; // cancelled, or the terminal signal was sent
    private volatile boolean cancelled;
    private volatile boolean threw; // the consumer did
    private volatile @Nullable Throwable failure; // sent after the batches that are ready
    private volatile @Nullable Throwable refused; // sent before them

    BatchRun(Collation<T> collation, BatchOptions options, CoreSubscriber<? super Batch> actual) {
        this(collation, options, null, actual);
    }

    /** @param lost if samples are views of mapped files: changes when one could not be read */
    BatchRun(
            Collation<T> collation,
            BatchOptions options,
            @Nullable LongSupplier lost,
            CoreSubscriber<? super Batch> actual) {
        Memory memory = new Memory(
                collation.n(), collation.names(), collation.forms(), collation.indexed(), options.allocator());
        this.actual = actual;
        this.lost = lost;
        this.lostBefore = lost == null ? 0 : lost.getAsLong();
        this.consumer = options.consumer().createWorker();
        this.ring = new SlotRing(
                Math.addExact(options.slots(), collation.unfinished()),
                () -> collation.slot(memory),
                this::slotReturned);
        this.batcher = collation.batcher(ring, this);
        this.backlog = new Backlog<>(batcher);
        this.demand = new UpstreamDemand(this, backlog, options.workers(), collation.n(), ring.slots());
        this.pace = new ConsumerPace(options.workers());
        this.unclosed = new UnclosedBatches(ring, options.slots(), consumer, () -> emitted);
    }

    SlotRing ring() {
        return ring;
    }

    // ---- upstream's signals, one at a time

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (demand.begin(s)) {
            actual.onSubscribe(this);
        }
    }

    @Override
    public void onNext(Sample<T> sample) {
        if (done) {
            Operators.onNextDropped(sample, currentContext());
        } else if (over) {
            Operators.onDiscard(sample, currentContext());
        } else {
            try {
                backlog.add(sample);
            } catch (Throwable e) {
                broken(e);
            }
        }
    }

    @Override
    public void onError(Throwable e) {
        if (done) {
            Operators.onErrorDropped(e, currentContext());
        } else {
            afterAll(() -> fail(e));
        }
    }

    @Override
    public void onComplete() {
        if (!done) {
            afterAll(() -> {
                batcher.end();
                end(null);
            });
        }
    }

    private void afterAll(Runnable last) {
        try {
            backlog.afterAll(last);
        } catch (Throwable e) {
            broken(e);
        }
    }

    /** Ends the stream with an error that is not upstream's. */
    void broken(Throwable e) {
        demand.cancel();
        fail(Thrown.signal(e));
    }

    private void fail(Throwable e) {
        backlog.fail(e);
        end(e);
    }

    private void end(@Nullable Throwable cause) {
        failure = cause;
        done = true;
        demand.end();
        schedule();
    }

    // ---- the batcher's output, and slots that return

    @Override
    public void completed(int draws, int ahead) {
        demand.completed(draws, ahead);
        if (ahead > 0) {
            wake();
        }
    }

    @Override
    public void ready(LentSlot batch, int ahead) {
        requireRead();
        demand.release(ahead);
        ready.add(batch);
        schedule();
    }

    /** Whether the consumer threw, and that ended the stream. */
    boolean consumerThrew() {
        return threw;
    }

    /** @throws InternalError if samples are views, and this thread copied one that could not be read */
    void raiseFaults() {
        if (lost != null) {
            faults.raise();
        }
    }

    /** @throws InternalError if samples were views, and one that was copied could not be read */
    private void requireRead() {
        raiseFaults();
        if (lost != null && lost.getAsLong() != lostBefore) {
            throw new InternalError("a file of the cache was cut shorter while it was read");
        }
    }

    @Override
    public void dropped(int draws) {
        demand.completed(draws, 0);
        slotReturned();
    }

    @Override
    public boolean isDirect() {
        return EpochEnds.isSource(demand.upstream());
    }

    private void slotReturned() {
        demand.slotReturned();
        wake();
    }

    /** There is room: a worker fills it while the consumer is busy, the consumer itself otherwise. */
    private void wake() {
        if (pace.isBusy()) {
            demand.fillOnWorker();
        } else if (!over && !done) {
            schedule();
        }
    }

    // ---- the consumer's demand, and its signals on its thread

    @Override
    public void request(long n) {
        if (n > 0) {
            Operators.addCap(REQUESTED, this, n);
            demand.start();
            schedule();
        } else {
            refuse(new IllegalArgumentException("§3.9 violated: request must be positive, was " + n));
        }
    }

    @Override
    public void cancel() {
        if (!over) {
            cancelled = true;
        }
        over = true;
        demand.cancel();
        schedule();
    }

    /** Ends the stream with an error that does not wait for the batches before it. */
    void refuse(Throwable cause) {
        refused = Thrown.signal(cause);
        demand.cancel();
        schedule();
    }

    private void schedule() {
        if (!signals.enter()) {
            return;
        }
        if (over) {
            run();
            return;
        }
        try {
            consumer.schedule(this);
        } catch (Throwable e) { // the pool was disposed of while the stream runs, or no thread can be started
            refused = Thrown.signal(e);
            demand.cancel();
            run();
        }
    }

    @Override
    public void run() {
        do {
            try {
                drain();
            } catch (Throwable e) { // the consumer threw, which it must not; the flow behind it still has to end
                threw = true;
                demand.cancel();
                if (over) {
                    Operators.onErrorDropped(e, currentContext());
                } else {
                    over = true;
                    actual.onError(Thrown.signal(e));
                }
            }
            if (over) {
                discard();
            }
        } while (!signals.leave());
    }

    private void drain() {
        while (!over) {
            boolean last = done; // before the queue is looked at
            LentSlot batch = refused == null && emitted != requested ? ready.poll() : null;
            if (batch != null) {
                deliver(batch);
            } else if (refused != null || last && ready.isEmpty()) {
                terminate(refused == null ? failure : refused);
            } else if (!fill()) {
                if (!last && emitted != requested) {
                    unclosed.watch(emitted);
                }
                return;
            }
        }
    }

    /** Asks for one batch here, so that it is delivered before the next; returns whether that may have brought any. */
    private boolean fill() {
        if (!demand.hasRoom()) {
            return false;
        }
        if (pace.isSlow()) {
            demand.fillOnWorker();
            return false;
        }
        return demand.fillOneBatch();
    }

    private void deliver(LentSlot batch) {
        if (pace.isSlow()) {
            demand.fillOnWorker();
        }
        Batch delivered = batch.deliver();
        spans.begin(delivered, emitted++);
        pace.begin();
        actual.onNext(delivered);
        pace.end();
        spans.end();
    }

    private void terminate(@Nullable Throwable cause) {
        over = true;
        demand.end();
        if (cause == null) {
            actual.onComplete();
        } else {
            actual.onError(cause);
        }
    }

    private void discard() {
        for (LentSlot slot = ready.poll(); slot != null; slot = ready.poll()) {
            Batch batch = slot.discard();
            Operators.onDiscard(batch, currentContext());
            batch.close();
        }
        backlog.clear();
        ring.close();
        consumer.dispose();
    }

    // ---- what Reactor's tools may ask

    @Override
    @SuppressWarnings("rawtypes")
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return demand.upstream();
        }
        if (key == Attr.ACTUAL) {
            return actual;
        }
        if (key == Attr.CANCELLED) {
            return cancelled;
        }
        if (key == Attr.TERMINATED) {
            return over && !cancelled;
        }
        if (key == Attr.ERROR) {
            return failure;
        }
        if (key == Attr.BUFFERED) {
            return ready.size();
        }
        if (key == Attr.CAPACITY) {
            return ring.slots();
        }
        if (key == Attr.REQUESTED_FROM_DOWNSTREAM) {
            return requested == Long.MAX_VALUE ? requested : requested - emitted;
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
