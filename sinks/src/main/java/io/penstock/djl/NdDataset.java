package io.penstock.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.training.dataset.Dataset;
import ai.djl.translate.Batchifier;
import ai.djl.util.Progress;
import io.penstock.batch.Batch;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * Batches as DJL's {@link Dataset}, for {@code EasyTrain.fit}. Each pass is the next epoch.
 * <pre>{@code
 *  NdDataset training = NdDataset.of(epoch -> pipeline.stream(order.epoch(epoch)).transform(batches), "pixels", "label");
 *  EasyTrain.fit(trainer, 10, training, null);
 * }</pre>
 *
 * <p>A DJL batch has one array of data and one of labels. If the batch has a mask, it is a second label: use
 * {@link MaskedLoss} then. The arrays are valid until the batch is closed, which {@code fit} does after each step.
 *
 * <p>A pass waits for its batches on the thread that iterates. One thread at a time; one pass at a time.
 */
public final class NdDataset implements Dataset, AutoCloseable {

    private final LongFunction<Flux<Batch>> epochs;
    private final String data;
    private final String label;
    private final @Nullable String corners;
    private long epoch;
    private @Nullable Stream<Batch> pass;

    private NdDataset(
            LongFunction<Flux<Batch>> epochs, String data, String label, @Nullable String corners, long epoch) {
        this.epochs = epochs;
        this.data = data;
        this.label = label;
        this.corners = corners;
        this.epoch = epoch;
    }

    /**
     * Passes from epoch 0 on.
     * @param epochs the batches of an epoch
     * @param data   the field that the network is given
     * @param label  the field that the loss is given
     */
    public static NdDataset of(LongFunction<Flux<Batch>> epochs, String data, String label) {
        return new NdDataset(epochs, data, label, null, 0);
    }

    /** The same, whose label are the classes of boxes: the loss is given {@link NdBatch#boxes} of both. */
    public NdDataset boxes(String field) {
        return new NdDataset(epochs, data, label, field, epoch);
    }

    /** The same, whose next pass is this epoch. */
    public NdDataset from(long first) {
        return new NdDataset(epochs, data, label, corners, first);
    }

    @Override
    public Iterable<ai.djl.training.dataset.Batch> getData(NDManager manager) {
        return () -> next(manager);
    }

    private Iterator<ai.djl.training.dataset.Batch> next(NDManager manager) {
        close();
        Stream<Batch> begun =
                epochs.apply(epoch++).doOnDiscard(Batch.class, Batch::close).toStream(1);
        pass = begun;
        long[] number = {0};
        return begun.map(batch -> batch(batch, manager, number[0]++)).iterator();
    }

    private ai.djl.training.dataset.Batch batch(Batch batch, NDManager manager, long number) {
        NdBatch arrays = NdBatch.of(batch, manager);
        try {
            NDList labels = new NDList(corners == null ? arrays.array(label) : arrays.boxes(data, corners, label));
            arrays.mask().ifPresent(labels::add);
            NDArray input = arrays.array(data);
            int rows = Math.toIntExact(input.getShape().get(0));
            return new Lent(arrays, new NDList(input), labels, rows, number);
        } catch (RuntimeException | Error e) {
            arrays.close();
            throw e;
        }
    }

    /** Nothing is left to prepare. */
    @Override
    public void prepare(@Nullable Progress progress) {}

    /** Ends a pass that was left early. What comes after is the next epoch. */
    @Override
    public void close() {
        Stream<Batch> open = pass;
        pass = null;
        if (open != null) {
            open.close();
        }
    }

    /** Its close gives the memory back. */
    private static final class Lent extends ai.djl.training.dataset.Batch {

        private final NdBatch arrays;

        Lent(NdBatch arrays, NDList data, NDList labels, int rows, long number) {
            super(
                    data.head().getManager(),
                    data,
                    labels,
                    rows,
                    Batchifier.STACK,
                    Batchifier.STACK,
                    number,
                    /* progressTotal= */ 0,
                    List.of());
            this.arrays = arrays;
        }

        @Override
        public void close() {
            super.close();
            arrays.close();
        }
    }
}
