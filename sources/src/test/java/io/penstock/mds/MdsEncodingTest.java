package io.penstock.mds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MdsEncodingTest {

    private static List<Tensor> decoded(String encoding, byte... bytes) {
        List<Tensor> values = new ArrayList<>();
        MdsEncoding.parse("x", encoding).decode(ByteBuffer.wrap(bytes), values);
        return values;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] joined(byte[]... parts) {
        ByteBuffer all = ByteBuffer.allocate(1000);
        for (byte[] part : parts) {
            all.put(part);
        }
        byte[] bytes = new byte[all.position()];
        all.get(0, bytes);
        return bytes;
    }

    @Test
    void scalars_haveTheirTypes() {
        assertThat(decoded("int", MdsMaker.i64(-5)).get(0).longAt(0)).isEqualTo(-5);
        assertThat(decoded("uint16", (byte) 1, (byte) 2))
                .containsExactly(Tensor.of(DType.U16, Shape.SCALAR, ByteBuffer.wrap(new byte[] {1, 2})));
        byte[] half = {0, 0x3C};
        assertThat(decoded("float16", half)).containsExactly(Tensor.of(DType.F16, Shape.SCALAR, ByteBuffer.wrap(half)));
        for (String name :
                List.of("uint8", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64")) {
            int bytes = name.contains("64") ? 8 : name.contains("32") ? 4 : name.contains("16") ? 2 : 1;
            assertThat(decoded(name, new byte[bytes]).get(0).shape()).isEqualTo(Shape.SCALAR);
            assertThatThrownBy(() -> decoded(name, new byte[bytes + 1])).isInstanceOf(FormatException.class);
        }
    }

    @Test
    void bytesAndFiles_areTakenAsTheyAre() {
        for (String name : List.of("bytes", "str", "json", "jpeg", "png")) {
            assertThat(decoded(name, ascii("{\"a\": 1}"))).containsExactly(Tensor.ofBytes(ascii("{\"a\": 1}")));
        }
    }

    @Test
    void digits_areNumbers() {
        assertThat(decoded("str_int", ascii("-12")).get(0).longAt(0)).isEqualTo(-12);
        assertThat(decoded("str_decimal", ascii("0.25"))
                        .get(0)
                        .data()
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getDouble(0))
                .isEqualTo(0.25);
        assertThat(decoded("str_float", ascii("-inf"))
                        .get(0)
                        .data()
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .getDouble(0))
                .isEqualTo(Double.NEGATIVE_INFINITY);
        assertThatThrownBy(() -> decoded("str_int", ascii("99999999999999999999")))
                .isInstanceOf(FormatException.class)
                .hasMessage("has \"99999999999999999999\" where a number should be");
    }

    @Test
    void arrays_sayWhatTheEncodingDoesNot() {
        byte[] data = {1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0};
        Tensor expected = Tensor.of(DType.I16, Shape.of(2, 3), ByteBuffer.wrap(data));

        assertThat(decoded("ndarray:int16:2,3", data)).containsExactly(expected);
        assertThat(decoded("ndarray:int16", joined(new byte[] {2 << 2, 2, 3}, data)))
                .containsExactly(expected);
        assertThat(decoded("ndarray", joined(new byte[] {17, 2 << 2 | 1, 2, 0, 3, 0}, data)))
                .containsExactly(expected);
        assertThat(decoded("ndarray", joined(new byte[] {17, 2 << 2 | 2, 2, 0, 0, 0, 3, 0, 0, 0}, data)))
                .containsExactly(expected);
        assertThat(decoded("ndarray", joined(new byte[] {17, 2 << 2 | 3}, MdsMaker.i64(2), MdsMaker.i64(3), data)))
                .containsExactly(expected);
    }

    @Test
    void arrays_thatClaimTooMuch_areRefused() {
        assertThatThrownBy(() -> decoded("ndarray:int16:2,3", new byte[11]))
                .isInstanceOf(FormatException.class)
                .hasMessage("has 11 bytes for i16[2, 3]");
        assertThatThrownBy(() -> decoded("ndarray", (byte) 99, (byte) 4, (byte) 1, (byte) 0))
                .isInstanceOf(FormatException.class)
                .hasMessage("has an array of type 99, which is not known");
        assertThatThrownBy(() -> decoded("ndarray", (byte) 8, (byte) -1)).isInstanceOf(FormatException.class);
        byte[] huge = joined(new byte[] {8, 2 << 2 | 3}, MdsMaker.i64(1L << 62), MdsMaker.i64(1L << 62));
        assertThatThrownBy(() -> decoded("ndarray", huge))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("has no possible shape");
    }

    @Test
    void pixels_haveTheShapeOfTheirMode() {
        byte[] head = joined(MdsMaker.u32(2), MdsMaker.u32(1), MdsMaker.u32(3), ascii("RGB"));

        assertThat(decoded("pil", joined(head, new byte[] {1, 2, 3, 4, 5, 6})))
                .containsExactly(Tensor.ofBytes(new byte[] {1, 2, 3, 4, 5, 6}, 1, 2, 3));
        assertThatThrownBy(() -> decoded("pil", joined(head, new byte[5])))
                .isInstanceOf(FormatException.class)
                .hasMessage("has 5 bytes for u8[1, 2, 3]");
        assertThatThrownBy(() -> decoded("pil", joined(MdsMaker.u32(2), MdsMaker.u32(1), MdsMaker.u32(-1))))
                .isInstanceOf(FormatException.class)
                .hasMessage("is cut off: 4294967295 bytes are needed, 0 are left");
    }

    @Test
    void files_areFlatWithTheirLengths() {
        byte[] two = joined(MdsMaker.u32(2), MdsMaker.u32(3), MdsMaker.u32(1), ascii("abcd"));

        for (List<Tensor> values :
                List.of(decoded("jpegarray", two), decoded("list[png]", joined(MdsMaker.u32(0), two)))) {
            assertThat(values).containsExactly(Tensor.ofBytes(ascii("abcd")), Tensor.ofInts(new int[] {3, 1}, 2));
        }
        assertThatThrownBy(() -> decoded("jpeg_array", MdsMaker.u32(-1)))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("is cut off");
    }

    @Test
    void names_thatAreNotKnown_areRefused() {
        for (String name : List.of("list[pil]", "ndarray:complex64", "ndarray:int8:a", "ndarray:int8:2:3", "")) {
            assertThatThrownBy(() -> MdsEncoding.parse("x", name))
                    .isInstanceOf(FormatException.class)
                    .hasMessageStartingWith("column \"x\" is stored as %s, which cannot be read: ".formatted(name));
        }
    }
}
