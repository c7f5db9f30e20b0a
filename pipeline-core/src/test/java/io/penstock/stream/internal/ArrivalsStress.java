package io.penstock.stream.internal;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.util.concurrent.atomic.AtomicInteger;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** Races of the samples of another stream: arrivals, demand, the source's end and cancels. */
public final class ArrivalsStress {

    private ArrivalsStress() {}

    /** What came, and what was thrown away. */
    private static final class Seen implements CoreSubscriber<Sample<Integer>> {
        private final AtomicInteger discarded = new AtomicInteger();
        private final Context context =
                Operators.enableOnDiscard(Context.empty(), sample -> discarded.incrementAndGet());
        private int samples;
        private int ordered = 1;
        private int completions;
        private Subscription subscription = Operators.emptySubscription();

        @Override
        public Context currentContext() {
            return context;
        }

        @Override
        public void onSubscribe(Subscription s) {
            subscription = s;
        }

        @Override
        public void onNext(Sample<Integer> sample) {
            if (sample.value() != samples) {
                ordered = 0;
            }
            samples++;
        }

        @Override
        public void onError(Throwable e) {
            ordered = 0;
        }

        @Override
        public void onComplete() {
            completions++;
        }
    }

    /** A source that emits when the test says so. */
    private static final class Source extends Flux<Sample<Integer>> {
        private CoreSubscriber<? super Sample<Integer>> merge = Operators.emptySubscriber();

        @Override
        public void subscribe(CoreSubscriber<? super Sample<Integer>> actual) {
            merge = actual;
            actual.onSubscribe(Operators.emptySubscription());
        }

        void emit(int value) {
            merge.onNext(Sample.of(new Draw(0, 0, value, new Position(0, value + 1)), value));
        }

        void complete() {
            merge.onComplete();
        }
    }

    private static Source source(Seen seen) {
        Source source = new Source();
        Arrivals.merge(source, (draws, begun) -> {}, new Execution(4, Schedulers.immediate(), 1, 0), seen);
        return source;
    }

    /** Elements arrive while more are asked for. */
    @JCStressTest
    @Outcome(id = "3, 1, 1", expect = Expect.ACCEPTABLE, desc = "all, in order, then the end")
    @State
    public static class RequestWhileElementsArrive {
        private final Seen seen = new Seen();
        private final Source source = source(seen);

        public RequestWhileElementsArrive() {
            seen.subscription.request(1);
        }

        @Actor
        public void arrive() {
            source.emit(0);
            source.emit(1);
            source.emit(2);
            source.complete();
        }

        @Actor
        public void request() {
            seen.subscription.request(5);
        }

        @Arbiter
        public void after(III_Result result) {
            result.r1 = seen.samples;
            result.r2 = seen.ordered;
            result.r3 = seen.completions;
        }
    }

    /** Each element is delivered or discarded, whenever the cancel comes. */
    @JCStressTest
    @Outcome(id = "3, 1", expect = Expect.ACCEPTABLE, desc = "each once")
    @State
    public static class CancelWhileElementsArrive {
        private final Seen seen = new Seen();
        private final Source source = source(seen);

        public CancelWhileElementsArrive() {
            seen.subscription.request(2);
        }

        @Actor
        public void arrive() {
            source.emit(0);
            source.emit(1);
            source.emit(2);
        }

        @Actor
        public void cancel() {
            seen.subscription.cancel();
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = seen.samples + seen.discarded.get();
            result.r2 = seen.ordered;
        }
    }
}
