package io.penstock.stream.internal;

import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pending;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.math.BigInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Races of a merge with a window: samples pass slower ones, and each says exactly what was delivered before it. */
public final class UnorderedRunStress {

    private static final int IN_FLIGHT = 2;
    private static final int WINDOW = 4;

    private UnorderedRunStress() {}

    /** Which samples came, and whether each one's position told it. */
    private static final class Seen implements CoreSubscriber<Sample<Integer>> {
        private final int draws;
        private int delivered;
        private int exact = 1;
        private int completions;
        private int errors;

        Seen(int draws) {
            this.draws = draws;
        }

        @Override
        public void onSubscribe(Subscription s) {}

        @Override
        public void onNext(Sample<Integer> sample) {
            int bit = 1 << sample.draw().index();
            if ((delivered & bit) != 0 || sample.value() != sample.draw().index()) {
                exact = 0;
            }
            delivered |= bit;
            if (!sample.draw().next().equals(position())
                    || sample.draw().left() != draws - Integer.bitCount(delivered)) {
                exact = 0;
            }
        }

        private Position position() {
            if (delivered == (1 << draws) - 1) {
                return new Position(1, 0);
            }
            int turn = Integer.numberOfTrailingZeros(~delivered);
            return new Position(0, turn, BigInteger.valueOf(delivered >> turn));
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

    /** Begins draws with these: a value, or a load that the test ends. */
    private static MergeRun<Integer> run(Seen seen, Object... outcomes) {
        Execution execution = new Execution(IN_FLIGHT, Schedulers.immediate(), 1, WINDOW);
        return new MergeRun<>(
                (drawn, begun) -> {
                    for (int i = 0; i < drawn.length; i++) {
                        begun[i] = outcomes[(int) drawn[i].index()];
                    }
                },
                1,
                new ComputedDraws(
                        Sampler.sequential().draws(outcomes.length), 0, false, indices -> Mono.empty(), execution),
                execution,
                new LoadWindow(execution, 1, null),
                seen);
    }

    /** Two loads end at once. */
    @JCStressTest
    @Outcome(id = "15, 1, 1", expect = Expect.ACCEPTABLE, desc = "each once, then the end")
    @State
    public static class TwoLoadsEnd {
        private final Seen seen = new Seen(4);
        private final Pending first = new Pending();
        private final Pending second = new Pending();

        public TwoLoadsEnd() {
            run(seen, first, second, 2, 3).request(4);
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
            result.r1 = seen.delivered;
            result.r2 = seen.exact;
            result.r3 = seen.completions;
        }
    }

    /** The slow load ends, which has the turn, while samples that pass it are asked for. */
    @JCStressTest
    @Outcome(id = "31, 1, 1", expect = Expect.ACCEPTABLE, desc = "each once, then the end")
    @State
    public static class RequestWhileTheSlowLoadEnds {
        private final Seen seen = new Seen(5);
        private final Pending slow = new Pending();
        private final MergeRun<Integer> run = run(seen, slow, 1, 2, 3, 4);

        public RequestWhileTheSlowLoadEnds() {
            run.request(2);
        }

        @Actor
        public void end() {
            slow.complete(0);
        }

        @Actor
        public void request() {
            run.request(3);
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = seen.delivered;
            result.r2 = seen.exact;
            result.r3 = seen.completions;
        }
    }

    /** The slow load ends while the run is cancelled: nothing is under way behind it, and nothing came twice. */
    @JCStressTest
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "ended, or cancelled")
    @State
    public static class CancelWhileTheSlowLoadEnds {
        private final Seen seen = new Seen(4);
        private final Pending slow = new Pending();
        private final Pending other = new Pending();
        private final MergeRun<Integer> run = run(seen, slow, 1, other, 3);

        public CancelWhileTheSlowLoadEnds() {
            run.request(4);
        }

        @Actor
        public void end() {
            slow.complete(0);
        }

        @Actor
        public void cancel() {
            run.cancel();
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = other.isUnderWay() ? 1 : 0;
            result.r2 = seen.exact;
        }
    }

    /** One load fails while the other ends: it comes before the error or not at all. */
    @JCStressTest
    @Outcome(
            id = {"0, 1, 0", "1, 1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "one error, and no end")
    @State
    public static class ErrorWhileALoadEnds {
        private final Seen seen = new Seen(2);
        private final Pending first = new Pending();
        private final Pending second = new Pending();

        public ErrorWhileALoadEnds() {
            run(seen, first, second).request(2);
        }

        @Actor
        public void end() {
            first.complete(0);
        }

        @Actor
        public void fail() {
            second.fail();
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = seen.delivered;
            result.r2 = seen.errors;
            result.r3 = seen.completions;
        }
    }
}
