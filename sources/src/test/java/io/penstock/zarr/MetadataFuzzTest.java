package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.fault.FormatException;
import io.penstock.store.MemoryStore;
import io.penstock.zarr.internal.element.MetadataJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Metadata that nobody in his right mind would write. */
class MetadataFuzzTest {

    private static final String V2 =
            "{\"zarr_format\":2,\"shape\":[4,6],\"chunks\":[2,3],\"dtype\":\"<f4\",\"order\":\"F\","
                    + "\"compressor\":{\"id\":\"blosc\",\"cname\":\"lz4\"},"
                    + "\"filters\":[{\"id\":\"delta\",\"dtype\":\"<f4\"}],\"fill_value\":\"NaN\",\"dimension_separator\":\"/\"}";
    private static final String V3 =
            "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4,6],\"data_type\":\"int16\","
                    + "\"chunk_grid\":{\"name\":\"regular\","
                    + "\"configuration\":{\"chunk_shape\":[4,6]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
                    + "\"fill_value\":-7,"
                    + "\"codecs\":[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],"
                    + "\"codecs\":[{\"name\":\"transpose\","
                    + "\"configuration\":{\"order\":[1,0]}},{\"name\":\"bytes\","
                    + "\"configuration\":{\"endian\":\"big\"}},\"gzip\"],"
                    + "\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},\"crc32c\"]}}]}";
    private static final List<String> ODD = List.of(
            "0",
            "-1",
            "1e300",
            "9223372036854775807",
            "4294967296",
            "null",
            "\"\"",
            "\"x\"",
            "[]",
            "{}",
            "[[]]",
            "true",
            "[-1]",
            "[9223372036854775807,9223372036854775807]",
            "[0,0]",
            "\"|O\"",
            "\"<U99999999\"",
            "\"NaN\"",
            "NaN",
            "[\"bytes\"]",
            "{\"name\":\"bytes\"}",
            "{\"id\":\"zlib\"}",
            "[{\"id\":\"vlen-utf8\"}]",
            "18446744073709551616");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static JsonNode none() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Reads a document; then everything that can be asked of it without its chunks. */
    private static void readOrRefused(ZarrFormat format, byte[] document) {
        try {
            ArrayMetadata metadata = ArrayMetadata.of(format, MetadataJson.parse(document), none());
            ZarrArray array = ZarrArray.of(MemoryStore.of("fuzz", Map.of()), "", metadata);
            assertThat(array.toString()).isNotEmpty();
            assertThat(metadata.levels()).isNotEmpty();
            assertThat(metadata.innermost().encodedBytes(array.readShape(), metadata.type(), 1 << 30))
                    .isNotNegative();
        } catch (FormatException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    @Provide
    Arbitrary<String> odd() {
        return Arbitraries.of(ODD);
    }

    @Provide
    Arbitrary<String> documents() {
        return Arbitraries.of(V2, V3);
    }

    /** One value of a sound document is replaced. */
    @Property(tries = 5000)
    void metadata_withOneOddValue_isReadOrRefused(
            @ForAll("documents") String sound, @ForAll("places") int place, @ForAll("odd") String odd) {
        int at = place % sound.length();
        int colon = sound.indexOf(':', at);
        int end = colon < 0 ? -1 : end(sound, colon + 1);
        String document = end < 0 ? sound : sound.substring(0, colon + 1) + odd + sound.substring(end);

        readOrRefused(sound.equals(V2) ? ZarrFormat.V2 : ZarrFormat.V3, bytes(document));
    }

    private static int end(String json, int from) {
        int depth = 0;
        for (int i = from; i < json.length(); i++) {
            char c = json.charAt(i);
            depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
            if (depth < 0 || depth == 0 && i + 1 < json.length() && ",]}".indexOf(json.charAt(i + 1)) >= 0) {
                return depth < 0 ? i : i + 1;
            }
        }
        return json.length();
    }

    @Property(tries = 3000)
    void metadata_withOneByteChanged_isReadOrRefused(
            @ForAll("documents") String sound, @ForAll("places") int place, @ForAll byte with) {
        byte[] document = bytes(sound);
        document[place % document.length] = with;

        readOrRefused(sound.equals(V2) ? ZarrFormat.V2 : ZarrFormat.V3, document);
    }

    @Provide
    Arbitrary<Integer> places() {
        return Arbitraries.integers().between(0, 1 << 20);
    }

    @Test
    void json_nestedTooDeep_isRefused() {
        byte[] deep = bytes("[".repeat(100_000) + "]".repeat(100_000));

        assertThatThrownBy(() -> MetadataJson.parse(deep))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("not JSON: ");
    }

    @Test
    void shards_nestedTooDeep_areRefused() {
        String codecs = "[\"bytes\"]";
        for (int i = 0; i < 200; i++) {
            codecs = ("[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[4,6],\"codecs\":%s,"
                            + "\"index_codecs\":[]}}]")
                    .formatted(codecs);
        }
        byte[] document = bytes(V3.substring(0, V3.indexOf("\"codecs\"")) + "\"codecs\":" + codecs + "}");

        assertThatThrownBy(() -> MetadataJson.parse(document)).isInstanceOf(FormatException.class);
    }

    @Test
    void chunk_tooLargeToBelieve_isRefusedBeforeItTakesMemory() {
        String huge = V2.replace("[4,6]", "[1000000000000,4]")
                .replace("[2,3]", "[1000000000,4]")
                .replace("\"filters\":[{\"id\":\"delta\",\"dtype\":\"<f4\"}]", "\"filters\":null");
        MemoryStore store = MemoryStore.of("huge", Map.of(".zarray", bytes(huge), "0/0", new byte[10]));
        ZarrArray array = Objects.requireNonNull(ZarrArray.open(store, "").block());

        assertThat(array.rows().size()).isEqualTo(1_000_000_000_000L);
        assertThatThrownBy(() -> array.rows().get(7).block())
                .isInstanceOf(FormatException.class)
                .hasMessageMatching(
                        ".*a chunk must have at most \\d+ bytes, is <f4\\[1000000000, 4]; raise maxChunkBytes, or -Xmx.*");
    }

    @Test
    void chunk_overALowerLimit_isRefused() {
        MemoryStore store = MemoryStore.of("low", Map.of(".zarray", bytes(V2)));
        ZarrArray array =
                Objects.requireNonNull(ZarrArray.open(store, "").block()).maxChunkBytes(23);

        assertThatThrownBy(() -> array.read().block()).hasMessageContaining("at most 23 bytes");
        assertThat(array.maxChunkBytes(24).read().block()).isNotNull();
    }

    @Test
    void chunk_largerThanItsCodecsCanMakeIt_isNotFetched() {
        MemoryStore store = MemoryStore.of(
                "fat",
                Map.of(
                        ".zarray",
                        bytes(V2.replace("{\"id\":\"blosc\",\"cname\":\"lz4\"}", "null")),
                        "0/0",
                        new byte[25]));
        ZarrArray array = Objects.requireNonNull(ZarrArray.open(store, "").block());

        assertThatThrownBy(() -> array.read().block()).hasMessageContaining("at most 24 bytes are expected, it has 25");
    }
}
