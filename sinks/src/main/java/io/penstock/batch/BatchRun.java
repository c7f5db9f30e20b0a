package io.penstock.batch;

import io.penstock.internal.Thrown;
import io.penstock.pipeline.Batch;
import io.penstock.pipeline.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * One subscription: samples come in on upstream's threads, batches go out on the consumer's.
 *
 * <p>Reactor's {@code buffer} and {@code publishOn} would do this with a list and a hop a batch. This class decides which
 * thread calls {@code upstream.request}, and so may load samples: the consumer's while it would wait, else a worker.
 *
 * <p>{@code allowance} is how many draws may still be asked for: n for each free slot. Asking takes from it. A batch
 * that ends after m draws leaves m − n (its slot is gone, the draws that did not fit are still on their way), closing it
 * brings n. So {@code requested − consumed <= slots × n}, and a batch more while {@link EpochEnds} holds one back.
 *
 * <p>Where the consumer fills its next batch itself, it asks for just what completes that one, after a short batch too: else
 * later batches would begin in a second slot, and a buffer outside the processor's caches takes a quarter longer to fill.
 *
 * <p>Two loops, each serialised by a counter that others raise: {@code wip} guards the consumer's signals, {@code asking}
 * the calls of request. No thread waits for either, and no signal goes out from inside upstream's.
 */
final class BatchRun<T> implements CoreSubscriber<Sample<T>>, Subscription, Batcher.Output, Runnable {

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<BatchRun> REQUESTED =
            AtomicLongFieldUpdater.newUpdater(BatchRun.class, "requested");

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<BatchRun> ALLOWANCE =
            AtomicLongFieldUpdater.newUpdater(BatchRun.class, "allowance");

    @SuppressWarnings("rawtypes")
    private static final AtomicLongFieldUpdater<BatchRun> CONSUMED =
            AtomicLongFieldUpdater.newUpdater(BatchRun.class, "consumed");

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<BatchRun> WIP =
            AtomicIntegerFieldUpdater.newUpdater(BatchRun.class, "wip");

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<BatchRun> ASKING =
            AtomicIntegerFieldUpdater.newUpdater(BatchRun.class, "asking");

    @SuppressWarnings("rawtypes")
    private static final AtomicIntegerFieldUpdater<BatchRun> FILLING =
            AtomicIntegerFieldUpdater.newUpdater(BatchRun.class, "filling");

    private final int n;
    private final SlotRing ring;
    private final Batcher<T> cutter;
    private final Backlog<T> intake;
    private final Queue<LentSlot> finished;
    private final Scheduler workers;
    private final Scheduler.Worker consumer;
    private final CoreSubscriber<? super Batch> actual;
    private final ConsumerPace tempo;
    private final UnclosedBatches stall;
    private Subscription upstream = Operators.emptySubscription();
    private long emitted; // the consumer's thread alone
    private long granted; // by whoever asks
    private volatile long requested;
    private volatile long allowance;
    private volatile long consumed; // draws in batches that are cut; written by upstream's thread

    @SuppressWarnings("UnusedVariable") // but by its updater
    private volatile int wip;

    @SuppressWarnings("UnusedVariable")
    private volatile int asking;

    private volatile int filling;
    private volatile boolean done; // no batch will be added to those that are finished
    private volatile boolean over; // cancelled, or the terminal signal was sent
    private volatile @Nullable Throwable failure;
    private volatile @Nullable Throwable refused;

    BatchRun(Collation<T> collation, BatchOptions running, CoreSubscriber<? super Batch> actual) {
        Memory memory = new Memory(collation.n(), collation.schema().names(), running.allocator());
        this.n = collation.n();
        this.ring = new SlotRing(
                Math.addExact(running.slots(), collation.making()), () -> collation.slot(memory), this::returned);
        this.cutter = collation.cutter(ring, this);
        this.intake = new Backlog<>(cutter);
        this.finished = new ConcurrentLinkedQueue<>();
        this.allowance = (long) n * ring.slots();
        this.workers = running.workers();
        this.tempo = new ConsumerPace(workers);
        this.consumer = running.consumer().createWorker();
        this.stall = new UnclosedBatches(ring, running.slots(), consumer, () -> emitted);
        this.actual = actual;
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
        if (Operators.validate(upstream == Operators.emptySubscription() ? null : upstream, s)) {
            upstream = s;
            actual.onSubscribe(this);
        }
    }

    @Override
    public void onNext(Sample<T> sample) {
        if (done) {
            Operators.onNextDropped(sample, currentContext());
            return;
        }
        if (over) {
            Operators.onDiscard(sample, currentContext());
            return;
        }
        try {
            intake.add(sample);
        } catch (Throwable e) {
            broken(e);
        }
    }

    @Override
    public void onError(Throwable e) {
        if (done) {
            Operators.onErrorDropped(e, currentContext());
            return;
        }
        after(() -> fail(e));
    }

    @Override
    public void onComplete() {
        if (!done) {
            after(() -> {
                cutter.end();
                end(null);
            });
        }
    }

    private void after(Runnable last) {
        try {
            intake.afterAll(last);
        } catch (Throwable e) {
            broken(e);
        }
    }

    private void broken(Throwable e) {
        upstream.cancel();
        fail(Thrown.signal(e));
    }

    private void fail(Throwable e) {
        intake.fail(e);
        end(e);
    }

    private void end(@Nullable Throwable cause) {
        failure = cause;
        done = true;
        schedule();
    }

    @Override
    public void cut(int draws, int ahead) {
        CONSUMED.addAndGet(this, draws);
        ALLOWANCE.addAndGet(this, draws - n + ahead);
        if (ahead > 0) {
            wake();
        }
    }

    @Override
    public void finished(LentSlot lease, int ahead) {
        ALLOWANCE.addAndGet(this, -ahead);
        finished.add(lease);
        schedule();
    }

    @Override
    public void dropped(int draws) {
        cut(draws, n); // and its slot is free
    }

    @Override
    public boolean direct() {
        return EpochEnds.isSource(upstream);
    }

    /** A slot came back. */
    private void returned() {
        ALLOWANCE.addAndGet(this, n);
        wake();
    }

    /** There is room: a worker fills it while the consumer is busy, the consumer itself otherwise. */
    private void wake() {
        if (tempo.isBusy()) {
            fillElsewhere();
        } else if (!over && !done) {
            schedule();
        }
    }

    private boolean hasRoom() {
        return !over && !done && requested != 0 && (allowance > 0 || intake.isBehind());
    }

    private void fillElsewhere() {
        if (hasRoom() && FILLING.compareAndSet(this, 0, 1)) {
            try {
                workers.schedule(() -> {
                    filling = 0;
                    ask(true);
                });
            } catch (Throwable e) { // the pool was disposed of under the stream, or gets no thread
                refuse(e);
            }
        }
    }

    /** Asks for one batch, so that it can be delivered before the next; returns whether that may have brought any. */
    private boolean fillHere() {
        if (!hasRoom()) {
            return false;
        }
        if (tempo.isSlow()) {
            fillElsewhere();
            return false;
        }
        return ask(false);
    }

    private boolean ask(boolean all) {
        if (ASKING.getAndIncrement(this) != 0) {
            return false;
        }
        boolean progress = false;
        int missed = 1;
        do {
            try {
                progress |= intake.isBehind() && intake.workOff();
            } catch (Throwable e) {
                broken(e);
            }
            long more = grant(all ? Long.MAX_VALUE : n - Math.floorMod(granted - consumed, n));
            if (more > 0) {
                granted += more;
                progress = true;
                try {
                    upstream.request(more);
                } catch (Throwable e) {
                    broken(e);
                }
            }
            missed = ASKING.addAndGet(this, -missed);
        } while (missed != 0);
        return progress;
    }

    private long grant(long most) {
        while (true) {
            long allowed = allowance;
            long more = over || done ? 0 : Math.min(allowed, most);
            if (more <= 0 || ALLOWANCE.compareAndSet(this, allowed, allowed - more)) {
                return more;
            }
        }
    }

    // ---- downstream's signals, on the consumer's thread

    @Override
    public void request(long demand) {
        if (demand > 0) {
            Operators.addCap(REQUESTED, this, demand);
            schedule();
        } else {
            refuse(new IllegalArgumentException("§3.9 violated: request must be positive, was " + demand));
        }
    }

    @Override
    public void cancel() {
        over = true;
        upstream.cancel();
        schedule();
    }

    private void refuse(Throwable cause) {
        refused = Thrown.signal(cause);
        upstream.cancel();
        schedule();
    }

    private void schedule() {
        if (WIP.getAndIncrement(this) != 0) {
            return;
        }
        if (over) {
            run();
            return;
        }
        try {
            consumer.schedule(this);
        } catch (Throwable e) { // the pool was disposed of under the stream, or gets no thread: this one is left
            refused = Thrown.signal(e);
            upstream.cancel();
            run();
        }
    }

    @Override
    public void run() {
        int missed = 1;
        do {
            try {
                turn();
            } catch (Throwable e) { // the consumer threw, which it must not; the flow behind it still has to end
                upstream.cancel();
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
            missed = WIP.addAndGet(this, -missed);
        } while (missed != 0);
    }

    private void turn() {
        while (!over) {
            boolean last = done;
            LentSlot lease = refused == null && emitted != requested ? finished.poll() : null;
            if (lease != null) {
                deliver(lease);
            } else if (refused != null || last && finished.isEmpty()) {
                over = true;
                terminate(refused == null ? failure : refused);
            } else if (!fillHere()) {
                if (!last && emitted != requested) {
                    stall.watch(emitted);
                }
                return;
            }
        }
    }

    private void deliver(LentSlot lease) {
        if (tempo.isSlow()) {
            fillElsewhere();
        }
        emitted++;
        tempo.begin();
        actual.onNext(lease.deliver());
        tempo.end();
    }

    private void terminate(@Nullable Throwable cause) {
        if (cause == null) {
            actual.onComplete();
        } else {
            actual.onError(cause);
        }
    }

    private void discard() {
        for (LentSlot lease = finished.poll(); lease != null; lease = finished.poll()) {
            Batch batch = lease.discard();
            Operators.onDiscard(batch, currentContext());
            batch.close();
        }
        intake.clear();
        ring.close();
        consumer.dispose();
    }
}
