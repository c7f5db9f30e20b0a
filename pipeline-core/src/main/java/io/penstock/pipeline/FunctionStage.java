package io.penstock.pipeline;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.internal.Workers;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A stage that applies functions to the values of another one. */
abstract class FunctionStage<A, T> extends Stage<A, T> {

    final Step<A, T> step;

    FunctionStage(Node<A> base, Step<A, T> step) {
        super(base, base.pipeline().fingerprint().with(step.fingerprint()));
        this.step = step;
    }

    @Override
    public final Object begin(Draw draw) {
        return apply(base.begin(draw), draw);
    }

    @Override
    public final void beginAll(Draw[] draws, Object[] begun) {
        base.beginAll(draws, begun);
        for (int i = 0; i < draws.length; i++) {
            if (!(begun[i] instanceof Begun.Failed)) {
                try {
                    begun[i] = apply(begun[i], draws[i]);
                } catch (Throwable e) {
                    begun[i] = Begun.failed(e);
                }
            }
        }
    }

    /** Runs the step here and now if the value is at hand, else on a worker once the value comes. */
    @SuppressWarnings("unchecked") // the stage above began it
    private Object apply(Object begun, Draw draw) {
        if (begun instanceof Mono<?> mono) {
            Mono<A> later = (Mono<A>) mono;
            Function<A, T> apply = Thrown.function(value -> step.apply(value, draw));
            return Mono.deferContextual(
                    context -> later.publishOn(Workers.of(context)).map(apply));
        }
        return begun == Begun.ABSENT ? begun : step.apply((A) begun, draw);
    }

    @Override
    public void report(RunStatistics.Tally tally) {
        super.report(tally);
        step.report(tally);
    }

    @Override
    public String toString() {
        return base + "\n" + step;
    }
}
