package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManifestTest {

    private static final String LINE = "{\"key\":\"a/b.jpg\",\"bytes\":12,\"checksum\":\"E3069283\",\"label\":\"cat\"}";

    private static Manifest parse(String text) {
        return Manifest.parse("m", ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void lines_ofEveryForm_areRead() {
        Manifest manifest =
                parse(LINE + "\r\n  \n{\"label\":3,\"key\":\"ü\",\"x\":{\"key\":[]}}\n{\"key\":\"z\",\"bytes\":null}");

        assertThat(manifest.lines())
                .containsExactly(
                        new Manifest.Line("a/b.jpg", 12, Checksum.parse("crc32c:e3069283"), null, "cat", -1),
                        new Manifest.Line("ü", -1, null, null, null, 3),
                        new Manifest.Line("z", -1, null, null, null, -1));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[1]|is not a JSON object",
                "{\"key\":\"a\"|is not JSON",
                "{\"key\":\"a\"} {\"key\":\"b\"}|more than one JSON object",
                "{\"bytes\":1}|has no \"key\"",
                "{\"key\":\"\"}|has no \"key\"",
                "{\"key\":7}|\"key\" is not a string",
                "{\"key\":\"a\",\"key\":\"b\"}|is not JSON",
                "{\"key\":\"a\",\"bytes\":-1}|\"bytes\" is not in [0, 9223372036854775807]",
                "{\"key\":\"a\",\"bytes\":1.5}|\"bytes\" is not a whole number",
                "{\"key\":\"a\",\"bytes\":99999999999999999999}|\"bytes\" is not in",
                "{\"key\":\"a\",\"label\":2147483648}|\"label\" is not in [0, 2147483647]",
                "{\"key\":\"a\",\"label\":[]}|\"label\" is not a string",
                "{\"key\":\"a\",\"checksum\":\"md5:00\"}|a checksum is 64 hexadecimal digits",
                "{\"key\":\"a\",\"etag\":\"5f2c\"}|\"etag\" is not an entity tag in its quotes: 5f2c",
                "not json|is not JSON",
            })
    void line_thatIsWrong_isNamed(String line, String message) {
        assertThatThrownBy(() -> parse("{\"key\":\"first\"}\n" + line + "\n"))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("manifest m, line 2: ")
                .hasMessageContaining(message);
    }

    @Test
    void entityTags_weakAndStrong_areReadAsSent() {
        Manifest manifest =
                parse("{\"key\":\"a\",\"etag\":\"\\\"5f-2c\\\"\"}\n{\"key\":\"b\",\"etag\":\"W/\\\"x\\\"\"}");

        assertThat(manifest.lines()).extracting(Manifest.Line::etag).containsExactly("\"5f-2c\"", "W/\"x\"");
    }

    @Test
    void key_thatStandsTwice_isRefused() {
        assertThatThrownBy(() -> parse(LINE + "\n" + LINE))
                .hasMessageContaining("line 2: key \"a/b.jpg\" stood before");
    }

    @Test
    void text_withoutLines_isRefused() {
        assertThatThrownBy(() -> parse("\n \n")).hasMessageContaining("is empty: it must have one JSON object a line");
    }

    @Test
    void line_withoutEnd_isRefusedUnread() {
        byte[] endless = new byte[50 << 20];
        Arrays.fill(endless, (byte) '{');

        assertThatThrownBy(() -> Manifest.parse("m", ByteBuffer.wrap(endless)))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("line 1: has more than 65536 bytes");
    }

    @Property(tries = 2000)
    void parse_ofAnyDamage_isAFormatExceptionOrAManifest(
            @ForAll @Size(max = 6) byte[] damage, @ForAll int place, @ForAll boolean insert) {
        byte[] text = (LINE + "\n" + LINE.replace("a/b", "c/d")).getBytes(StandardCharsets.UTF_8);
        int at = Math.floorMod(place, text.length);
        ByteBuffer damaged = ByteBuffer.allocate(text.length + damage.length);
        damaged.put(text, 0, at).put(damage);
        int from = insert ? at : Math.min(text.length, at + damage.length);
        damaged.put(text, from, text.length - from).flip();

        try {
            assertThat(Manifest.parse("m", damaged).lines()).isNotEmpty();
        } catch (FormatException e) {
            assertThat(e.getMessage()).startsWith("manifest m");
        }
    }
}
