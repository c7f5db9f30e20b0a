package io.penstock.batch;

import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.pipeline.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Brings samples to the cutter one at a time, and keeps those for which there is no slot yet.
 *
 * <p>Upstream is asked for n draws a free slot. An epoch that ends early closes a batch of fewer, and then draws that were
 * already asked for need a slot more than there are: they wait here, as references, never more than were asked for.
 * While none wait, a sample goes straight through on upstream's thread; while some do, whoever asks upstream for more
 * works them off first. A step leaves the queue after it was taken, so an empty queue means that nobody else is in
 * the cutter.
 */
final class Backlog<T> {

    /** Something for the cutter; false if it has to wait for a slot. */
    @FunctionalInterface
    private interface Step {
        boolean take();
    }

    private final Batcher<T> cutter;
    private final Queue<Step> backlog = new ConcurrentLinkedQueue<>();
    private final AtomicInteger busy = new AtomicInteger();
    private boolean behind; // upstream's thread alone
    private @Nullable Draw latest; // that the cutter took

    Backlog(Batcher<T> cutter) {
        this.cutter = cutter;
    }

    /** Upstream's next sample. */
    void add(Sample<T> sample) {
        if (behind && backlog.isEmpty()) {
            behind = false;
        }
        if (behind || !take(sample)) {
            behind = true;
            backlog.add(() -> take(sample));
            workOff();
        }
    }

    /** A position says that every draw before it was made, so one that comes later makes those of earlier batches wrong. */
    private boolean take(Sample<T> sample) {
        Draw draw = sample.draw();
        Draw before = latest;
        if (before != null && draw.next().compareTo(before.next()) <= 0) {
            throw new IllegalStateException(
                    ("cannot batch sample %d: its draw is out of order: it leads to %s, and the draw of sample %d before it to %s; "
                                    + "use concatMap or flatMapSequential instead of flatMap, epochs(n) instead of repeat, "
                                    + "and batch each stream before merging several")
                            .formatted(draw.index(), draw.next(), before.index(), before.next()));
        }
        if (!cutter.take(sample)) {
            return false;
        }
        latest = draw;
        return true;
    }

    /** Runs something once every sample before it was taken. */
    void afterAll(Runnable last) {
        backlog.add(() -> {
            last.run();
            return true;
        });
        workOff();
    }

    /** Gives out what was complete before an error, which ends the stream whatever comes of that. */
    void fail(Throwable e) {
        try {
            cutter.fail();
        } catch (Throwable another) {
            e.addSuppressed(Thrown.signal(another));
        }
    }

    /** Whether samples wait for a slot. */
    boolean isBehind() {
        return !backlog.isEmpty();
    }

    /** Brings in what waits, as far as there are slots; returns whether there was one. From any thread. */
    boolean workOff() {
        if (busy.getAndIncrement() != 0) {
            return false;
        }
        boolean progress = false;
        int missed = 1;
        do {
            for (Step step = backlog.peek(); step != null && step.take(); step = backlog.peek()) {
                backlog.poll();
                progress = true;
            }
            missed = busy.addAndGet(-missed);
        } while (missed != 0);
        return progress;
    }

    void clear() {
        backlog.clear();
    }
}
