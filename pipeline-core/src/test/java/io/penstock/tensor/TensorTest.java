package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class TensorTest {

    @Test
    void of_bufferPart_isAViewOfTheRemainingBytes() {
        ByteBuffer bytes =
                ByteBuffer.wrap(new byte[] {9, 1, 2, 3, 4, 9}).position(1).limit(5);

        Tensor tensor = Tensor.of(DType.U8, Shape.of(2, 2), bytes);

        assertThat(tensor.toByteArray()).containsExactly(1, 2, 3, 4);
        assertThat(tensor.type()).isEqualTo("u8[2, 2]");
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
    void floatAt_halfFloats_areWidened() {
        short[] bits = {0x3C00, (short) 0xC500, 0x0001, 0x7BFF, 0x7C00, 0x7E00, (short) 0x8000};
        ByteBuffer data = ByteBuffer.allocate(2 * bits.length).order(ByteOrder.LITTLE_ENDIAN);
        data.asShortBuffer().put(bits);

        Tensor half = Tensor.of(DType.F16, Shape.of(bits.length), data);
        Tensor brain =
                Tensor.of(DType.BF16, Shape.of(2), ByteBuffer.wrap(new byte[] {(byte) 0x80, 0x3F, 0x20, (byte) 0xC1}));

        assertThat(half.toFloatArray())
                .containsExactly(1, -5, 0x1p-24f, 65_504, Float.POSITIVE_INFINITY, Float.NaN, -0f);
        assertThat(brain.toFloatArray()).containsExactly(1, -10);
        assertThat(half.longAt(1)).isEqualTo(-5);
    }

    @Test
    void arrays_haveAllElementsOfAnyType() {
        Tensor big = Tensor.of(DType.U64, Shape.of(1), ByteBuffer.wrap(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1}));

        assertThat(Tensor.ofFloats(new float[] {1.5f, -2.5f}).toFloatArray()).containsExactly(1.5f, -2.5f);
        assertThat(Tensor.ofBytes(new byte[] {1, -1}).toFloatArray()).containsExactly(1, 255);
        assertThat(big.toFloatArray()).containsExactly(0x1p64f);
        assertThat(Tensor.ofLongs(new long[] {1, -2}, 2, 1).toIntArray()).containsExactly(1, -2);
        assertThat(Tensor.ofFloats(new float[] {1.9f}).row(0).toIntArray()).containsExactly(1);
        assertThatThrownBy(() -> Tensor.ofLongs(new long[] {0, 1L << 31}).toIntArray())
                .hasMessage("element 1 of i64[2] does not fit into 32 bits: 2147483648");
    }

    @Test
    void toString_showsTheFirstValues() {
        assertThat(Tensor.ofInts(new int[] {7, 8, 9})).hasToString("i32[3] {7, 8, 9}");
        assertThat(Tensor.scalar(0.5f)).hasToString("f32[] {0.5}");
        assertThat(Tensor.scalar(true)).hasToString("bool[] {true}");
        assertThat(Tensor.ofBytes(new byte[300], 10, 10, 3)).hasToString("u8[10, 10, 3] {0, 0, 0, 0, 0, 0, 0, 0, …}");
        assertThat(Tensor.ofBytes(new byte[0])).hasToString("u8[0]");
    }

    @Test
    void lent_memoryReturned_everyAccessIsRefused() {
        AtomicBoolean returned = new AtomicBoolean();
        Tensor lent = Tensor.ofInts(new int[] {1, 2, 3, 4}, 2, 2).lent(returned::get);
        List<Tensor> views = List.of(lent, lent.row(1), lent.reshape(Shape.of(4)), lent.lent(() -> false));
        Tensor copy = lent.copy();
        List<Function<Tensor, Object>> accesses = List.of(
                tensor -> tensor.longAt(0),
                tensor -> tensor.doubleAt(0),
                tensor -> tensor.floatAt(0),
                Tensor::data,
                Tensor::toByteArray,
                Tensor::toFloatArray,
                Tensor::toIntArray,
                Tensor::toText,
                Tensor::copy,
                Tensor::hashCode,
                tensor -> tensor.equals(Tensor.ofInts(new int[] {1, 2, 3, 4}).reshape(tensor.shape())),
                tensor -> {
                    tensor.copyTo(ByteBuffer.allocate(16), 0);
                    return tensor;
                },
                tensor -> {
                    tensor.copyTo(0, new byte[4], 0, 4);
                    return tensor;
                });

        accesses.forEach(access -> assertThat(access.apply(lent)).isNotNull());
        returned.set(true);

        for (Tensor view : views) {
            for (Function<Tensor, Object> access :
                    accesses.subList(0, view.shape().elements() == 4 ? accesses.size() : 10)) {
                assertThatThrownBy(() -> access.apply(view))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("cannot read " + view.type() + ": its batch was closed")
                        .hasMessageContaining("copy");
            }
            assertThat(view).hasToString(view.type() + " of a closed batch");
        }
        assertThat(copy.toIntArray()).containsExactly(1, 2, 3, 4);
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
