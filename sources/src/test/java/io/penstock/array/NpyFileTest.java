package io.penstock.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class NpyFileTest {

    private static Tensor file(String header, int... data) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        for (int b : new int[] {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, header.length() & 0xFF, header.length() >> 8}) {
            file.write(b);
        }
        file.writeBytes(header.getBytes(StandardCharsets.US_ASCII));
        for (int b : data) {
            file.write(b);
        }
        return Tensor.ofBytes(file.toByteArray());
    }

    @Test
    void decode_ofAnyOrder_isInCOrderAndLittleEndian() {
        Tensor plain = file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n", 1, 0, 2, 0, 3, 0, 4, 0);
        Tensor turned = file("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }\n", 0, 1, 0, 3, 0, 2, 0, 4);

        Tensor expected = Tensor.of(DType.I16, Shape.of(2, 2), ByteBuffer.wrap(new byte[] {1, 0, 2, 0, 3, 0, 4, 0}));
        assertThat(NpyFile.decode(plain, "a.npy")).isEqualTo(expected);
        assertThat(NpyFile.decode(turned, "a.npy")).isEqualTo(expected);
    }

    @Test
    void decode_ofAScalar_hasNoAxes() {
        Tensor seven = file("{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", 7);

        assertThat(NpyFile.decode(seven, "a.npy").shape()).isEqualTo(Shape.SCALAR);
        assertThat(NpyFile.decode(seven, "a.npy").longAt(0)).isEqualTo(7);
    }

    @Test
    void decode_ofWhatIsCutOffOrNoFile_namesIt() {
        Tensor cut = file("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n", 1, 0, 2);

        assertThatThrownBy(() -> NpyFile.decode(cut, "a.npy"))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("a.npy is cut off: i16[2, 2] needs 4 elements of 2 bytes, it has 3 bytes");
        Tensor joined = file("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", 1, 2, 0x93, 'N');
        assertThatThrownBy(() -> NpyFile.decode(joined, "a.npy"))
                .isInstanceOf(FormatException.class)
                .hasMessage("a.npy has 2 bytes after its u8[2]");
        assertThatThrownBy(() -> NpyFile.decode(Tensor.utf8("<html>"), "a.npy"))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("a.npy is no npy file");
    }
}
