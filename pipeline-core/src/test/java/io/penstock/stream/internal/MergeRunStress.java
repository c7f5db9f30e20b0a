package io.penstock.stream.internal;

import io.penstock.order.Sampler;
import io.penstock.pipeline.Pending;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongFunction;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Races of the ordered merge: slots, demand, ends of loads, errors and cancels. */
public final class MergeRunStress {

    private static final int IN_FLIGHT = 4;

    private MergeRunStress() {}

    /** What came, in which order. */
    private static final class Seen implements CoreSubscriber<Sample<Integer>> {
        private int samples;
        private int ordered = 1;
        private int completions;
        private int errors;

        @Override
        public void onSubscribe(Subscription s) {}

        @Override
        public void onNext(Sample<Integer> sample) {
            if (sample.draw().index() != samples || sample.value() != samples) {
                ordered = 0;
            }
            samples++;
        }

        @Override
        public void onError(Throwable e) {
            errors++;
        }

        @Override
        public void onComplete() {
            completions++;
        }
    }

    private static MergeRun<Integer> run(LongFunction<?> loads, int draws, Scheduler workers, Seen seen) {
        Execution execution = new Execution(IN_FLIGHT, workers, 1, 0);
        return new MergeRun<>(
                (drawn, begun) -> {
                    for (int i = 0; i < drawn.length; i++) {
                        begun[i] = loads.apply(drawn[i].index());
                    }
                },
                1,
                new ComputedDraws(Sampler.sequential().draws(draws), 0, false, indices -> Mono.empty(), execution),
                execution,
                new LoadWindow(execution, 1, null),
                seen);
    }

    /** Begins draws with these: a value, or a load that the test ends. */
    private static MergeRun<Integer> run(Seen seen, Object... outcomes) {
        return run(index -> outcomes[(int) index], outcomes.length, Schedulers.immediate(), seen);
    }

    /** Samples at hand, asked for by two threads. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "both, in order")
    @State
    public static class TwoRequests {
        private final Seen seen = new Seen();
        private final MergeRun<Integer> run = run(seen, 0, 1, 2);

        @Actor
        public void first() {
            run.request(1);
        }

        @Actor
        public void second() {
            run.request(1);
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = seen.samples;
            result.r2 = seen.ordered;
        }
    }

    /** Two loads end at once; the stream ends with them. */
    @JCStressTest
    @Outcome(id = "2, 1, 1", expect = Expect.ACCEPTABLE, desc = "both, in order, then the end")
    @State
    public static class TwoLoadsEnd {
        private final Seen seen = new Seen();
        private final Pending first = new Pending();
        private final Pending second = new Pending();

        public TwoLoadsEnd() {
            run(seen, first, second).request(2);
        }

        @Actor
        public void first() {
            first.complete(0);
        }

        @Actor
        public void second() {
            second.complete(1);
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = seen.samples;
            result.r2 = seen.ordered;
            result.r3 = seen.completions;
        }
    }

    /** A load ends while more is asked for. */
    @JCStressTest
    @Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "both, in order")
    @State
    public static class RequestWhileALoadEnds {
        private final Seen seen = new Seen();
        private final Pending load = new Pending();
        private final MergeRun<Integer> run = run(seen, load, 1, 2);

        public RequestWhileALoadEnds() {
            run.request(1);
        }

        @Actor
        public void end() {
            load.complete(0);
        }

        @Actor
        public void request() {
            run.request(1);
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = seen.samples;
            result.r2 = seen.ordered;
        }
    }

    /** A cancel never leaves a load under way. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not begun, or cancelled")
    @State
    public static class CancelWhileALoadBegins {
        private final Pending load = new Pending();
        private final MergeRun<Integer> run = run(new Seen(), load);

        @Actor
        public void request() {
            run.request(1);
        }

        @Actor
        public void cancel() {
            run.cancel();
        }

        @Arbiter
        public void after(I_Result result) {
            result.r1 = load.isUnderWay() ? 1 : 0;
        }
    }

    /** One load fails and the next one ends: the failure comes first, and alone. */
    @JCStressTest
    @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "the error alone")
    @State
    public static class ErrorWhileALoadEnds {
        private final Seen seen = new Seen();
        private final Pending first = new Pending();
        private final Pending second = new Pending();

        public ErrorWhileALoadEnds() {
            run(seen, first, second).request(2);
        }

        @Actor
        public void fail() {
            first.fail();
        }

        @Actor
        public void end() {
            second.complete(1);
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = seen.samples;
            result.r2 = seen.errors;
            result.r3 = seen.completions;
        }
    }

    /** Workers begin the draws while more are asked for. */
    @JCStressTest
    @Outcome(id = "6, 1, 1", expect = Expect.ACCEPTABLE, desc = "all, in order, then the end")
    @State
    public static class RequestWhileAWorkerBegins {
        private static final long EXPENSIVE_NANOS = 100_000;

        private final Seen seen = new Seen();
        private final Workers workers = new Workers();
        private final MergeRun<Integer> run = run(RequestWhileAWorkerBegins::expensive, 6, workers, seen);

        /** The first draws take long enough for the stream to leave the others to the workers. */
        public RequestWhileAWorkerBegins() {
            run.request(2);
            workers.work();
        }

        @Actor
        public void request() {
            run.request(4);
        }

        @Actor
        public void worker() {
            workers.work();
        }

        @Arbiter
        public void after(III_Result result) {
            workers.work();
            result.r1 = seen.samples;
            result.r2 = seen.ordered;
            result.r3 = seen.completions;
        }

        private static Integer expensive(long index) {
            long until = System.nanoTime() + EXPENSIVE_NANOS;
            while (index < 2 && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            return (int) index;
        }

        /** Keeps tasks until a thread works them off. */
        private static final class Workers implements Scheduler {
            private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

            @Override
            public Disposable schedule(Runnable task) {
                tasks.add(task);
                return () -> {};
            }

            void work() {
                for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                    task.run();
                }
            }

            @Override
            public Worker createWorker() {
                throw new UnsupportedOperationException();
            }
        }
    }
}
