package io.penstock.cli.report;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.stream.Sample;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How fast the consumer alone could go: keeps copies of the last batches of a run and delivers them again, over and
 * over, with no pipeline behind them. The consumer of {@code stream} is its own bookkeeping, and the digest where one
 * is asked for; what it shows is how far the pipeline is from being the slower side.
 */
public final class Headroom<T> {

    private static final long LONG_ENOUGH_NANOS = 500_000_000;
    private static final int ROUNDS_AT_LEAST = 2;

    private final int most;
    private final Deque<Kept<T>> kept = new ArrayDeque<>();

    public interface Consumer<T> {

        /** Receives a batch, which stays the caller's to close, and the samples in it where they were kept. */
        void accept(Batch batch, List<Sample<T>> samples);
    }

    private record Kept<T>(Map<String, Tensor> fields, int size, long epoch, Position next, List<Sample<T>> samples) {}

    /**
     * What the consumer did alone.
     *
     * @param batches that were kept
     * @param samples delivered in all rounds
     * @param seconds that took
     */
    public record Report(long batches, long samples, double seconds) {

        public double samplesPerSecond() {
            return seconds > 0 ? samples / seconds : 0;
        }
    }

    public Headroom(int most) {
        this.most = most;
    }

    /** Copies a batch, in place of the oldest if there are enough. */
    public void keep(Batch batch, List<Sample<T>> samples) {
        if (kept.size() == most) {
            kept.removeFirst();
        }
        Map<String, Tensor> fields = new LinkedHashMap<>();
        for (String name : batch.names()) {
            Tensor field = batch.tensor(name);
            fields.put(name, Tensor.of(field.dtype(), field.shape(), ByteBuffer.wrap(field.toByteArray())));
        }
        kept.addLast(new Kept<>(fields, batch.size(), batch.epoch(), batch.next(), List.copyOf(samples)));
    }

    /**
     * Delivers what was kept for half a second at least; nothing if nothing was.
     * @param clock in nanoseconds
     */
    public Optional<Report> measure(Consumer<T> consumer, LongSupplier clock) {
        if (kept.isEmpty()) {
            return Optional.empty();
        }
        List<Kept<T>> batches = new ArrayList<>(kept);
        long samples = 0;
        long started = clock.getAsLong();
        long took = 0;
        for (int round = 0; round < ROUNDS_AT_LEAST || took < LONG_ENOUGH_NANOS; round++) {
            for (Kept<T> each : batches) {
                try (Batch batch = new Batch(each.fields, each.size, null, each.epoch, each.next, () -> {})) {
                    consumer.accept(batch, each.samples);
                }
                samples += each.size;
            }
            took = clock.getAsLong() - started;
        }
        return Optional.of(new Report(batches.size(), samples, took / 1e9));
    }
}
