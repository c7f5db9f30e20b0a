package io.penstock.internal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races of the drain loop: work that comes while another thread drains, or just stops to. */
public final class DrainLoopStress {

    private DrainLoopStress() {}

    /** Three units of work from each of two threads: all are done, one at a time. */
    @JCStressTest
    @Outcome(id = "6, 6", expect = Expect.ACCEPTABLE, desc = "all done, and counted without a lock")
    @State
    public static class WorkOfTwoThreads {
        private final DrainLoop loop = new DrainLoop();
        private final Queue<Integer> queue = new ConcurrentLinkedQueue<>();
        private int done; // plain: only the loop keeps its increments apart

        private void bring() {
            queue.add(1);
            if (loop.enter()) {
                do {
                    while (queue.poll() != null) {
                        done++;
                    }
                } while (!loop.leave());
            }
        }

        @Actor
        public void first() {
            bring();
            bring();
            bring();
        }

        @Actor
        public void second() {
            bring();
            bring();
            bring();
        }

        @Arbiter
        public void end(II_Result result) {
            result.r1 = done;
            bring(); // adds one unit, which is done at once
            result.r2 = done - 1;
        }
    }

    /** Plain fields that are written before a call of enter are seen by the pass that follows it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "the last pass saw both")
    @State
    public static class PlainWork {
        private final DrainLoop loop = new DrainLoop();
        private int left;
        private int right;
        private int seenLeft;
        private int seenRight;

        private void drain() {
            if (loop.enter()) {
                do {
                    seenLeft = left;
                    seenRight = right;
                } while (!loop.leave());
            }
        }

        @Actor
        public void first() {
            left = 1;
            drain();
        }

        @Actor
        public void second() {
            right = 1;
            drain();
        }

        @Arbiter
        public void end(II_Result result) {
            result.r1 = seenLeft;
            result.r2 = seenRight;
        }
    }
}
