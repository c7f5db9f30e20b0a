package io.penstock.batch.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MemoryTest {

    @Test
    void rows_ofBytesBeyondALong_areRefusedByTheirNumber() {
        Memory memory = new Memory(16, List.of("pixels"), Map.of(), false, Memory::aligned);
        Layout layout =
                Layout.of(0, List.of(Tensor.of(DType.U8, Shape.of(1L << 30, 0), ByteBuffer.allocate(0))), memory);
        Layout huge = Layout.around(
                0,
                List.of(
                        List.of(Tensor.of(DType.U8, Shape.of(1L << 40, 0), ByteBuffer.allocate(0))),
                        List.of(Tensor.of(DType.U8, Shape.of(0, 1L << 20), ByteBuffer.allocate(0)))),
                memory);

        assertThat(memory.fit(null, layout, 0, memory.rows()).capacity()).isZero();
        assertThatThrownBy(() -> memory.fit(null, huge, 0, memory.rows()))
                .hasMessage("cannot batch field \"pixels\": 16 rows of u8[1099511627776, 1048576] are "
                        + "18446744073709551616 bytes, and a buffer holds 2 GiB; take smaller batches");
    }
}
