package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.kit.Hostile;
import io.penstock.store.MemoryStore;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.zarr.internal.element.ChunkTensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.scheduler.Schedulers;

/** Metadata that nobody in his right mind would write, and chunks and shards below it. */
class ZarrFuzzTest {

    private static final int MAX_CHUNK = 1 << 20;
    private static final int MAX_READ = 1 << 16;
    private static final List<String> CHUNKS =
            List.of("c", "c/0", "c/0/0", "c/1/0", "c.0.0", "0", "0/0", "0.0", "0/1", "1.0", "0.0.0");

    private static final String ENDS = "\0";

    private static final String V2 =
            "2{\"zarr_format\":2,\"shape\":[4,6],\"chunks\":[2,3],\"dtype\":\"<f4\",\"order\":\"F\","
                    + "\"compressor\":{\"id\":\"%s\"},\"filters\":[%s],\"fill_value\":\"NaN\",\"dimension_separator\":\"/\"}"
                    + ENDS;
    private static final String TEXTS =
            "2{\"zarr_format\":2,\"shape\":[3],\"chunks\":[3],\"dtype\":\"%s\",\"order\":\"C\","
                    + "\"compressor\":null,\"filters\":%s,\"fill_value\":\"\"}" + ENDS;
    private static final String V3 =
            "3{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[4,6],\"data_type\":\"int16\","
                    + "\"chunk_grid\":{\"name\":\"regular\","
                    + "\"configuration\":{\"chunk_shape\":[4,6]}},\"chunk_key_encoding\":{\"name\":\"default\"},"
                    + "\"fill_value\":-7,"
                    + "\"codecs\":[%s],\"dimension_names\":[\"y\",null],\"attributes\":{\"a\":[1]}}" + ENDS;
    private static final String SHARDS =
            "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[2,3],\"index_location\":\"%s\",\"codecs\":["
                    + "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}],"
                    + "\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}}";
    private static final String GROUP_V3 =
            "3{\"zarr_format\":3,\"node_type\":\"group\",\"consolidated_metadata\":{\"metadata\":{\"a/b\":%s}}}";
    private static final String GROUP_V2 =
            "2{\"zarr_consolidated_format\":1,\"metadata\":{\".zgroup\":{},\"a/b/.zattrs\":{\"k\":1},\"a/b/.zarray\":%s}}";

    /** The first byte says which version, a zero ends the document, and what follows lies under every key of a chunk. */
    @MethodSource("arrays")
    @FuzzTest(maxDuration = "10m")
    void array_ofAnyMetadataAndChunks_isReadOrRefused(byte[] input) {
        Hostile.bytes(() -> read(input));
    }

    private static void read(byte[] input) {
        int end = 1;
        while (end < input.length && input[end] != 0) {
            end++;
        }
        if (input.length < 2) {
            return;
        }
        byte[] document = Arrays.copyOfRange(input, 1, end);
        byte[] chunk = Arrays.copyOfRange(input, Math.min(input.length, end + 1), input.length);
        Map<String, byte[]> contents = new HashMap<>();
        CHUNKS.forEach(key -> contents.put(key, chunk));
        contents.put(input[0] == '2' ? ".zarray" : "zarr.json", document);
        ZarrArray array = Objects.requireNonNull(
                        ZarrArray.open(MemoryStore.of("fuzz", contents), "").block())
                .maxChunkBytes(MAX_CHUNK)
                .chunkCacheBytes(0)
                .decodeOn(Schedulers.immediate());
        assertThat(array.toString()).isNotEmpty();
        assertThat(array.codecs()).isNotEmpty();
        Shape shape = array.shape();
        long[] stop = new long[shape.rank()];
        int left = MAX_READ / Math.max(1, array.metadata().type().width());
        for (int axis = stop.length - 1; axis >= 0; axis--) {
            stop[axis] = Math.min(shape.dim(axis), Math.max(1, left));
            left = (int) (left / Math.max(1, stop[axis]));
        }
        Tensor region =
                Objects.requireNonNull(array.read(new long[stop.length], stop).block());
        if (!array.isText()) {
            assertThat(region.dtype()).isEqualTo(array.dtype());
            assertThat(region.shape())
                    .isEqualTo(
                            ChunkTensor.shape(Shape.of(stop), array.metadata().type()));
        }
    }

    /** The first byte says which version. */
    @MethodSource("groups")
    @FuzzTest(maxDuration = "10m")
    void group_ofAnyMetadata_isReadOrRefused(byte[] input) {
        if (input.length < 2) {
            return;
        }
        byte[] document = Arrays.copyOfRange(input, 1, input.length);
        MemoryStore store = MemoryStore.of(
                "fuzz",
                input[0] == '2'
                        ? Map.of(
                                ".zgroup",
                                "{\"zarr_format\":2}".getBytes(StandardCharsets.UTF_8),
                                ".zmetadata",
                                document)
                        : Map.of("zarr.json", document));
        Hostile.bytes(() -> {
            ZarrGroup group = Objects.requireNonNull(ZarrGroup.open(store, "").block());
            for (String path :
                    Objects.requireNonNull(group.arrays().collectList().block())) {
                assertThat(path).doesNotStartWith("/").doesNotContain("..");
                assertThat(Objects.requireNonNull(group.array(path).block()).path())
                        .isEqualTo(path);
            }
        });
    }

    private static byte[] input(String document, byte... chunk) {
        byte[] text = document.getBytes(StandardCharsets.UTF_8);
        byte[] input = Arrays.copyOf(text, text.length + chunk.length);
        System.arraycopy(chunk, 0, input, text.length, chunk.length);
        return input;
    }

    static Stream<byte[]> arrays() {
        String bytes = "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}";
        String turned = "{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},";
        String cast =
                "{\"name\":\"numcodecs.astype\",\"configuration\":{\"decode_dtype\":\"int16\",\"encode_dtype\":\"float64\"}},";
        byte[] index = index();
        return Stream.of(
                input("2" + "9223372036854775807 4294967296 -1 1e300 \"|O\" \"|S3\" \"<U2\" \"|V4\" \">M8[ns]\" "
                        + "\"<c16\" [[\"a\",\"<i4\"],[\"b\",\"|u1\",[2]]] \"complex64\" \"string\" \"r16\" "
                        + "\"bfloat16\" \"transpose\" \"order\":[1,0] \"sharding_indexed\" \"chunk_shape\" "
                        + "\"index_codecs\" \"crc32c\" \"gzip\" \"zstd\" \"bz2\" \"lz4\" \"shuffle\" \"packbits\" "
                        + "\"delta\" \"fixedscaleoffset\" \"astype\" \"quantize\" \"bitround\" \"vlen-utf8\" "
                        + "\"json2\" \"fletcher32\" \"NaT\" \"0x7fc0\""),
                input(V2.formatted("shuffle", "{\"id\":\"delta\",\"dtype\":\"<f4\"}"), new byte[24]),
                input(V2.formatted("fletcher32", ""), new byte[28]),
                input(
                        TEXTS.formatted("|O", "[{\"id\":\"vlen-utf8\"}]"),
                        new byte[] {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
                input(
                        TEXTS.formatted("|O", "[{\"id\":\"json2\"}]"),
                        "[1,2,3,\"|O\",[3]]".getBytes(StandardCharsets.UTF_8)),
                input(TEXTS.formatted("<U2", "null"), new byte[24]),
                input(TEXTS.formatted("|S2", "null"), new byte[6]),
                input(V3.formatted(bytes), new byte[48]),
                input(V3.formatted(turned + bytes + ",\"crc32c\""), new byte[52]),
                input(V3.formatted(cast + bytes), new byte[192]),
                input(V3.formatted(SHARDS.formatted("start")), index),
                input(V3.formatted(turned.replace("1,0", "0,1") + SHARDS.formatted("start")), index));
    }

    /** Of four inner chunks of twelve bytes, the last of which is not stored. */
    private static byte[] index() {
        ByteBuffer shard = ByteBuffer.allocate(64 + 36).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 3; i++) {
            shard.putLong(64 + 12 * i).putLong(12);
        }
        return shard.putLong(-1).putLong(-1).array();
    }

    static Stream<byte[]> groups() {
        String v2 = V2.formatted("zlib", "");
        String v3 = V3.formatted("\"bytes\"").replace("int16", "int8");
        return Stream.of(
                input("2{" + "\"metadata\" .zarray ../.zarray \"a//b\" \"node_type\":\"array\" [] null"),
                input(GROUP_V2.formatted(v2.substring(1, v2.length() - 1))),
                input(GROUP_V3.formatted(v3.substring(1, v3.length() - 1))));
    }
}
