package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Numbers and paths that a disk cache cannot use, each refused in words where it comes in. */
class RangesTest {

    @TempDir
    Path directory;

    private static Arguments of(String says, Function<ChronicleOptions, ChronicleOptions> change) {
        return Arguments.of(says, change);
    }

    private static Stream<Arguments> refused() {
        return Stream.of(
                of("at least 1 byte, was 0", cache -> cache.maxBytes(0)),
                of("at least 1 byte, was -1", cache -> cache.maxBytes(-1)),
                of("at least 1 byte, was " + Long.MIN_VALUE, cache -> cache.maxBytes(Long.MIN_VALUE)),
                of("must be in (0, 1], was 0.0", cache -> cache.maxFreeShare(0)),
                of("must be in (0, 1], was -0.1", cache -> cache.maxFreeShare(-0.1)),
                of("must be in (0, 1], was 1.1", cache -> cache.maxFreeShare(1.1)),
                of("must be in (0, 1], was NaN", cache -> cache.maxFreeShare(Double.NaN)),
                of("segments must be of 1048576 to 1073741824 bytes, was 0", cache -> cache.segmentBytes(0)),
                of("was -1", cache -> cache.segmentBytes(-1)),
                of("was 1073741825", cache -> cache.segmentBytes((1 << 30) + 1)),
                of("was " + Long.MAX_VALUE, cache -> cache.segmentBytes(Long.MAX_VALUE)),
                of("must be at least 0, was -1", cache -> cache.pendingBytes(-1)));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void number_outOfRange_isRefused(String says, Function<ChronicleOptions, ChronicleOptions> change) {
        assertThatThrownBy(() -> change.apply(ChronicleTier.at(directory)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(says);
    }

    @Test
    void numbers_atTheirLimits_work() {
        for (ChronicleOptions options : new ChronicleOptions[] {
            ChronicleTier.at(directory).maxBytes(Long.MAX_VALUE).pendingBytes(Long.MAX_VALUE),
            ChronicleTier.at(directory).maxFreeShare(Double.MIN_VALUE).pendingBytes(0),
            ChronicleTier.at(directory).maxBytes(Long.MAX_VALUE).leastRecentlyUsed()
        }) {
            try (ChronicleTier tier = options.open()) {
                boolean kept = Values.put(tier, 1);

                assertThat(Values.get(tier, 1)).isEqualTo(kept ? Values.value(1) : null);
            }
        }
    }

    @Test
    void path_thatIsNoDirectory_isRefusedInWords() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));

        assertThatThrownBy(() -> ChronicleTier.at(Path.of("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs a directory");
        for (Path path : new Path[] {file, loop, file.resolve("below"), Path.of("/dev/null"), Path.of("/proc/none")}) {
            assertThatThrownBy(() -> ChronicleTier.at(path).open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("cannot open the cache in " + path)
                    .hasMessageNotContaining("Exception");
        }
    }
}
