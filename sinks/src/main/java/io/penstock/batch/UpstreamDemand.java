package io.penstock.batch;

import io.penstock.internal.DrainLoop;
import io.penstock.internal.Thrown;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * Asks upstream for as many draws as the free slots can take.
 *
 * <p>{@code allowance} is the number of draws that may still be asked for: n for each free slot. Asking takes from it.
 * A batch that ends after m draws adds m − n: its slot is gone, and the draws that did not fit are still to come. When
 * the slot returns it adds n. So {@code granted − consumed <= slots × n}, plus one batch while {@link EpochEnds} holds
 * one back.
 *
 * <p>{@code request} may load samples on the thread that calls it. A {@link DrainLoop} lets one thread at a time call
 * it, and no thread waits for another.
 */
final class UpstreamDemand {

    private final BatchRun<?> run;
    private final Backlog<?> backlog;
    private final Scheduler workers;
    private final int n;
    private final AtomicLong allowance;
    private final AtomicLong consumed = new AtomicLong(); // draws of the batches that are complete
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final DrainLoop loop = new DrainLoop();
    private Subscription upstream = Operators.emptySubscription();
    private long granted; // inside the loop only
    private volatile boolean started;
    private volatile boolean ended;

    UpstreamDemand(BatchRun<?> run, Backlog<?> backlog, Scheduler workers, int n, int slots) {
        this.run = run;
        this.backlog = backlog;
        this.workers = workers;
        this.n = n;
        this.allowance = new AtomicLong((long) n * slots);
    }

    /** Takes upstream's subscription; false if there is one already. */
    boolean begin(Subscription s) {
        boolean first = Operators.validate(upstream == Operators.emptySubscription() ? null : upstream, s);
        if (first) {
            upstream = s;
        }
        return first;
    }

    Subscription upstream() {
        return upstream;
    }

    /** The consumer has asked for its first batch. Nothing is asked of upstream before. */
    void start() {
        started = true;
    }

    /** Nothing is asked of upstream from here on. */
    void end() {
        ended = true;
    }

    void cancel() {
        end();
        Thrown.dropping(run.currentContext(), upstream::cancel);
    }

    /** A batch is complete: of this many draws, with {@code ahead} that may be asked for beyond the free slots. */
    void completed(int draws, int ahead) {
        consumed.addAndGet(draws);
        allowance.addAndGet(draws - n + ahead);
    }

    /** Takes back what {@link #completed} allowed beyond the free slots. */
    void release(int ahead) {
        allowance.addAndGet(-ahead);
    }

    void slotReturned() {
        allowance.addAndGet(n);
    }

    /** Whether a call of {@code fill} has anything to do. */
    boolean hasRoom() {
        return started && !ended && (allowance.get() > 0 || backlog.isBehind());
    }

    void fillOnWorker() {
        if (hasRoom() && scheduled.compareAndSet(false, true)) {
            try {
                workers.schedule(() -> {
                    scheduled.set(false);
                    fill(true);
                });
            } catch (Throwable e) { // the pool was disposed of while the stream runs, or no thread can be started
                run.refuse(e);
            }
        }
    }

    /**
     * Asks for the rest of one batch on this thread; returns whether that may have brought any sample.
     *
     * <p>More would begin a batch in a second slot. A buffer outside the processor's caches takes a quarter longer to
     * fill.
     */
    boolean fillOneBatch() {
        return fill(false);
    }

    private boolean fill(boolean all) {
        if (!loop.enter()) {
            return false;
        }
        boolean progress = false;
        do {
            try {
                progress |= backlog.isBehind() && backlog.workOff();
                run.raiseFaults(); // before another thread completes what was copied on this one
                long draws = grant(all ? Long.MAX_VALUE : n - Math.floorMod(granted - consumed.get(), n));
                if (draws > 0) {
                    granted += draws;
                    progress = true;
                    upstream.request(draws);
                }
            } catch (Throwable e) {
                run.broken(e);
            }
        } while (!loop.leave());
        return progress;
    }

    private long grant(long max) {
        while (true) {
            long allowed = allowance.get();
            long draws = ended ? 0 : Math.min(allowed, max);
            if (draws <= 0 || allowance.compareAndSet(allowed, allowed - draws)) {
                return draws;
            }
        }
    }
}
