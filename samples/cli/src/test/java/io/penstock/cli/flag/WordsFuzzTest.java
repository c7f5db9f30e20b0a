package io.penstock.cli.flag;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.cli.source.SourceSpec;
import io.penstock.order.ShardMode;
import io.penstock.resume.ResumeToken;
import io.penstock.tensor.Shape;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.TypeConversionException;

/** Words on the command line that were not meant for it. */
class WordsFuzzTest {

    @MethodSource("words")
    @FuzzTest(maxDuration = "10m")
    void word_ofAnyText_isReadOrRefused(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        requireReadOrRefused(() -> {
            ResumeToken token = ResumeToken.parse(text);
            assertThat(ResumeToken.parse(token.toString())).isEqualTo(token);
        });
        requireReadOrRefused(() -> {
            ShardMode mode = ShardMode.parse(text);
            assertThat(ShardMode.parse(mode.toString())).isEqualTo(mode);
        });
        requireReadOrRefused(() -> assertThat(ByteSize.parse(text).toString()).isNotBlank());
        requireReadOrRefused(() -> assertThat(LazySpec.parse(text)).isNotNull());
        requireReadOrRefused(() -> assertThat(SourceSpec.parse(text)).isNotNull());
        requireReadOrRefused(
                () -> assertThat(ArrayRegion.parse(text).within(Shape.of(5, 6))).isNotNull());
    }

    private static void requireReadOrRefused(Runnable parser) {
        try {
            parser.run();
        } catch (IllegalArgumentException refused) {
            assertThat(refused).isExactlyInstanceOf(IllegalArgumentException.class);
            assertThat(refused.getMessage()).isNotBlank();
        } catch (TypeConversionException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    static Stream<byte[]> words() {
        return Stream.of(
                        "\"v\":3 \"seed\": \"epoch\": \"offset\": \"stages\":[] 9223372036854775808 0:5,:,2:9 50% "
                                + "1.5GiB records: zarr: #",
                        "{\"v\":3,\"seed\":42,\"epoch\":3,\"offset\":17,\"samples\":100,\"order\":\"windowed 5"
                                + " interleaved 64\",\"shard\":\"reshard=5:8\","
                                + "\"source\":\"0123456789abcdef\",\"stages\":[\"01234567\",\"89abcdef\"]}",
                        "stable:8",
                        "rank,overflow=0.1,min=1000,agree=a/b",
                        "reshard=9223372036854775807:1",
                        "0:5,2",
                        "1.5GiB",
                        "50%",
                        "records:a.bin,1KiB",
                        "zarr:http://host/a.zarr#x/y",
                        "tar:a-{0..9}.tar")
                .map(text -> text.getBytes(StandardCharsets.UTF_8));
    }
}
