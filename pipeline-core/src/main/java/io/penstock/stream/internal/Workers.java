package io.penstock.stream.internal;

import io.penstock.stream.Execution;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Hands a stream's workers to the stages through the subscription's context: a pipeline itself has no threads. */
public final class Workers {

    private static final Object KEY = Workers.class;

    private Workers() {}

    static Context in(Context context, Execution execution) {
        return context.put(KEY, execution.workers());
    }

    /** The workers of the stream that subscribed; the standard ones outside of a stream. */
    public static Scheduler of(ContextView context) {
        return context.hasKey(KEY) ? context.get(KEY) : Execution.standard().workers();
    }
}
