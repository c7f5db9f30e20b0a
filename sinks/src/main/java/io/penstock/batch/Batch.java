package io.penstock.batch;

import io.penstock.order.Position;
import io.penstock.tensor.Tensor;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Samples stacked along a new first axis, in memory that is lent: the receiver of a batch closes it. Its tensors, and
 * what was made of them, are refused from then on: {@link Tensor#copy} makes one that stays. Buffers of {@link
 * Tensor#data} cannot refuse, and must not be read any more. The one thing in a stream that has to be closed.
 *
 * <p>Reading is thread-safe; closing twice does nothing.
 */
public final class Batch implements AutoCloseable {

    private final Map<String, Tensor> fields;
    private final int size;
    private final @Nullable Tensor mask;
    private final long epoch;
    private final Position next;
    private final boolean endsEpoch;
    private final AtomicReference<@Nullable Runnable> release;
    private final Closing closing = new Closing();

    /** Apart from the batch, which a tensor that is kept must not keep from the garbage collector. */
    private static final class Closing implements BooleanSupplier {

        private volatile boolean begun;

        @Override
        public boolean getAsBoolean() {
            return begun;
        }
    }

    /**
     * A batch of rows, the last of its epoch if {@code next} is in another one.
     * @param fields  the stacked fields, {@code [n, …]} each, in schema order
     * @param size    the number of valid rows, at most n; they come first
     * @param mask    {@code bool[n]}, which rows are valid, if rows may be invalid
     * @param epoch   the epoch that all rows belong to
     * @param next    where a run that has consumed this batch goes on
     * @param release called once, at the first close
     */
    public Batch(
            Map<String, Tensor> fields, int size, @Nullable Tensor mask, long epoch, Position next, Runnable release) {
        this(fields, size, mask, epoch, next, next.epoch() > epoch, release);
    }

    /**
     * A batch of rows.
     * @param endsEpoch whether no batch of the epoch follows; the other parameters as above
     */
    public Batch(
            Map<String, Tensor> fields,
            int size,
            @Nullable Tensor mask,
            long epoch,
            Position next,
            boolean endsEpoch,
            Runnable release) {
        this.fields = fields;
        this.size = size;
        this.mask = mask;
        this.epoch = epoch;
        this.next = next;
        this.endsEpoch = endsEpoch;
        this.release = new AtomicReference<>(release);
    }

    /** The number of samples: the valid rows, which may be fewer than the tensors' first axis when padded. */
    public int size() {
        return size;
    }

    /** The names of the fields, in schema order. */
    public List<String> names() {
        return List.copyOf(fields.keySet());
    }

    /**
     * One stacked field, {@code [n, …]}, which can be read until the batch is closed.
     * @throws IllegalArgumentException if there is no such field
     * @throws IllegalStateException if the batch is closed
     */
    public Tensor tensor(String name) {
        if (closing.begun) {
            throw new IllegalStateException("batch is closed; before the close, copy what must outlive it");
        }
        Tensor tensor = fields.get(name);
        if (tensor == null) {
            throw noField(name);
        }
        return tensor.lent(closing);
    }

    /** Which rows are valid, {@code bool[n]}; empty where all are, as without padding. */
    public Optional<Tensor> mask() {
        return Optional.ofNullable(mask).map(tensor -> tensor.lent(closing));
    }

    /** The epoch that all its samples were drawn in. */
    public long epoch() {
        return epoch;
    }

    /** Where to resume once this batch has been consumed: save it beside the model. */
    public Position next() {
        return next;
    }

    /** Whether this is its rank's last batch of the epoch: true once in each epoch that has a batch. */
    public boolean endsEpoch() {
        return endsEpoch;
    }

    /** This batch, with an action that follows its close. This object must not be used any more. */
    Batch thenOnClose(Runnable action) {
        return new Batch(fields, size, mask, epoch, next, endsEpoch, () -> {
            close();
            action.run();
        });
    }

    /**
     * The same batch with other values of some of its fields. It takes this one's place: closing it closes this one, then
     * calls {@code alsoRelease}.
     * @throws IllegalArgumentException if it has no field of such a name
     */
    public Batch with(Map<String, Tensor> values, Runnable alsoRelease) {
        Map<String, Tensor> replaced = new LinkedHashMap<>(fields);
        values.forEach((name, tensor) -> {
            if (replaced.replace(name, tensor) == null) {
                throw noField(name);
            }
        });
        return new Batch(Collections.unmodifiableMap(replaced), size, mask, epoch, next, endsEpoch, () -> {
            close();
            alsoRelease.run();
        });
    }

    private IllegalArgumentException noField(String name) {
        return new IllegalArgumentException("batch has no field \"%s\"; it has %s".formatted(name, fields.keySet()));
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        closing.begun = true;
        Runnable action = release.getAndSet(null);
        if (action != null) {
            action.run();
        }
    }

    @Override
    public String toString() {
        String types = fields.entrySet().stream()
                .map(field -> field.getKey() + "=" + field.getValue().type())
                .collect(Collectors.joining(", ", "{", "}"));
        return "Batch[" + size + " samples, " + types + ", next " + next + "]";
    }
}
