package io.penstock.cache.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Values in a cache that nobody put there. */
class KryoFuzzTest {

    enum Mood {
        GOOD,
        BAD
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Note(
            String text,
            int number,
            double[] weights,
            List<String> words,
            Map<String, Long> counts,
            Tensor pixels,
            Mood mood) {}

    private static final KryoCodec<Note> CODEC = KryoCodec.of(Note.class, Mood.class);

    @MethodSource("notes")
    @FuzzTest(maxDuration = "10m")
    void value_ofAnyBytes_isReadOrRefused(byte[] bytes) {
        try {
            assertThat(CODEC.decode(ByteBuffer.wrap(bytes))).isNotNull();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isExactlyInstanceOf(IllegalArgumentException.class);
            assertThat(refused.getMessage())
                    .startsWith("KryoCodec cannot decode")
                    .doesNotEndWith(": null");
        }
    }

    static Stream<byte[]> notes() {
        Tensor pixels = Tensor.ofBytes(new byte[] {1, 2, 3, 4}, 2, 2);
        return Stream.of(
                        new Note("", 0, new double[0], List.of(), Map.of(), pixels, Mood.GOOD),
                        new Note(
                                "ü",
                                -1,
                                new double[] {1, 2},
                                List.of("a", "b", "c"),
                                Map.of("a", 1L),
                                pixels,
                                Mood.BAD),
                        new Note(
                                "x",
                                7,
                                new double[1],
                                new ArrayList<>(Set.of("a")),
                                new TreeMap<>(Map.of("k", 2L)),
                                pixels,
                                Mood.BAD))
                .map(CODEC::encode)
                .map(encoded -> {
                    byte[] bytes = new byte[encoded.length()];
                    encoded.joined().get(bytes);
                    return bytes;
                });
    }
}
