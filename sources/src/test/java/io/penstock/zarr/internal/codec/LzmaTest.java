package io.penstock.zarr.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fault.FormatException;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.MetadataJson;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams that Python's {@code lzma} wrote, which is what numcodecs calls. */
class LzmaTest {

    private static final byte[] TEXT =
            "hello hello hello hello hello\nhello hello hello he".getBytes(StandardCharsets.UTF_8);

    private static final String XZ =
            "fd377a585a000004e6d6b4460200210110000000a8708e86e0003100105d00341949db855c67f219210e"
                    + "b16b90200000737f68519e6bbd2700012c32058f60d11fb6f37d010000000004595a";
    private static final String XZ_DELTA =
            "fd377a585a000004e6d6b4460201030103210110a22a1215e0003100165d00341949db7fd86e9ca5a46b86b57f2f9152dd278d14"
                    + "00000000737f68519e6bbd2700013232dab021051fb6f37d010000000004595a";
    private static final String TWO_STREAMS =
            "fd377a585a000004e6d6b4460200210116000000742fe5a3e00013000b5d00341949ee8de952c465e0000000289ff9ea17d28c57"
                    + "0001271433d399e01fb6f37d010000000004595afd377a585a000004e6d6b4460200210116000000742fe5a3e0001d00"
                    + "105d003661b84068331f35d8ee1feb4ab7a00000cb75588bb5daaefd00012c1ee6e3b8e31fb6f37d010000000004595a";

    private static BytesToBytes codec(String config) {
        return Codecs.bytes("lzma", MetadataJson.parse(config.getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | " + XZ,
                "{\"id\":\"lzma\",\"format\":1,\"check\":-1,\"preset\":1,\"filters\":null} | " + XZ,
                "{\"format\":1,\"filters\":[{\"id\":3,\"dist\":4},{\"id\":33,\"preset\":1}]} | " + XZ_DELTA,
                "{\"format\":1} | " + TWO_STREAMS,
            })
    void decode_eachFormat_isWhatWasWrittenAndNeverMoreThanAllowed(String config, String hex) {
        BytesToBytes codec = codec(config);
        byte[] encoded = HexFormat.of().parseHex(hex);

        byte[] decoded = codec.decode(encoded, TEXT.length);

        assertThat(decoded).isEqualTo(TEXT);
        assertThat(codec.name()).isEqualTo("lzma");
        assertThatThrownBy(() -> codec.decode(encoded, TEXT.length - 1))
                .isInstanceOf(FormatException.class)
                .hasMessage("lzma: inflates to more than the 49 bytes expected");
        for (int length = 0; length < encoded.length - 8; length++) {
            byte[] cut = Arrays.copyOf(encoded, length);
            assertThatThrownBy(() -> requireWhole(codec.decode(cut, TEXT.length)))
                    .as("%d of %d bytes", length, encoded.length)
                    .isInstanceOf(FormatException.class);
        }
    }

    private static void requireWhole(byte[] bytes) {
        if (bytes.length < TEXT.length) {
            throw new FormatException("shorter, which the array's size shows");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"format\":1.5} | \"format\" must be an integer, was 1.5",
                "{\"format\":0} | \"format\" must be in [1, 3], was 0",
                "{\"format\":3} | codec \"lzma\" is supported in format 1 (xz), was 3",
            })
    void of_settingsThatCannotBeRead_areRefused(String config, String message) {
        assertThatThrownBy(() -> codec(config))
                .isInstanceOf(FormatException.class)
                .hasMessageEndingWith(message);
    }

    @Test
    void decode_dictionaryThatIsLargerThanMemory_isRefusedBeforeItIsAllocated() {
        // the size of the dictionary in the block's header, 1.5 GiB, and the header's checksum
        byte[] small = HexFormat.of().parseHex(XZ.replace("10000000a8708e86", "250000003b787b41"));

        assertThatThrownBy(() -> codec("{}").decode(small, TEXT.length))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("lzma: its dictionary needs ")
                .hasMessageEndingWith(" KiB, the max is 131072 KiB");
    }

    @Test
    void of_withoutTheLibraries_namesTheArtifactAndReadsTheOthers() throws ReflectiveOperationException {
        ClassLoader without = new WithoutLibraries();
        Method of = without.loadClass("io.penstock.zarr.internal.codec.Codecs")
                .getDeclaredMethod("bytes", String.class, JsonNode.class);
        of.setAccessible(true);
        JsonNode config = MetadataJson.parse("{}".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> of.invoke(null, "lzma", config))
                .isInstanceOf(InvocationTargetException.class)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("codec \"lzma\" needs XZ for Java on the class path; add org.tukaani:xz:1.12");
        assertThatThrownBy(() -> of.invoke(null, "bz2", config))
                .cause()
                .hasMessage("codec \"bz2\" needs Commons Compress on the class path; add"
                        + " org.apache.commons:commons-compress:1.28.0");
        assertThat(of.invoke(null, "blosc", config)).hasToString("blosc");
    }

    /** Our classes again, without those of the optional libraries. */
    private static final class WithoutLibraries extends ClassLoader {
        WithoutLibraries() {
            super(LzmaTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("org.tukaani.") || name.startsWith("org.apache.commons.compress.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.penstock.zarr.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
