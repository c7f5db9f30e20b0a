package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
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

    @ParameterizedTest
    @ValueSource(strings = {"", " ", ",20GiB", "a,20", "a,0B", "a,20Gigs", "a,101%", "a,"})
    void parse_somethingElse_isRefused(String text) {
        assertThatThrownBy(() -> DiskSpec.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
