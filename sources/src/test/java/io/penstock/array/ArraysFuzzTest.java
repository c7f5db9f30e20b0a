package io.penstock.array;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Array files whose headers promise what they like. */
class ArraysFuzzTest {

    /** The first byte says which kind of file the others are. */
    @MethodSource("files")
    @FuzzTest(maxDuration = "10m")
    void array_ofAnyBytes_isReadOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        boolean npy = input[0] == 'n';
        byte[] file = Arrays.copyOfRange(input, 1, input.length);
        MemoryStore store = MemoryStore.of("fuzz", Map.of("a.npy", file));
        Hostile.bytes(() -> {
            try (ArrayRows rows = npy ? ArrayRows.openNpy(store, "a.npy") : ArrayRows.openIdx(store, "a.npy")) {
                Tensor first = Objects.requireNonNull(rows.get(0).block());
                Tensor last = Objects.requireNonNull(rows.get(rows.size() - 1).block());
                assertThat(rows.size() * first.byteSize()).isLessThanOrEqualTo(file.length);
                assertThat(last.shape()).isEqualTo(first.shape());
            }
        });
    }

    @MethodSource("files")
    @FuzzTest(maxDuration = "10m")
    void npz_withAnyArrayInIt_isReadOrRefused(byte[] input) {
        byte[] file = Arrays.copyOfRange(input, Math.min(1, input.length), input.length);
        byte[] valid = npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n");
        MemoryStore store = MemoryStore.of("fuzz", Map.of("a.npy", file, "b.npy", valid));
        Hostile.bytes(() -> {
            try (NpzRows rows = NpzRows.open(store, List.of())) {
                assertThat(rows.size()).isEqualTo(2);
                assertThat(Objects.requireNonNull(rows.get(1).block()).values()).hasSize(2);
            }
        });
    }

    @MethodSource("literals")
    @FuzzTest(maxDuration = "10m")
    void literal_ofAnyText_isReadOrRefused(byte[] input) {
        String text = new String(input, StandardCharsets.ISO_8859_1);
        Hostile.bytes(() -> NpyHeader.read(new ByteArrayInputStream(npy(1, text)), "fuzz"));
    }

    private static byte[] npy(int version, String header) {
        byte[] text = header.getBytes(StandardCharsets.ISO_8859_1);
        int lengthBytes = version == 1 ? 2 : 4;
        byte[] file = new byte[8 + lengthBytes + text.length + 24];
        System.arraycopy("\u0093NUMPY".getBytes(StandardCharsets.ISO_8859_1), 0, file, 0, 6);
        file[6] = (byte) version;
        file[8] = (byte) text.length;
        file[9] = (byte) (text.length >> 8);
        System.arraycopy(text, 0, file, 8 + lengthBytes, text.length);
        return file;
    }

    static Stream<byte[]> literals() {
        return Stream.of(
                        "'descr' 'fortran_order' 'shape' True (3,) (2, 3) [('a', '<f4')] '|O' 3L",
                        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                        "{'descr': [('a', '<f4', (2,))], \"fortran_order\": True, 'shape': (3L,)}",
                        "{'descr': [" + "]   ".repeat(5000) + "}",
                        "{'descr': '<f4', 'shape': (" + "1,".repeat(20_000) + ")}")
                .map(text -> text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static Stream<byte[]> files() {
        byte[] idx = new byte[1 + 4 + 8 + 6];
        idx[0] = 'i';
        idx[3] = 8;
        idx[4] = 2;
        idx[8] = 2;
        idx[12] = 3;
        return Stream.of(
                idx,
                chosen(npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n")),
                chosen(npy(2, "{'descr': '>i2', 'fortran_order': True, 'shape': (3, 4)}")),
                chosen(npy(3, "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': ()}")));
    }

    private static byte[] chosen(byte[] npy) {
        byte[] input = new byte[npy.length + 1];
        input[0] = 'n';
        System.arraycopy(npy, 0, input, 1, npy.length);
        return input;
    }
}
