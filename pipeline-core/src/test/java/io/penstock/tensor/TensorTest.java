package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;

class TensorTest {

    @Test
    void of_bufferPart_isAViewOfTheRemainingBytes() {
        ByteBuffer bytes =
                ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 4, 9}).position(1).limit(5);

        Tensor tensor = Tensor.of(DType.U8, Shape.of(2, 2), bytes);

        assertThat(tensor.toByteArray()).containsExactly(1, 2, 3, 4);
        assertThat(tensor).hasToString("u8[2, 2]");
        assertThat(bytes.position()).isEqualTo(1);
    }

    @Test
    void of_bigEndianBuffer_readsLittleEndian() {
        ByteBuffer bytes = ByteBuffer.allocate(4).order(ByteOrder.BIG_ENDIAN).put(0, (byte) 1);

        assertThat(Tensor.of(DType.I32, Shape.SCALAR, bytes).longAt(0)).isEqualTo(1);
    }

    @Test
    void of_wrongNumberOfBytes_saysWhatIsNeeded() {
        assertThatThrownBy(() -> Tensor.of(DType.F32, Shape.of(2, 3), ByteBuffer.allocate(23)))
                .hasMessage("f32[2, 3] needs 6 elements of 4 bytes, has 23 bytes");
        // 2^62 elements of 4 bytes are 0 modulo 2^64: a product would have let this pass
        assertThatThrownBy(() -> Tensor.of(DType.F32, Shape.of(1L << 62), ByteBuffer.allocate(0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void data_isReadOnly() {
        assertThatThrownBy(() -> Tensor.scalar(7).data().putInt(0, 8)).isInstanceOf(ReadOnlyBufferException.class);
    }

    @Test
    void elementAccess_widensByDtype() {
        assertThat(Tensor.ofBytes(new byte[] {-1}).longAt(0)).isEqualTo(255);
        assertThat(Tensor.of(DType.I8, Shape.of(1), ByteBuffer.wrap(new byte[] {-1}))
                        .longAt(0))
                .isEqualTo(-1);
        assertThat(Tensor.of(DType.U16, Shape.of(1), ByteBuffer.wrap(new byte[] {-1, -1}))
                        .longAt(0))
                .isEqualTo(65_535);
        assertThat(Tensor.of(DType.U32, Shape.SCALAR, ByteBuffer.allocate(4).putInt(0, -1))
                        .longAt(0))
                .isEqualTo(4_294_967_295L);
        assertThat(Tensor.ofFloats(new float[] {1.5f, -2.5f}).doubleAt(1)).isEqualTo(-2.5);
        assertThat(Tensor.ofLongs(new long[] {Long.MIN_VALUE}).longAt(0)).isEqualTo(Long.MIN_VALUE);
        assertThat(Tensor.ofDoubles(new double[] {0.1}).doubleAt(0)).isEqualTo(0.1);
    }

    @Test
    void elementAccess_halfFloat_isRefused() {
        Tensor half = Tensor.of(DType.F16, Shape.of(1), ByteBuffer.allocate(2));

        assertThatThrownBy(() -> half.doubleAt(0)).hasMessage("f16 has no element access; copy the bytes");
    }

    @Test
    void row_ofMatrix_isOneEntryOfTheFirstAxis() {
        Tensor matrix = Tensor.ofInts(new int[] {1, 2, 3, 4, 5, 6}, 2, 3);

        assertThat(matrix.row(1)).isEqualTo(Tensor.ofInts(new int[] {4, 5, 6}));
        assertThatThrownBy(() -> matrix.row(2)).hasMessage("row must be in [0, 2), was 2");
    }

    @Test
    void equality_isOfDtypeShapeAndBytes() {
        Tensor tensor = Tensor.ofFloats(new float[] {Float.NaN, 1}, 2);

        assertThat(tensor)
                .isEqualTo(Tensor.ofFloats(new float[] {Float.NaN, 1}))
                .hasSameHashCodeAs(tensor.reshape(Shape.of(2)));
        assertThat(tensor).isNotEqualTo(tensor.reshape(Shape.of(1, 2)));
        assertThat(tensor).isNotEqualTo(Tensor.of(DType.I32, Shape.of(2), tensor.data()));
    }

    @Test
    void copyTo_buffer_leavesItsPosition() {
        ByteBuffer target = ByteBuffer.allocateDirect(8).position(3);

        Tensor.ofBytes(new byte[] {1, 2}).copyTo(target, 5);

        assertThat(target.position()).isEqualTo(3);
        assertThat(target.get(5)).isEqualTo((byte) 1);
        assertThat(target.get(6)).isEqualTo((byte) 2);
    }

    @Test
    void utf8_text_comesBack() {
        assertThat(Tensor.utf8("grün €").toText()).isEqualTo("grün €");
    }
}
