package io.penstock.cli.flag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteSizeTest {

    @ParameterizedTest
    @CsvSource({
        "1000B, 1000",
        "512MiB, 536870912",
        "20GiB, 21474836480",
        "1.5GiB, 1610612736",
        "2kb, 2000",
        "3GB, 3000000000",
        "0.5B, 1",
        "8191PiB, 9222246136947933184"
    })
    void parse_anAmount_isItsBytes(String written, long bytes) {
        ByteSize size = ByteSize.parse(written);

        assertThat(size).isEqualTo(ByteSize.ofBytes(bytes));
    }

    @ParameterizedTest
    @CsvSource({"50%, 0.5", "100%, 1", "0.5%, 0.005", "12.5%, 0.125"})
    void parse_aShare_isThatOfWhatIsFree(String written, double share) {
        ByteSize size = ByteSize.parse(written);

        assertThat(size).isEqualTo(ByteSize.ofShare(share));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "5", "MiB", "-5MiB", "0B", "0%", "101%", "1e3B", "5 MiB", "5XiB", "8192PiB", "1iB", "٣B"})
    void parse_whatIsNoSize_saysSo(String written) {
        assertThatThrownBy(() -> ByteSize.parse(written))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"" + written + "\"");
    }

    @Property
    void toString_ofAnyAmount_isReadBack(@ForAll @LongRange(min = 1) long bytes) {
        ByteSize size = ByteSize.ofBytes(bytes);

        assertThat(ByteSize.parse(size.toString())).isEqualTo(size);
    }

    @Property
    void toString_ofAnyShare_isReadBack(@ForAll @IntRange(min = 1, max = 10_000) int perMyriad) {
        ByteSize size = ByteSize.ofShare(perMyriad / 10_000.0);

        assertThat(ByteSize.parse(size.toString())).isEqualTo(size);
    }

    @Property
    void roundedUp_ofAnyAmount_isEnoughAndNotMuchMore(
            @ForAll @LongRange(min = 1, max = Long.MAX_VALUE / 4) long bytes) {
        long written = ByteSize.parse(ByteSize.roundedUp(bytes)).bytes();

        assertThat(written).isBetween(bytes, bytes + bytes / 9 + 1);
    }

    @Test
    void roundedUp_ofSomeAmounts_isShort() {
        assertThat(ByteSize.roundedUp(999)).isEqualTo("999B");
        assertThat(ByteSize.roundedUp(1_200_000_000)).isEqualTo("1.2GiB");
        assertThat(ByteSize.roundedUp(150_528_000)).isEqualTo("144MiB");
    }
}
