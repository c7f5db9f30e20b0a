package io.penstock.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.fault.FormatException;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrow files and streams that no writer wrote. Which of the two some bytes are is found by the first of them. */
class ArrowFuzzTest {

    private static final TableOptions OPTIONS =
            TableOptions.standard().maxGroupBytes(16 << 20).fillNulls(0);
    private static final int MAX_ROWS = 8;

    @MethodSource("files")
    @FuzzTest(maxDuration = "10m")
    void file_ofAnyBytes_isReadOrRefused(byte[] file) {
        requireReadOrRefused(file);
    }

    @MethodSource("streams")
    @FuzzTest(maxDuration = "10m")
    void stream_ofAnyBytes_isReadOrRefused(byte[] stream) {
        requireReadOrRefused(stream);
    }

    private static void requireReadOrRefused(byte[] bytes) {
        Hostile.bytes(() -> {
            try (Table table = Table.open(
                    MemoryStore.of("fuzz", Map.of("a.arrow", bytes)), "a.arrow", TableFormat.arrow(), OPTIONS)) {
                for (long i = 0; i < Math.min(table.size(), MAX_ROWS); i++) {
                    table.get(i).block();
                }
            } catch (FormatException e) {
                assertThat(e.getMessage()).contains("a.arrow");
                throw e;
            }
        });
    }

    static Stream<byte[]> files() {
        return seeds(false);
    }

    static Stream<byte[]> streams() {
        return seeds(true);
    }

    private static Stream<byte[]> seeds(boolean isStream) {
        List<byte[]> seeds = new ArrayList<>();
        for (CodecType codec : List.of(CodecType.NO_COMPRESSION, CodecType.ZSTD, CodecType.LZ4_FRAME)) {
            seeds.add(MadeArrow.bytes(1, isStream, codec, true));
        }
        byte[] valid = seeds.get(0);
        for (int at = 0; at < valid.length; at += 61) {
            byte[] changed = valid.clone();
            changed[at] ^= (byte) 0xFF;
            seeds.add(changed);
            seeds.add(Arrays.copyOf(valid, at + 1));
        }
        return seeds.stream();
    }
}
