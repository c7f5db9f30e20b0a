package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PackedTensorsTest {

    private static final Tensor TEXT = Tensor.utf8("word");
    private static final PackedTensors.Layout LAYOUT =
            new PackedTensors.Layout(Arrays.asList(DType.I64, null, DType.U8, DType.I16, DType.F32));

    /** A row of 8, 1, 2 and 4 bytes of scalars. */
    private static PackedTensors row(long id, int small, int medium, float x) {
        ByteBuffer scalars = ByteBuffer.allocate(15).order(ByteOrder.LITTLE_ENDIAN);
        scalars.putLong(id).put((byte) small).putShort((short) medium).putFloat(x);
        return new PackedTensors(LAYOUT, scalars.array(), List.of(TEXT));
    }

    @Test
    void fields_areAsTensorsOfTheirOwn() {
        PackedTensors row = row(-5, 200, -300, 1.5f);

        assertThat(row)
                .isEqualTo(List.of(
                        Tensor.scalar(-5L),
                        TEXT,
                        Tensor.of(DType.U8, Shape.SCALAR, ByteBuffer.wrap(new byte[] {(byte) 200})),
                        Tensor.of(DType.I16, Shape.SCALAR, ByteBuffer.wrap(new byte[] {(byte) 0xD4, (byte) 0xFE})),
                        Tensor.scalar(1.5f)));
        assertThat(row.get(1)).isSameAs(TEXT);
        assertThat(row.isScalar(0)).isTrue();
        assertThat(row.isScalar(1)).isFalse();
        assertThatThrownBy(() -> row.get(5)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> row.set(0, TEXT)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void copy_writesAFieldOfSomeRows() {
        PackedTensors[] rows = {row(1, 2, 3, 4), row(-1, -2, -3, -4), row(9, 9, 9, 9)};
        for (int field : new int[] {0, 2, 3, 4}) {
            int width = rows[0].get(field).byteSize();
            ByteBuffer copied = ByteBuffer.allocateDirect(4 * width);
            ByteBuffer expected = ByteBuffer.allocateDirect(4 * width);
            rows[0].get(field).copyTo(expected, width);
            rows[1].get(field).copyTo(expected, 2 * width);

            PackedTensors.copy(rows, 2, field, copied, width);

            assertThat(copied).isEqualTo(expected);
            assertThat(copied.position()).isZero();
        }
        assertThatThrownBy(() -> PackedTensors.copy(rows, 2, 1, ByteBuffer.allocate(64), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("field 1 is no scalar");
    }

    @Test
    void valuesThatAreNoneOfTheLayout_areRefused() {
        assertThatThrownBy(() -> new PackedTensors(LAYOUT, new byte[14], List.of(TEXT)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a value has 15 bytes of scalars and 1 other fields, was 14 and 1");
        assertThatThrownBy(() -> new PackedTensors(LAYOUT, new byte[15], List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
