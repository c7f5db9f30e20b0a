package io.penstock.cli.flag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Entry;
import io.penstock.cache.SampleKey;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DiskSpecTest {

    @Test
    void parse_directoryWithAndWithoutASize_isThat() {
        assertThat(DiskSpec.parse("/scratch")).isEqualTo(new DiskSpec(Path.of("/scratch"), null));
        assertThat(DiskSpec.parse("a/b,20GiB")).isEqualTo(new DiskSpec(Path.of("a/b"), ByteSize.ofBytes(20L << 30)));
        assertThat(DiskSpec.parse("a,b,50%")).isEqualTo(new DiskSpec(Path.of("a,b"), ByteSize.ofShare(0.5)));
        assertThat(DiskSpec.parse("a,b")).isEqualTo(new DiskSpec(Path.of("a,b"), null));
    }

    @Test
    void open_toVerifyReads_findsAByteThatChangesBetweenTwo(@TempDir Path directory) throws IOException {
        SampleKey key = SampleKey.of("a");
        DiskSpec spec = new DiskSpec(directory, ByteSize.ofBytes(64 << 20));
        try (ChronicleTier tier = spec.open(CachePolicy.HOLD, true)) {
            tier.put(key, Encoded.of(ByteBuffer.allocate(1000)), Entry.UNKNOWN)
                    .then(tier.flush())
                    .block();
            int before = tier.get(key).block().remaining();
            tier.forEach(entry -> write(directory.resolve(entry.segment()), entry.position() + 500));

            assertThat(before).isEqualTo(1000);
            assertThat(tier.get(key).blockOptional()).isEmpty();
        }
    }

    private static void write(Path file, long position) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}), position);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",20GiB", "a,20", "a,0B", "a,20Gigs", "a,101%", "a,"})
    void parse_somethingElse_isRefused(String text) {
        assertThatThrownBy(() -> DiskSpec.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
