package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Exceptions;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * The samples of another stream, which a {@link MergeRun} takes in the order of their arrival.
 *
 * <p>Upstream is asked for a window ahead of what was delivered, so {@code arrived <= asked <= delivered + window}. A
 * sample waits in its slot until the thread that begins it takes it out.
 */
public final class Arrivals<A> implements CoreSubscriber<Sample<A>>, Scannable, Supply {

    private final MergeRun<?> run;
    private final CoreSubscriber<?> actual;
    private final Slots<Sample<A>> slots;
    private final int window;
    private volatile @Nullable Subscription upstream;
    private volatile long arrived; // written by upstream's thread only
    private volatile long count = Long.MAX_VALUE;
    private volatile boolean stopped;
    private volatile long asked; // written by the draining thread only
    private @Nullable Throwable failure; // published by count

    private <T> Arrivals(OrderedMerge.Loader loader, Execution execution, CoreSubscriber<? super Sample<T>> actual) {
        this.actual = actual;
        this.window = execution.inFlight();
        this.slots = new Slots<>(window);
        LoadWindow loads = new LoadWindow(execution.inFlight(window), 1, null);
        this.run = new MergeRun<>(loader, 1, this, execution.window(0), loads, actual);
    }

    /**
     * Subscribes to the source. Its samples pass the loader, several at once, and are delivered in their order.
     * @param loader finds the samples' values where it puts its own, {@link Begun#ABSENT} for a sample without one
     */
    public static <A, T> void merge(
            Flux<? extends Sample<A>> source,
            OrderedMerge.Loader loader,
            Execution execution,
            CoreSubscriber<? super Sample<T>> actual) {
        Arrivals<A> arrivals = new Arrivals<>(loader, execution, actual);
        try {
            source.subscribe(arrivals);
        } catch (Throwable e) {
            arrivals.refuse(e);
        }
    }

    private void refuse(Throwable thrown) {
        if (upstream == null) {
            Operators.error(actual, Thrown.signal(thrown));
        } else {
            run.breakOff(thrown);
        }
    }

    // ---- upstream's signals, one at a time

    @Override
    public Context currentContext() {
        return run.context;
    }

    @Override
    public void onSubscribe(Subscription s) {
        if (Operators.validate(upstream, s)) {
            upstream = s;
            actual.onSubscribe(run);
        }
    }

    @Override
    public void onNext(Sample<A> sample) {
        long number = arrived;
        if (count != Long.MAX_VALUE) {
            Operators.onNextDropped(sample, currentContext());
        } else if (stopped) {
            Operators.onDiscard(sample, currentContext());
        } else if (number == asked) {
            Operators.onDiscard(sample, currentContext());
            run.breakOff(Exceptions.failWithOverflow(
                    "the source emitted more than the %d samples it was asked for; put onBackpressureBuffer behind it"
                            .formatted(number)));
        } else {
            slots.setLazily(number, sample);
            arrived = number + 1;
            run.drain();
        }
    }

    @Override
    public void onError(Throwable e) {
        if (count == Long.MAX_VALUE && !stopped) {
            failure = e;
            end();
        } else {
            Operators.onErrorDropped(e, currentContext());
        }
    }

    @Override
    public void onComplete() {
        if (count == Long.MAX_VALUE) {
            end();
        }
    }

    private void end() {
        count = arrived;
        run.drain();
    }

    // ---- what the merge asks

    @Override
    public long count() {
        return count;
    }

    @Override
    public long available() {
        return arrived;
    }

    @Override
    public boolean take(long first, Draw[] draws, Object[] begun) {
        for (int i = 0; i < draws.length; i++) {
            Sample<A> sample = slots.take(first + i);
            if (sample == null) {
                discard(Arrays.copyOf(draws, i), begun, 0);
                return false; // stopped, and thrown away
            }
            draws[i] = sample.draw();
            begun[i] = sample.isPresent() ? sample.value() : Begun.ABSENT;
        }
        return true;
    }

    /** What arrives is delivered in order. */
    @Override
    public Position position(long number) {
        return Position.START;
    }

    @Override
    public void discard(Draw[] draws, Object[] begun, int from) {
        for (int i = from; i < draws.length; i++) {
            Operators.onDiscard(
                    begun[i] == Begun.ABSENT ? Sample.absent(draws[i]) : Sample.of(draws[i], begun[i]),
                    currentContext());
        }
    }

    /** Asks for more once a quarter of the window is free, as Reactor's operators do. */
    @Override
    public void delivered(long number) {
        long free = number + window - asked;
        Subscription subscribed = upstream;
        if (free > 0 && free >= window >> 2 && count == Long.MAX_VALUE && subscribed != null) {
            asked = number + window;
            subscribed.request(free);
        }
    }

    @Override
    public @Nullable Throwable failure() {
        return failure;
    }

    @Override
    public void stop() {
        Subscription subscribed = upstream;
        if (!stopped) {
            stopped = true;
            if (subscribed != null && count == Long.MAX_VALUE) {
                subscribed.cancel();
            }
        }
        slots.clear(sample -> Operators.onDiscard(sample, currentContext()));
    }

    @Override
    public @Nullable Subscription upstream() {
        return upstream;
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PARENT) {
            return upstream;
        }
        if (key == Attr.ACTUAL) {
            return run;
        }
        return key == Attr.TERMINATED ? (Object) (count != Long.MAX_VALUE) : null;
    }
}
