package io.penstock.arrow;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Batches of one field a dtype and rank, with bytes that count. */
final class MadeBatches {

    private final AtomicInteger closed = new AtomicInteger();

    int closed() {
        return closed.get();
    }

    /** The number-th batch of a run of batches of the given number of rows. */
    Batch batch(int number, int rows) {
        Map<String, Tensor> fields = new LinkedHashMap<>();
        int salt = number;
        for (DType dtype : DType.values()) {
            fields.put(dtype + "s", tensor(dtype, salt++, Shape.of(rows)));
            fields.put(dtype + " rows", tensor(dtype, salt++, Shape.of(rows, 2, 3)));
        }
        return batch(fields, rows, null, number);
    }

    Batch batch(Map<String, Tensor> fields, int size, @Nullable Tensor mask, int number) {
        return new Batch(fields, size, mask, 7, new Position(7, 10L * (number + 1)), closed::incrementAndGet);
    }

    static Tensor tensor(DType dtype, int salt, Shape shape) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(shape.elements() * dtype.bytes()));
        for (int i = 0; i < bytes.capacity(); i++) {
            // booleans are zero or one, and exponents stay small
            bytes.put(i, (byte) (dtype == DType.BOOL ? (i + salt) % 2 : (31 * i + salt) % 60));
        }
        return Tensor.of(dtype, shape, bytes);
    }
}
