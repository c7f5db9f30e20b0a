package io.penstock.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import io.penstock.batch.Batch;
import io.penstock.batch.internal.RowForm;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A batch as DJL's arrays, of an engine's own: a field each, with its name, {@code [n, …]}.
 * <pre>{@code
 *  flux.transform(Batches.of(64, schema))
 *      .transform(NdBatch.with(manager))
 *      .doOnNext(step -> { try (step) { train(step.data()); save(step.batch().next()); } })
 * }</pre>
 *
 * <p>An engine is given the batch's memory. PyTorch's sees it in place, without a copy, where it computes on the CPU;
 * other engines and devices copy it once. So the arrays are valid until this is closed, which closes them and then the
 * batch: what is to stay is {@code duplicate()}d before.
 *
 * <p>DJL's PyTorch has arrays of {@code bool u8 i8 i32 i64 f16 f32 f64}. Fields of {@code i16 u16 u32 u64 bf16} are
 * refused there, with what to map them to; other engines are asked for all dtypes and say themselves what they lack.
 *
 * <p>One thread at a time, as DJL's managers.
 */
public final class NdBatch implements AutoCloseable {

    private static final String PYTORCH = "PyTorch";

    /**
     * What DJL's PyTorch has no array of, and what to use instead. It must be kept from them: its native code
     * ends the process.
     */
    private static final Map<DType, DType> NOT_IN_PYTORCH = Map.of(
            DType.I16, DType.I32,
            DType.U16, DType.I32,
            DType.U32, DType.I64,
            DType.U64, DType.I64,
            DType.BF16, DType.F32);

    private static final int BOX = 5;

    private final Batch batch;
    private final NDManager manager;
    private final NDList data;
    private final @Nullable NDArray mask;

    private NdBatch(Batch batch, NDManager manager, NDList data, @Nullable NDArray mask) {
        this.batch = batch;
        this.manager = manager;
        this.data = data;
        this.mask = mask;
    }

    /**
     * Arrays over a batch, in a manager of their own below this one. Closes the batch if that fails.
     * @throws IllegalStateException if the batch is closed
     * @throws IllegalArgumentException if a field has a dtype that PyTorch is to see and DJL cannot show it
     */
    public static NdBatch of(Batch batch, NDManager parent) {
        NDManager manager = parent.newSubManager();
        try {
            NDList data = new NDList();
            for (String name : batch.names()) {
                NDArray array = array(manager, name, batch.tensor(name));
                array.setName(name);
                data.add(array);
            }
            NDArray mask =
                    batch.mask().map(tensor -> array(manager, "mask", tensor)).orElse(null);
            return new NdBatch(batch, manager, data, mask);
        } catch (RuntimeException | Error e) {
            manager.close();
            batch.close();
            throw e;
        }
    }

    /** The same for each batch of a flow; those that are discarded are closed. */
    public static Function<Flux<Batch>, Flux<NdBatch>> with(NDManager parent) {
        return batches -> batches.map(batch -> of(batch, parent))
                .doOnDiscard(Batch.class, Batch::close)
                .doOnDiscard(NdBatch.class, NdBatch::close);
    }

    private static NDArray array(NDManager manager, String field, Tensor tensor) {
        DataType type = type(tensor.dtype(), field, manager.getEngine().getEngineName());
        return manager.create(tensor.data(), new Shape(tensor.shape().toArray()), type);
    }

    /** @throws IllegalArgumentException if the engine has no such arrays */
    private static DataType type(DType dtype, String field, String engine) {
        DType instead = engine.equals(PYTORCH) ? NOT_IN_PYTORCH.get(dtype) : null;
        if (instead != null) {
            throw new IllegalArgumentException(
                    "cannot hand field \"%s\" to %s: DJL has no %s there; map it to %s before batching"
                            .formatted(field, engine, dtype, instead));
        }
        return switch (dtype) {
            case BOOL -> DataType.BOOLEAN;
            case U8 -> DataType.UINT8;
            case I8 -> DataType.INT8;
            case U16 -> DataType.UINT16;
            case I16 -> DataType.INT16;
            case U32 -> DataType.UINT32;
            case I32 -> DataType.INT32;
            case U64 -> DataType.UINT64;
            case I64 -> DataType.INT64;
            case F16 -> DataType.FLOAT16;
            case BF16 -> DataType.BFLOAT16;
            case F32 -> DataType.FLOAT32;
            case F64 -> DataType.FLOAT64;
        };
    }

    /** The fields, in schema order, each with its name. */
    public NDList data() {
        return data;
    }

    /**
     * One field.
     * @throws IllegalArgumentException if there is no such field
     */
    public NDArray array(String name) {
        NDArray array = data.get(name);
        if (array == null) {
            throw new IllegalArgumentException("batch has no field \"%s\"; it has %s".formatted(name, batch.names()));
        }
        return array;
    }

    /**
     * Boxes as DJL's detectors take their labels, {@code f32[n, most boxes, 5]}: class, and x1, y1, x2, y2 as shares of
     * the picture. Rows without a box are -1.
     * @param pixels  the field of the pictures: {@code [n, c, h, w]} if the second axis is at most 4 and the last is more,
     *     {@code [n, h, w, c]} else
     * @param corners the field of the boxes in pixels
     * @param classes the field of their classes
     * @throws IllegalArgumentException if there is no such field, or it was not padded by {@code Batches.padShapes}
     */
    public NDArray boxes(String pixels, String corners, String classes) {
        String length = classes + ".length";
        if (!batch.names().contains(length)) {
            throw new IllegalArgumentException(
                    "batch has no field \"%s\": pad the boxes with Batches.padShapes(); it has %s"
                            .formatted(length, batch.names()));
        }
        io.penstock.tensor.Shape picture = batch.tensor(pixels).shape();
        if (picture.rank() != 4) {
            throw new IllegalArgumentException("pictures are [n, c, h, w] or [n, h, w, c], field \"%s\" is %s"
                    .formatted(pixels, batch.tensor(pixels).type()));
        }
        int above = RowForm.isChannelsFirst(picture) ? 2 : 1;
        float height = picture.dim(above);
        float width = picture.dim(above + 1);
        float[] from = batch.tensor(corners).toFloatArray();
        Tensor labels = batch.tensor(classes);
        Tensor counts = batch.tensor(length);
        int rows = (int) labels.shape().dim(0);
        int most = (int) labels.shape().dim(1);
        float[] boxes = new float[rows * most * BOX];
        Arrays.fill(boxes, -1);
        for (int row = 0; row < rows; row++) {
            int end = row * most + (int) counts.longAt(row);
            for (int i = row * most; i < end; i++) {
                boxes[BOX * i] = labels.longAt(i);
                for (int edge = 0; edge < 4; edge++) {
                    boxes[BOX * i + 1 + edge] = from[4 * i + edge] / (edge % 2 == 0 ? width : height);
                }
            }
        }
        return manager.create(boxes, new Shape(rows, most, BOX));
    }

    /** Which rows are valid, {@code boolean[n]}; empty where all are. */
    public Optional<NDArray> mask() {
        return Optional.ofNullable(mask);
    }

    /** The batch itself, for its size, epoch and position; closed with this. */
    public Batch batch() {
        return batch;
    }

    /** Closes the arrays, then the batch. */
    @Override
    public void close() {
        try {
            manager.close();
        } finally {
            batch.close();
        }
    }

    @Override
    public String toString() {
        return "NdBatch[" + batch + "]";
    }
}
