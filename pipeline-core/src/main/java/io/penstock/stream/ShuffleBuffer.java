package io.penstock.stream;

import io.penstock.internal.Arguments;
import io.penstock.order.internal.ShuffleSlots;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/**
 * Shuffles a flux through a buffer: each arrival takes the place of an element that leaves.
 * <pre>{@code
 *  in   --a--b--c--d--e--f|
 *  out  -----------b--a--e-[c f d]|      n = 3
 * }</pre>
 *
 * <p>Which place is taken depends on the seed and on how many elements have left, and on nothing else. So the order is
 * a function of (n, seed, order of arrival), and a number says how far it has come: {@link #resumeAt} goes on there
 * exactly, from a source that is read again from element {@link #firstArrival}.
 *
 * <p>It stands before {@code Samples.numbered}, which then numbers elements in the order in which they leave. Samples,
 * which have a number already, are an error.
 *
 * <p><b>Memory</b>: n elements, and 8 bytes for each. <b>Threads</b>: the source's, and at the end the requester's.
 * <b>Emits when</b> n elements wait and another arrives. <b>Backpressures when</b> n elements more were requested of
 * the source than of this. <b>Completes when</b> the source has and what waits has left, in random order. <b>Cancels
 * when</b> the subscriber does; what waits then goes to {@code doOnDiscard}. <b>Errors</b>: the source's at once, and
 * what waits is discarded.
 *
 * <p>Immutable; one instance serves any number of streams.
 */
public final class ShuffleBuffer<T> implements Function<Flux<T>, Flux<T>> {

    private static final int MAX_SIZE = 1 << 24;

    private final int size;
    private final long seed;
    private final long number;

    private ShuffleBuffer(int size, long seed, long number) {
        this.size = size;
        this.seed = seed;
        this.number = number;
    }

    /**
     * A buffer of {@code n} elements.
     * @throws IllegalArgumentException if {@code n} is not in {@code [1, 16,777,216]}
     */
    public static <T> ShuffleBuffer<T> of(int n, long seed) {
        Arguments.refuse(n < 1 || n > MAX_SIZE, "shuffle buffer must be in [1, %d], was %d", MAX_SIZE, n);
        return new ShuffleBuffer<>(n, seed, 0);
    }

    /**
     * Leaves out the first elements of the order, as many as {@code number}. The source's first element must be the
     * one of number {@link #firstArrival}. Those of its elements that left before are discarded.
     *
     * <p>If the source then ends before n elements follow that many, the stream fails: where it ended decided the order
     * of the last n elements.
     * @throws IllegalArgumentException if negative
     */
    public ShuffleBuffer<T> resumeAt(long number) {
        Arguments.refuse(number < 0, "number to resume at must not be negative, was %s", number);
        return new ShuffleBuffer<>(size, seed, number);
    }

    /** The number of arrivals, counted from the very first, that the source need not repeat: all of them have left. */
    public long firstArrival() {
        return slots().oldest();
    }

    /** How many elements wait. */
    public int size() {
        return size;
    }

    public long seed() {
        return seed;
    }

    /** How many elements of the order are left out. */
    public long number() {
        return number;
    }

    private ShuffleSlots slots() {
        return new ShuffleSlots(size, seed, number);
    }

    @Override
    public Flux<T> apply(Flux<T> source) {
        return Flux.deferContextual(context -> new ShuffleRun<T>(size, slots(), context).over(source));
    }

    @Override
    public String toString() {
        return "shuffle buffer of %d, seed %d, from number %d".formatted(size, seed, number);
    }
}
