package io.penstock.stream.internal;

import io.penstock.internal.Begun;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** The stream of a pipeline: each subscription merges the loads of its own draws, in draw order. */
public final class OrderedMerge<T> extends Flux<Sample<T>> implements Scannable {

    /** Begins the loads of a pipeline. */
    @FunctionalInterface
    public interface Loader {

        /**
         * Begins draws one after another on the calling thread. {@code begun[i]} gets the value of {@code draws[i]},
         * {@link Begun#ABSENT}, a cold {@code Mono}, or a {@link Begun.Failed}. Behind {@link Arrivals} it has the
         * value that arrived, or {@link Begun#ABSENT}.
         */
        void beginAll(Draw[] draws, Object[] begun);
    }

    /**
     * Begins loads whose values may be views.
     * @param lost changes when one could not be read
     */
    public record Lending(Loader loader, LongSupplier lost) {}

    private static final int MAX_IN_FLIGHT = 1 << 20;

    private final Loader loader;
    private final int groupSize;
    private final Function<long[], Mono<Void>> prefetch;
    private final Draws draws;
    private final Execution execution;
    private final @Nullable ReadAhead<? super T> readAhead;
    private @Nullable Lending lending;
    private Consumer<Supplier<LoadsInFlight>> told = loads -> {};
    private boolean lends;
    private long from;

    /**
     * @param groupSize how many draws are begun at once where that pays: each such group is one load in flight
     * @param prefetch loads what samples lie in, as {@link io.penstock.pipeline.Dataset#prefetch} does
     */
    public OrderedMerge(
            Loader loader,
            int groupSize,
            Function<long[], Mono<Void>> prefetch,
            Draws draws,
            Execution execution,
            @Nullable ReadAhead<? super T> readAhead) {
        this.loader = loader;
        this.groupSize = groupSize;
        this.prefetch = prefetch;
        this.draws = draws;
        this.execution = execution;
        this.readAhead = readAhead;
    }

    /** The same stream, of which a subscriber that copies at once may take views: see {@link #lent}. */
    public OrderedMerge<T> lending(@Nullable Lending views) {
        lending = views;
        return this;
    }

    /** The same stream, which says at each subscription where to find how many loads it has in flight. */
    public OrderedMerge<T> telling(Consumer<Supplier<LoadsInFlight>> whom) {
        told = whom;
        return this;
    }

    /** The same stream of views of mapped files; null if it has none, or a later sample may be delivered first. */
    public @Nullable Lent<T> lent() {
        Lending views = lending;
        return views == null || execution.window() > 1 ? null : new Lent<>(at -> from(at, views), views.lost());
    }

    private OrderedMerge<T> from(@Nullable Position position, Lending views) {
        OrderedMerge<T> rest = new OrderedMerge<>(views.loader(), groupSize, prefetch, draws, execution, readAhead);
        rest.from = numberAt(position);
        rest.lends = true;
        rest.told = told;
        return rest;
    }

    /** How many draws lie before a position. */
    private long numberAt(@Nullable Position position) {
        long low = 0;
        long high = draws.count();
        while (position != null && low < high) {
            long middle = low + (high - low + 1) / 2;
            if (draws.position(middle).compareTo(position) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Sample<T>> actual) {
        MergeRun<T> run;
        try {
            ComputedDraws supply = new ComputedDraws(draws, from, lends, prefetch, execution);
            int most = execution.tuned() ? LoadWindow.MOST : MAX_IN_FLIGHT;
            int inFlight = (int) Math.min(most, (long) execution.inFlight() * groupSize);
            Execution grouped = new Execution(
                    inFlight, execution.workers(), execution.parallelism(), execution.window(), execution.tuned());
            LoadWindow window = new LoadWindow(grouped, groupSize, readAhead);
            told.accept(window::now);
            run = new MergeRun<>(loader, groupSize, supply, grouped, window, actual);
        } catch (Throwable e) {
            Operators.error(actual, Thrown.signal(e));
            return;
        }
        actual.onSubscribe(run);
        if (draws.count() == from) {
            run.drain(); // nothing to wait for, not even a request
        }
    }

    @Override
    @SuppressWarnings("rawtypes") // as Reactor declares it
    public @Nullable Object scanUnsafe(Attr key) {
        if (key == Attr.PREFETCH) {
            return execution.inFlight();
        }
        return key == Attr.RUN_STYLE ? Attr.RunStyle.ASYNC : null;
    }
}
