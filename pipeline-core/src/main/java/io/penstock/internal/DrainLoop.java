package io.penstock.internal;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Serialises work that any thread may bring, without a lock: one thread drains, the others leave their work to it.
 * <pre>{@code
 *  queue.add(work);
 *  if (loop.enter()) {
 *      do {
 *          drain(queue);
 *      } while (!loop.leave());
 *  }
 * }</pre>
 *
 * <p>A caller publishes its work first and then calls {@link #enter}. If that is false, another thread drains, and its
 * {@link #leave} is false until one whole pass has begun after that call. So no work is forgotten. Every pass sees what
 * was published before the calls of {@code enter} that caused it, and what the pass before it wrote.
 *
 * <p>The thread that leaves need not be the one that entered, if the first hands over to the second, as a
 * {@code Scheduler} does. A pass that throws keeps the loop entered, and nothing is drained after it. Allocates
 * nothing.
 */
public final class DrainLoop {

    private final AtomicInteger entered = new AtomicInteger();
    private int seen = 1; // owned by the draining thread; 1 while no thread drains

    /** Whether the caller has to drain. */
    public boolean enter() {
        return entered.getAndIncrement() == 0;
    }

    /** Ends a pass. True if the caller is done; false if others called {@link #enter} meanwhile: drain once more. */
    public boolean leave() {
        int handled = seen;
        seen = 1; // before the counter can reach 0: from then on another thread may own it
        int missed = entered.addAndGet(-handled);
        if (missed == 0) {
            return true;
        }
        seen = missed;
        return false;
    }
}
