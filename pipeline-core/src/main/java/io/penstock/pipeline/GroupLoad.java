package io.penstock.pipeline;

import io.penstock.internal.Guarded;
import io.penstock.internal.Span;
import io.penstock.internal.Spans;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One load of several draws, each of which is a {@code Mono} of its own for the stages below. The first that is
 * requested begins the load of all; the load is cancelled when the last that waits for it is.
 *
 * <p>A place holds nothing, {@link #RESERVED} once subscribed to, its {@link Waiter} once requested, and at last
 * {@link #TOLD}. If its outcome comes before the waiter, it holds that in between.
 */
final class GroupLoad<T> implements GroupLoader.Receiver<T> {

    private static final Object RESERVED = new Object();
    private static final Object TOLD = new Object();

    private record Outcome<T>(@Nullable T value, @Nullable Throwable failure) {}

    private final Source<T> source;
    private final GroupLoader<T> loader;
    private final Draw[] draws;
    private final AtomicReferenceArray<@Nullable Object> places;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean started = new AtomicBoolean();
    private final Disposable.Swap load = Disposables.swap();
    private volatile long startedAt;
    private volatile List<@Nullable Span> spans = List.of();

    private GroupLoad(Source<T> source, GroupLoader<T> loader, Draw[] draws) {
        this.source = source;
        this.loader = loader;
        this.draws = draws;
        this.places = new AtomicReferenceArray<>(draws.length);
    }

    /** Begins draws in groups of at most this size. */
    static <T> void beginAll(Source<T> source, GroupLoader<T> loader, int size, Draw[] draws, Object[] begun) {
        for (int from = 0; from < draws.length; from += size) {
            int to = Math.min(draws.length, from + size);
            GroupLoad<T> group = new GroupLoad<>(source, loader, Arrays.copyOfRange(draws, from, to));
            for (int i = from; i < to; i++) {
                begun[i] = group.new Member(i - from);
            }
        }
    }

    private void start(Context context) {
        if (started.compareAndSet(false, true)) {
            startedAt = System.nanoTime();
            spans = Spans.begin(draws.length);
            long[] indices = Arrays.stream(draws).mapToLong(Draw::index).toArray();
            load.update(new Guarded<>(Mono.defer(Thrown.supplier(() -> loader.getAll(indices, this))))
                    .subscribe(none -> {}, this::failRest, this::failForgotten, context));
        }
    }

    /** One that comes to wait meanwhile finds the load started, so it is looked for once more. */
    private void stop(Context context) {
        load.update(Disposables.disposed());
        started.set(false);
        if (waiting.get() > 0) {
            start(context);
        }
    }

    private void failForgotten() {
        if (IntStream.range(0, draws.length).anyMatch(this::isForgotten)) {
            failRest(new IllegalStateException("the dataset told neither a value nor a failure of the sample"));
        }
    }

    private boolean isForgotten(int place) {
        Object held = places.get(place);
        return held != TOLD && !(held instanceof Outcome<?>);
    }

    private void failRest(Throwable cause) {
        for (int place = 0; place < draws.length; place++) {
            failure(place, cause);
        }
    }

    @Override
    public boolean wants(int place) {
        return places.get(place) != TOLD;
    }

    @Override
    public void value(int place, T value) {
        tell(place, value, null);
    }

    @Override
    public void failure(int place, Throwable cause) {
        tell(place, null, cause);
    }

    private void tell(int place, @Nullable T value, @Nullable Throwable failure) {
        Object held = places.get(place);
        while (held == null || held == RESERVED) {
            if (places.compareAndSet(place, held, new Outcome<>(value, failure))) {
                return;
            }
            held = places.get(place);
        }
        if (held instanceof GroupLoad<?>.Waiter waiter && places.compareAndSet(place, held, TOLD)) {
            waiting.decrementAndGet();
            deliver(waiter, place, value, failure);
        }
    }

    @SuppressWarnings("unchecked") // a place holds waiters of its own group
    private void deliver(GroupLoad<?>.Waiter waiting, int place, @Nullable T value, @Nullable Throwable failure) {
        GroupLoad<T>.Waiter waiter = (GroupLoad<T>.Waiter) waiting;
        try {
            if (value == null) {
                waiter.onError(source.failure(draws[place], failure == null ? new NullPointerException() : failure));
            } else {
                source.loaded(draws[place], startedAt, draws.length, spans.get(place));
                waiter.complete(value);
            }
        } catch (Throwable e) { // of this draw's subscriber: the other draws must not miss their outcomes
            waiter.fail(e);
        }
    }

    /** A draw of the group. A later subscriber gets a load of its own. */
    private final class Member extends Mono<T> {

        private final int place;

        Member(int place) {
            this.place = place;
        }

        @Override
        public void subscribe(CoreSubscriber<? super T> actual) {
            if (places.get(place) instanceof Outcome<?> || places.compareAndSet(place, null, RESERVED)) {
                actual.onSubscribe(new Waiter(place, actual));
            } else {
                source.load(draws[place]).subscribe(actual);
            }
        }
    }

    private final class Waiter extends Operators.MonoSubscriber<T, T> {

        private final int place;

        Waiter(int place, CoreSubscriber<? super T> actual) {
            super(actual);
            this.place = place;
        }

        @Override
        @SuppressWarnings("unchecked") // a place holds outcomes of its own group
        public void request(long n) {
            super.request(n);
            if (places.compareAndSet(place, RESERVED, this)) {
                waiting.incrementAndGet();
                start(currentContext());
            }
            Object held = places.get(place);
            if (held instanceof Outcome<?> outcome && places.compareAndSet(place, held, TOLD)) {
                deliver(this, place, (T) outcome.value, outcome.failure);
            }
        }

        @Override
        public void cancel() {
            super.cancel();
            if (places.compareAndSet(place, this, TOLD) && waiting.decrementAndGet() == 0) {
                stop(currentContext());
            }
        }

        /** Its subscriber threw. */
        void fail(Throwable thrown) {
            Guarded.fail(this, thrown);
        }
    }
}
