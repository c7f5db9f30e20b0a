package io.penstock.train;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import io.penstock.batch.Batch;
import io.penstock.djl.NdBatch;
import io.penstock.order.Position;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What PyTorch makes of a batch's memory. */
class PyTorchArraysTest {

    private final NDManager manager = PyTorch.load(1).newBaseManager(Device.cpu());

    private static Batch batch(Tensor tensor) {
        return new Batch(Map.of("x", tensor), 2, null, 0, new Position(0, 2), () -> {});
    }

    @Test
    void array_ofABatch_isItsMemoryWithoutACopy() {
        ByteBuffer memory = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
        memory.putFloat(8, 1).putFloat(24, 2);
        Tensor tensor = Tensor.of(DType.F32, Shape.of(2, 3), memory.slice(8, 24));

        try (manager;
                NdBatch arrays = NdBatch.of(batch(tensor), manager)) {
            assertThat(arrays.array("x").toFloatArray()).containsExactly(1, 0, 0, 0, 2, 0);
            memory.putFloat(12, 7);
            assertThat(arrays.array("x").toFloatArray()).containsExactly(1, 7, 0, 0, 2, 0);
        }
    }

    /** The others end the process in native code, so NdBatch keeps them from it. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"I16", "U16", "U32", "U64", "BF16"})
    void array_ofADtype_hasTheBytes(DType dtype) {
        ByteBuffer memory = ByteBuffer.allocateDirect(6 * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < memory.capacity(); i++) {
            memory.put(i, (byte) (dtype == DType.BOOL ? i % 2 : i));
        }
        Tensor tensor = Tensor.of(dtype, Shape.of(2, 3), memory);

        try (manager;
                NdBatch arrays = NdBatch.of(batch(tensor), manager)) {
            NDArray array = arrays.array("x");
            assertThat(array.toByteBuffer().rewind()).isEqualTo(tensor.data());
            assertThat(array.getShape().getShape()).containsExactly(2, 3);
        }
    }
}
