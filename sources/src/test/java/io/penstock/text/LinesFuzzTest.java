package io.penstock.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/** Text that is none. */
class LinesFuzzTest {

    /** The first byte says whether blank lines count. */
    @MethodSource("texts")
    @FuzzTest(maxDuration = "10m")
    void lines_ofAnyBytes_areReadOrRefused(byte[] input) {
        if (input.length == 0) {
            return;
        }
        byte[] text = Arrays.copyOfRange(input, 1, input.length);
        MemoryStore store = MemoryStore.of("fuzz", Map.of("a.txt", text));
        boolean json = (input[0] & 1) != 0;
        Hostile.bytes(() -> {
            try (TextLines lines = json ? TextLines.openJson(store, "a.txt") : TextLines.open(store, "a.txt")) {
                long bytes = 0;
                for (long i = 0; i < lines.size(); i++) {
                    long index = i;
                    bytes +=
                            Objects.requireNonNull(lines.bytes().get(i).block()).byteSize() + 1;
                    Hostile.bytes(() -> assertThat(lines.get(index).block()).doesNotContain("\n"));
                    assertThat(lines.name(i)).startsWith("a.txt:line ");
                }
                assertThat(bytes).isLessThanOrEqualTo(text.length + 1);
            }
        });
    }

    static Stream<byte[]> texts() {
        return Stream.of("0\uFEFFone\r\ntwo\n\nthree", "1{}\n \t\r\n[1]\n\n\nx")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
