package io.penstock.pipeline;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.util.function.Function;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Hands the stream's workers to the stages, through the subscription's context: a pipeline itself has no threads. */
final class Workers {

    private static final Object KEY = Workers.class;

    private Workers() {}

    static Context in(Context context, Execution execution) {
        return context.put(KEY, execution.workers());
    }

    private static Scheduler of(ContextView context) {
        return context.hasKey(KEY) ? context.get(KEY) : WorkerPool.SHARED;
    }

    /** Runs a stage on what was begun: here and now if the value is at hand, on a worker once it comes otherwise. */
    @SuppressWarnings("unchecked")
    static <A> Object apply(Object begun, Step<A, ?> step, Draw draw) {
        if (begun instanceof Mono<?> mono) {
            Mono<A> later = (Mono<A>) mono;
            Function<A, Object> apply = Thrown.function(value -> step.apply(value, draw));
            return Mono.deferContextual(context -> later.publishOn(of(context)).map(apply));
        }
        return begun == Begun.ABSENT ? begun : step.apply((A) begun, draw);
    }

    /** The same for several draws, whose failures stay where they are. */
    static void applyAll(Object[] begun, Step<?, ?> step, Draw[] draws) {
        for (int i = 0; i < draws.length; i++) {
            if (!(begun[i] instanceof Begun.Failed)) {
                try {
                    begun[i] = apply(begun[i], step, draws[i]);
                } catch (Throwable e) {
                    begun[i] = Begun.failed(e);
                }
            }
        }
    }
}
