package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Values in a cache that nobody put there. */
class TensorsFuzzTest {

    record Photo(Tensor pixels, int label, double weight, boolean good, String name) {}

    private static final Schema<Tensor> TENSOR = Schema.tensor("x");
    private static final Schema<Photo> PHOTO = Schema.of(Photo.class);

    /** What can be read says the same when it is written and read again. */
    @MethodSource("values")
    @FuzzTest(maxDuration = "10m")
    void value_ofAnyBytes_isReadOrRefused(byte[] bytes) {
        requireReadOrRefused(TENSOR, bytes);
        requireReadOrRefused(PHOTO, bytes);
    }

    private static <T> void requireReadOrRefused(Schema<T> schema, byte[] bytes) {
        try {
            T value = schema.decode(ByteBuffer.wrap(bytes));
            assertThat(schema.decode(ByteBuffer.wrap(bytes))).hasToString(value.toString());
            ByteBuffer again = schema.encode(value).joined();
            assertThat(again.remaining()).isLessThanOrEqualTo(bytes.length + 64);
            assertThat(schema.encode(schema.decode(again.duplicate())).joined()).isEqualTo(again);
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isExactlyInstanceOf(IllegalArgumentException.class);
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> values() {
        Tensor pixels = Tensor.ofBytes(new byte[6], 2, 3);
        return Stream.of(
                TENSOR.encode(pixels).joined().array(),
                TENSOR.encode(Tensor.scalar(3.5f)).joined().array(),
                PHOTO.encode(new Photo(pixels, 3, 0.5, true, "ü")).joined().array());
    }
}
