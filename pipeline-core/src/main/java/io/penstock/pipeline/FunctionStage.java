package io.penstock.pipeline;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.stream.internal.Workers;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** A stage that applies one or several functions, random ones among them, to the values of another one. */
class FunctionStage<A, T> extends Stage<T> {

    final Stage<A> input;
    final StageFunction<A, T> function;

    FunctionStage(Stage<A> input, StageFunction<A, T> function) {
        super(input.fingerprint().with(function.fingerprint()), input);
        this.input = input;
        this.function = function;
    }

    /** A function of a pipeline's values; it joins those that the pipeline ends in. */
    static <A, T> FunctionStage<?, T> over(Stage<A> input, StageFunction<A, T> function) {
        return input instanceof FunctionStage<?, A> staged && !(input instanceof MappedDataset)
                ? staged.then(function)
                : new FunctionStage<>(input, function);
    }

    private <R> FunctionStage<A, R> then(StageFunction<T, R> next) {
        return new FunctionStage<>(input, function.then(next));
    }

    @Override
    final Object begin(Draw draw) {
        return apply(input.begin(draw), draw);
    }

    @Override
    final void beginAll(Draw[] draws, Object[] begun) {
        input.beginAll(draws, begun);
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

    /** Runs the function here and now if the value is at hand, else on a worker once the value comes. */
    @SuppressWarnings("unchecked") // the input began it
    private Object apply(Object begun, Draw draw) {
        if (begun instanceof Mono<?> mono) {
            Mono<A> later = (Mono<A>) mono;
            Function<A, T> apply = Thrown.function(value -> function.apply(value, draw));
            return Mono.deferContextual(
                    context -> later.publishOn(Workers.of(context)).map(apply));
        }
        return begun == Begun.ABSENT ? begun : function.apply((A) begun, draw);
    }

    @Override
    final void report(RunStatistics.Tally tally) {
        super.report(tally);
        function.report(tally);
    }

    @Override
    public final String toString() {
        return input + "\n" + function;
    }
}
