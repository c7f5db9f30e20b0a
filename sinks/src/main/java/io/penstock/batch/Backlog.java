package io.penstock.batch;

import io.penstock.internal.DrainLoop;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Passes samples to the batcher one at a time, and keeps those for which no slot is free.
 *
 * <p>Upstream is asked for n draws for each free slot. An epoch that ends early closes a batch of fewer draws. The
 * draws already asked for then need one slot more than there are. They wait here as references, never more than were
 * asked for.
 *
 * <p>While none wait, a sample goes to the batcher on upstream's thread. While some wait, the thread that asks upstream
 * for more takes them first. A step leaves the queue only after it was taken, so an empty queue means that no other
 * thread is in the batcher.
 */
final class Backlog<T> {

    /** Work for the batcher; false if it needs a slot and none is free. */
    @FunctionalInterface
    private interface Step {
        boolean take();
    }

    private final Batcher<T> batcher;
    private final Queue<Step> steps = new ConcurrentLinkedQueue<>();
    private final DrainLoop loop = new DrainLoop();
    private boolean behind; // upstream's thread only
    private @Nullable Draw latest; // the last draw that the batcher took

    Backlog(Batcher<T> batcher) {
        this.batcher = batcher;
    }

    void add(Sample<T> sample) {
        if (behind && steps.isEmpty()) {
            behind = false;
        }
        if (behind || !take(sample)) {
            behind = true;
            steps.add(() -> take(sample));
            workOff();
        }
    }

    /**
     * A batch's position says that every earlier draw is in it or before it: a draw out of order would make that wrong.
     */
    private boolean take(Sample<T> sample) {
        Draw draw = sample.draw();
        Draw before = latest;
        if (before != null && draw.next().compareTo(before.next()) <= 0) {
            throw new IllegalStateException(("cannot batch sample %d: its draw is out of order: "
                            + "it leads to %s, and the draw of sample %d before it to %s; "
                            + "use concatMap or flatMapSequential instead of flatMap, epochs(n) instead of repeat, "
                            + "and batch each stream before merging several")
                    .formatted(draw.index(), draw.next(), before.index(), before.next()));
        }
        if (!batcher.take(sample)) {
            return false;
        }
        latest = draw;
        return true;
    }

    /** Runs something once every sample before it was taken. */
    void afterAll(Runnable last) {
        steps.add(() -> {
            last.run();
            return true;
        });
        workOff();
    }

    /** Tells the batcher that upstream failed. If that throws too, the second error is suppressed by the first. */
    void fail(Throwable e) {
        try {
            batcher.fail();
        } catch (Throwable another) {
            e.addSuppressed(Thrown.signal(another));
        }
    }

    boolean isBehind() {
        return !steps.isEmpty();
    }

    /** Takes what waits, as far as slots are free; returns whether there was any. From any thread. */
    boolean workOff() {
        if (!loop.enter()) {
            return false;
        }
        boolean progress = false;
        do {
            for (Step step = steps.peek(); step != null && step.take(); step = steps.peek()) {
                steps.poll();
                progress = true;
            }
        } while (!loop.leave());
        return progress;
    }

    void clear() {
        steps.clear();
    }
}
