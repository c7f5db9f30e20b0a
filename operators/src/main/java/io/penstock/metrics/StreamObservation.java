package io.penstock.metrics;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.observability.DefaultSignalListener;
import reactor.core.observability.SignalListener;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Observes each subscription of a flux, for traces and meters: a stream of batches, one batch of a server, or a job. A
 * stream's epochs can be observed within it. There is no observation of a sample.
 * <pre>{@code
 *  batches.tap(StreamObservation.<Batch>of(registry, "penstock.stream").epochs(Batch::epoch))
 * }</pre>
 *
 * <p>An observation begins at the subscription and stops once, with the key {@code outcome}: {@code complete},
 * {@code error} or {@code cancel}. Its parent is the observation in Reactor's context, else that of the subscribing
 * thread. Upstream finds it in Reactor's context. Demand is not changed.
 */
public final class StreamObservation<T> implements Function<ContextView, SignalListener<T>> {

    private final ObservationRegistry registry;
    private final String name;
    private final KeyValues tags;
    private final @Nullable ToLongFunction<? super T> epoch;

    private StreamObservation(
            ObservationRegistry registry, String name, KeyValues tags, @Nullable ToLongFunction<? super T> epoch) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.name = Objects.requireNonNull(name, "name");
        this.tags = Objects.requireNonNull(tags, "tags");
        this.epoch = epoch;
    }

    /** Observations of a name. */
    public static <T> StreamObservation<T> of(ObservationRegistry registry, String name) {
        return of(registry, name, KeyValues.empty());
    }

    /** Observations of a name with tags of few values, which meters have too. */
    public static <T> StreamObservation<T> of(ObservationRegistry registry, String name, KeyValues tags) {
        return new StreamObservation<>(registry, name, tags, null);
    }

    /**
     * A copy that also observes epochs, as {@code NAME.epoch} with the key {@code epoch}. One begins at its first value,
     * and stops at the first value of the next or where the flux ends.
     */
    public StreamObservation<T> epochs(ToLongFunction<? super T> epochOf) {
        return new StreamObservation<>(registry, name, tags, Objects.requireNonNull(epochOf, "epochOf"));
    }

    /** The listener of a subscription. */
    @Override
    public SignalListener<T> apply(ContextView context) {
        return new Observed(context.getOrDefault(ObservationThreadLocalAccessor.KEY, null));
    }

    private Observation observation(String named, @Nullable Observation parent) {
        Observation observation = Observation.createNotStarted(named, registry).lowCardinalityKeyValues(tags);
        return parent == null ? observation : observation.parentObservation(parent); // null would hide the thread's
    }

    /** One subscription. A cancel may come while a value does, from another thread. */
    private final class Observed extends DefaultSignalListener<T> {

        private final Observation whole;
        private final Object lock = new Object();
        private boolean ended;
        private Observation part = Observation.NOOP;
        private long number = Long.MIN_VALUE; // no epoch

        Observed(@Nullable Observation parent) {
            this.whole = observation(name, parent);
        }

        @Override
        public void doFirst() {
            whole.start();
        }

        @Override
        public Context addToContext(Context original) {
            return original.put(ObservationThreadLocalAccessor.KEY, whole);
        }

        @Override
        public void doOnNext(T value) {
            if (epoch == null) {
                return;
            }
            long its = epoch.applyAsLong(value);
            synchronized (lock) {
                if (!ended && its != number) {
                    stop(part, "complete", null);
                    number = its;
                    part = observation(name + ".epoch", whole).highCardinalityKeyValue("epoch", Long.toString(its));
                    part.start();
                }
            }
        }

        @Override
        public void doOnComplete() {
            end("complete", null);
        }

        @Override
        public void doOnError(Throwable cause) {
            end("error", cause);
        }

        @Override
        public void doOnCancel() {
            end("cancel", null);
        }

        /** Such as a function of epochs that fails. */
        @Override
        public void handleListenerError(Throwable cause) {
            end("error", cause);
        }

        private void end(String outcome, @Nullable Throwable cause) {
            synchronized (lock) {
                if (!ended) {
                    ended = true;
                    stop(part, outcome, cause);
                    stop(whole, outcome, cause);
                }
            }
        }

        private static void stop(Observation observation, String outcome, @Nullable Throwable cause) {
            if (cause != null) {
                observation.error(cause);
            }
            observation.lowCardinalityKeyValue("outcome", outcome).stop();
        }
    }
}
