package io.penstock.batch;

import io.penstock.pipeline.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Brings samples to the cutter one at a time, and keeps those for which there is no slot yet.
 *
 * <p>Upstream is asked for n draws a free slot. An epoch that ends early closes a batch of fewer, and then draws that were
 * already asked for need a slot more than there are: they wait here, as references, never more than were asked for.
 * While none wait, a sample goes straight through on upstream's thread; while some do, whoever asks upstream for more
 * works them off first. A step leaves the queue after it was taken, so an empty queue means that nobody else is in
 * the cutter.
 */
final class Intake<T> {

    /** Something for the cutter; false if it has to wait for a slot. */
    @FunctionalInterface
    private interface Step {
        boolean take();
    }

    private final Cutter<T> cutter;
    private final Queue<Step> backlog = new ConcurrentLinkedQueue<>();
    private final AtomicInteger busy = new AtomicInteger();
    private boolean behind; // upstream's thread alone

    Intake(Cutter<T> cutter) {
        this.cutter = cutter;
    }

    /** Upstream's next sample. */
    void add(Sample<T> sample) {
        if (behind && backlog.isEmpty()) {
            behind = false;
        }
        if (behind || !cutter.take(sample)) {
            behind = true;
            backlog.add(() -> cutter.take(sample));
            workOff();
        }
    }

    /** Runs something once every sample before it was taken. */
    void afterAll(Runnable last) {
        backlog.add(() -> {
            last.run();
            return true;
        });
        workOff();
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
