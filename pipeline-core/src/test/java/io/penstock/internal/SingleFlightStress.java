package io.penstock.internal;

import io.penstock.pipeline.Pending;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** Races of loads that several wait for: joining, leaving and the end. */
public final class SingleFlightStress {

    private static final String KEY = "key";

    private SingleFlightStress() {}

    /** How often it was told a value. */
    private static final class Caller extends BaseSubscriber<Integer> {
        private final AtomicInteger told = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription s) {
            s.request(1);
        }

        @Override
        protected void hookOnNext(Integer value) {
            told.incrementAndGet();
        }
    }

    /** Loads of one key, the first two of which the test ends. */
    private static final class Loads {
        private final SingleFlight<String, Integer> shared = new SingleFlight<>();
        private final AtomicInteger begun = new AtomicInteger();
        private final Pending[] loads = {new Pending(), new Pending(), new Pending()};

        Caller join(Caller caller) {
            shared.join(KEY, () -> loads[begun.getAndIncrement()], () -> {}).subscribe(caller);
            return caller;
        }

        /** Ends what was begun; those that were cancelled or have ended say nothing. */
        void completeAll() {
            for (int i = 0; i < begun.get(); i++) {
                loads[i].complete(7);
            }
        }
    }

    /** Two join at once: one load, both are told. */
    @JCStressTest
    @Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "one load for both")
    @State
    public static class TwoJoin {
        private final Loads loads = new Loads();
        private final Caller first = new Caller();
        private final Caller second = new Caller();

        @Actor
        public void first() {
            loads.join(first);
        }

        @Actor
        public void second() {
            loads.join(second);
        }

        @Arbiter
        public void after(II_Result result) {
            loads.completeAll();
            result.r1 = loads.begun.get();
            result.r2 = first.told.get() + second.told.get();
        }
    }

    /** The only one leaves while another joins: that one is told, by this load or by one of its own. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "joined in time")
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "began a load of its own")
    @State
    public static class JoinWhileTheOnlyOneLeaves {
        private final Loads loads = new Loads();
        private final Caller leaving = loads.join(new Caller());
        private final Caller joining = new Caller();

        @Actor
        public void leave() {
            leaving.cancel();
        }

        @Actor
        public void join() {
            loads.join(joining);
        }

        @Arbiter
        public void after(II_Result result) {
            int begun = loads.begun.get();
            loads.loads[begun - 1].complete(7);
            result.r1 = begun;
            result.r2 = joining.told.get();
        }
    }

    /** The load ends while another joins: that one is told, by this load or by one of its own. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "joined in time")
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "began a load of its own")
    @State
    public static class JoinWhileTheLoadEnds {
        private final Loads loads = new Loads();
        private final Caller first = loads.join(new Caller());
        private final Caller joining = new Caller();

        @Actor
        public void end() {
            loads.loads[0].complete(7);
        }

        @Actor
        public void join() {
            loads.join(joining);
        }

        @Arbiter
        public void after(II_Result result) {
            int begun = loads.begun.get();
            if (begun == 2) {
                loads.loads[1].complete(7);
            }
            result.r1 = begun;
            result.r2 = first.told.get() == 1 ? joining.told.get() : -1;
        }
    }

    /** The only one leaves while the load ends: nothing is left, so that the next one begins a load. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "a load of its own")
    @State
    public static class LeaveWhileTheLoadEnds {
        private final Loads loads = new Loads();
        private final Caller leaving = loads.join(new Caller());

        @Actor
        public void leave() {
            leaving.cancel();
        }

        @Actor
        public void end() {
            loads.loads[0].complete(7);
        }

        @Arbiter
        public void after(II_Result result) {
            Caller next = loads.join(new Caller());
            loads.loads[1].complete(7);
            result.r1 = loads.begun.get();
            result.r2 = next.told.get();
        }
    }

    /** Loads of two keys with one hash end at once: who looked between the two ends looks again for either key. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the last end is known")
    @State
    public static class TwoLoadsOfOneHashEnd {
        private final SingleFlight<String, Integer> shared = new SingleFlight<>();
        private final Pending first = new Pending();
        private final Pending second = new Pending();

        public TwoLoadsOfOneHashEnd() {
            shared.join("Aa", () -> first, () -> {}).subscribe();
            shared.join("BB", () -> second, () -> {}).subscribe();
        }

        @Actor
        public void first() {
            first.complete(7);
        }

        @Actor
        public void second() {
            second.complete(7);
        }

        @Arbiter
        public void after(I_Result result) {
            result.r1 = shared.mayHaveEnded("Aa", 1) ? 1 : 0;
        }
    }

    /** Both leave at once: the load is cancelled. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "cancelled")
    @State
    public static class BothLeave {
        private final Loads loads = new Loads();
        private final Caller first = loads.join(new Caller());
        private final Caller second = loads.join(new Caller());

        @Actor
        public void first() {
            first.cancel();
        }

        @Actor
        public void second() {
            second.cancel();
        }

        @Arbiter
        public void after(I_Result result) {
            result.r1 = loads.loads[0].isUnderWay() ? 1 : 0;
        }
    }
}
