package io.penstock.stream.internal;

import io.penstock.internal.AccessFaults;
import io.penstock.internal.Thrown;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.stream.Execution;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * Draws that are all there from the beginning. While those of some windows are delivered, what the next windows lie in
 * is loaded: a stream that waits for it when its first sample is drawn has one busy thread at a time.
 */
final class ComputedDraws implements Supply {

    private final Draws draws;
    private final long from;
    private final boolean lends;
    private final AccessFaults faults = new AccessFaults();
    private final long count;
    private final Function<long[], Mono<Void>> prefetch;
    private final Execution execution;
    private final Disposable.Swap loading = Disposables.swap();
    private long next; // the first draw of the windows that were loaded ahead; of the draining thread

    /**
     * @param from how many of the draws are left out
     * @param lends whether samples are views of mapped files, which the subscriber copies as they come
     */
    ComputedDraws(Draws draws, long from, boolean lends, Function<long[], Mono<Void>> prefetch, Execution execution) {
        this.draws = draws;
        this.from = from;
        this.lends = lends;
        this.count = draws.count() - from;
        this.prefetch = prefetch;
        this.execution = execution;
    }

    @Override
    public long count() {
        return count;
    }

    @Override
    public long available() {
        return count;
    }

    @Override
    public boolean take(long first, Draw[] taken, Object[] begun) {
        draws.at(from + first, taken);
        return true;
    }

    @Override
    public Position position(long number) {
        return draws.position(from + number);
    }

    @Override
    public void discard(Draw[] taken, Object[] begun, int from) {}

    @Override
    public void delivered(long number) {
        if (lends) {
            faults.raise(); // before another thread completes what was copied on this one
        }
        if (number <= next || number >= count) {
            return;
        }
        Draws.Ahead ahead = draws.ahead(from + number);
        next = ahead == null ? count : ahead.number() - from;
        if (ahead != null && ahead.indices().length > 0) {
            loading.update(Mono.defer(Thrown.supplier(() -> prefetch.apply(ahead.indices())))
                    .subscribeOn(execution.workers())
                    .subscribe(none -> {}, e -> {})); // the samples tell why they cannot be loaded
        }
    }

    @Override
    public @Nullable Throwable failure() {
        return null;
    }

    @Override
    public void stop() {
        loading.dispose();
    }

    @Override
    public @Nullable Subscription upstream() {
        return null;
    }
}
