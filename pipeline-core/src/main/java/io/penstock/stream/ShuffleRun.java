package io.penstock.stream;

import io.penstock.order.internal.ShuffleSlots;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.publisher.SynchronousSink;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** One subscription to a shuffled flux. */
final class ShuffleRun<T> {

    private final ShuffleSlots slots;
    private final Context context;
    private final AtomicReferenceArray<@Nullable T> waiting;
    private final int[] missing; // the slots in the order in which their elements arrive
    private final long from;
    private int filled;
    private long arrivals;
    private volatile boolean over;

    /** @param slots before the first step of this run */
    ShuffleRun(int n, ShuffleSlots slots, ContextView context) {
        this.slots = slots;
        this.context = Context.of(context);
        this.waiting = new AtomicReferenceArray<>(n);
        this.missing = slots.byArrival();
        this.from = slots.step();
        this.arrivals = slots.oldest();
    }

    /** The source, shuffled. */
    Flux<T> over(Flux<T> source) {
        return source.<T>handle(this::take).concatWith(Flux.defer(this::rest)).doFinally(signal -> discard());
    }

    private void take(T element, SynchronousSink<T> sink) {
        if (element instanceof Sample<?> sample) {
            sink.error(new IllegalStateException(
                    ("cannot shuffle sample %d, which has its number already: its batch could not tell where to go on; "
                                    + "place ShuffleBuffer before Samples.numbered")
                            .formatted(sample.draw().index())));
            return;
        }
        T leaving = put(element);
        if (leaving != null) {
            sink.next(leaving);
        }
        if (over) { // what discards what waits may have come before this element
            discard();
        }
    }

    /** Puts an element into its slot; returns the one that leaves, if the buffer is full. */
    private @Nullable T put(T element) {
        long arrival = arrivals++;
        if (filled == missing.length) {
            return waiting.getAndSet(slots.next(), element);
        }
        int slot = missing[filled];
        if (slots.arrival(slot) == arrival) {
            waiting.set(slot, element);
            filled++;
        } else {
            Operators.onDiscard(element, context); // it left before this run
        }
        return null;
    }

    /** What waits when the source has ended, in random order. */
    private Flux<T> rest() {
        if (from > 0 && filled < missing.length) {
            return Flux.error(new IllegalStateException(
                    ("cannot resume the shuffle at number %d: the source ended after %d elements, and that end decided "
                                    + "the order of the last %d; resume at number %d or before")
                            .formatted(from, arrivals, missing.length, Math.max(0, arrivals - missing.length))));
        }
        List<T> left = new ArrayList<>(filled);
        for (int slot = 0; slot < filled; slot++) {
            T element = waiting.getAndSet(slot, null);
            if (element != null) { // none is left after a cancel
                left.add(element);
            }
        }
        for (int candidates = left.size(); candidates > 1; candidates--) {
            Collections.swap(left, slots.among(slots.step() + candidates, candidates), candidates - 1);
        }
        return Flux.fromIterable(left);
    }

    private void discard() {
        over = true;
        for (int slot = 0; slot < waiting.length(); slot++) {
            Operators.onDiscard(waiting.getAndSet(slot, null), context);
        }
    }
}
