package io.penstock.cache;

import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import reactor.core.publisher.Mono;

/**
 * A loader of samples, whose figures decide in which form they are kept.
 *
 * @param <R> what a caller asks with, as for a {@link Lookup}
 * @param <T> the samples
 */
public interface MeasuredLoader<R, T> {

    /** Where a request stands: the part of the data that its sample is of, the epoch, and how many draws come after it. */
    record Drawn(int part, long epoch, long left) {}

    /** The nanoseconds that a load takes: of a processor, and of one of the loads in flight at the source. */
    record Cost(double processor, double source) {}

    /** What so many loads of an epoch have taken in all, in the same. */
    record Spent(long loads, double processor, double source) {

        static final Spent NOTHING = new Spent(0, 0, 0);

        /** By the mean of the loads since then. */
        Cost since(Spent before) {
            double count = Math.max(1, loads - before.loads);
            return new Cost(
                    Math.max(0, processor - before.processor) / count, Math.max(0, source - before.source) / count);
        }
    }

    /** Where a request stands in its epoch. */
    Drawn drawn(R request);

    /** What loads like this one have taken in this epoch. */
    Spent spent(R request);

    /** Makes a value of its origin, on a worker. */
    Mono<T> remade(ByteBuffer origin, R request);

    /** Unpacks a value on a worker. */
    Mono<ByteBuffer> unpacked(Callable<ByteBuffer> unpacking, R request);
}
