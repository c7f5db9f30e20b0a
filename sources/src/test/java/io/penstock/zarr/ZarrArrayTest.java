package io.penstock.zarr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kit.CountingStore;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZarrArrayTest {

    private final CountingStore store = new CountingStore();

    private ZarrArray open(String path) {
        return Objects.requireNonNull(ZarrArray.open(store, path).block());
    }

    private Tensor read(ZarrArray array) {
        return Objects.requireNonNull(array.read().block());
    }

    private static String v2(String shape, String chunks, String dtype, String more) {
        return "{\"zarr_format\":2,\"shape\":%s,\"chunks\":%s,\"dtype\":%s,\"compressor\":null,\"filters\":null,%s}"
                .formatted(shape, chunks, dtype, more.isEmpty() ? "\"order\":\"C\",\"fill_value\":0" : more);
    }

    private static String v3(String shape, String chunk, String type, String fill, String codecs) {
        return """
                {"zarr_format":3,"node_type":"array","shape":%s,"data_type":%s,
                 "chunk_grid":{"name":"regular","configuration":{"chunk_shape":%s}},
                 "chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},
                 "fill_value":%s,"codecs":%s,"attributes":{"unit":"m"},
                 "dimension_names":["y","x"]}""".formatted(shape, type, chunk, fill, codecs);
    }

    @Test
    void read_v2BigEndianWithRaggedEdge_isLittleEndianInCOrder() {
        store.put("a/.zarray", v2("[2,3]", "[2,2]", "\">i2\"", ""))
                .put("a/0.0", (byte) 0, (byte) 1, (byte) 0, (byte) 2, (byte) 0, (byte) 4, (byte) 0, (byte) 5)
                .put("a/0.1", (byte) 1, (byte) 3, (byte) 9, (byte) 9, (byte) 0, (byte) 6, (byte) 9, (byte) 9);

        Tensor whole = read(open("a"));

        assertThat(whole.type()).isEqualTo("i16[2, 3]");
        assertThat(whole.toByteArray()).containsExactly(1, 0, 2, 0, 3, 1, 4, 0, 5, 0, 6, 0);
    }

    @Test
    void read_v2FortranOrder_isTransposed() {
        store.put(".zarray", v2("[2,3]", "[2,3]", "\"|u1\"", "\"order\":\"F\",\"fill_value\":0"))
                .put("0.0", (byte) 1, (byte) 4, (byte) 2, (byte) 5, (byte) 3, (byte) 6);

        Tensor whole = read(open(""));

        assertThat(whole.toByteArray()).containsExactly(1, 2, 3, 4, 5, 6);
    }

    @Test
    void read_missingChunks_areTheFillValue() {
        store.put(
                        ".zarray",
                        v2("[4]", "[2]", "\"<i2\"", "\"order\":\"C\",\"fill_value\":-2,\"dimension_separator\":\"/\""))
                .put("1", (byte) 7, (byte) 0, (byte) 8, (byte) 0);

        Tensor whole = read(open(""));

        assertThat(whole.toByteArray()).containsExactly(-2, -1, -2, -1, 7, 0, 8, 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"float32\"     | \"NaN\"            | 0,0,-64,127",
                "\"float32\"     | \"0x7fc00001\"     | 1,0,-64,127",
                "\"float32\"     | \"-Infinity\"      | 0,0,-128,-1",
                "\"float16\"     | 1.5                | 0,62",
                "\"bfloat16\"    | 1.5                | -64,63",
                "\"bool\"        | true               | 1",
                "\"uint64\"      | 18446744073709551615 | -1,-1,-1,-1,-1,-1,-1,-1",
                "\"int8\"        | -3                 | -3",
                "\"complex64\"   | [1.0,\"Infinity\"] | 0,0,-128,63,0,0,-128,127",
                "\"r24\"         | [1,2,255]          | 1,2,-1",
                "\"string\"      | \"ü\"              | -61,-68,10",
                "\"int32\"       | \"-2\"             | -2,-1,-1,-1",
                "\"uint64\"      | \"18446744073709551615\" | -1,-1,-1,-1,-1,-1,-1,-1",
                "\"float32\"     | \"1.5e0\"          | 0,0,-64,63",
                "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"ns\",\"scale_factor\":1}} | \"NaT\" |"
                        + " 0,0,0,0,0,0,0,-128",
                "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":10}} | 258 | 2,1,0,0,0,0,0,0",
            })
    void fillValue_ofEachType_isItsBytes(String type, String fill, String bytes) {
        String codecs = type.contains("string")
                ? "[\"vlen-utf8\"]"
                : "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]";
        store.put("zarr.json", v3("[2,1]", "[1,1]", type, fill, codecs));

        Tensor one = open("").fillValue();

        byte[] found = one.toByteArray();
        StringBuilder text = new StringBuilder();
        for (byte b : found) {
            text.append(text.isEmpty() ? "" : ",").append(b);
        }
        assertThat(text.toString()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"int32\"   | \"0.5\"",
                "\"int32\"   | \"0 \"",
                "\"int32\"   | \"\"",
                "\"uint8\"   | \"-1\"",
                "\"uint8\"   | \"256\"",
                "\"int64\"   | \"99999999999999999999999999999999999999999999\"",
                "\"float32\" | \"1.5f\"",
                "\"float32\" | \"NaT\"",
                "\"bool\"    | \"yes\"",
            })
    void fillValue_textThatIsNoSuchNumber_isRefused(String type, String fill) {
        String codecs = "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]";
        store.put("zarr.json", v3("[2,1]", "[1,1]", type, fill, codecs));

        assertThatThrownBy(() -> open(""))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("fill value " + fill + " is no " + type.replace("\"", ""));
    }

    @Test
    void fillValue_v2IntegerAsText_isThatNumber() {
        store.put(".zarray", v2("[1]", "[1]", "\"<i4\"", "\"order\":\"C\",\"fill_value\":\"0\""));

        Tensor whole = read(open(""));

        assertThat(whole.toByteArray()).containsExactly(0, 0, 0, 0);
    }

    @Test
    void read_v3DatesAndDurations_areIntegersOfTheUnitTold() {
        String codecs = "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]";
        String date = "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"ns\",\"scale_factor\":1}}";
        String wait = "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"D\",\"scale_factor\":25}}";
        store.put("date/zarr.json", v3("[2,1]", "[1,1]", date, "\"NaT\"", codecs))
                .put("date/c/0/0", (byte) 5, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0)
                .put("wait/zarr.json", v3("[2,1]", "[1,1]", wait, "0", codecs));

        Tensor dates = read(open("date"));

        assertThat(dates.type()).isEqualTo("i64[2, 1]");
        assertThat(dates.longAt(0)).isEqualTo(5);
        assertThat(dates.longAt(1)).isEqualTo(Long.MIN_VALUE);
        assertThat(open("date").dataType()).isEqualTo("numpy.datetime64[ns]");
        assertThat(open("wait").dataType()).isEqualTo("numpy.timedelta64[25D]");
    }

    @Test
    void fillValue_v2Base64_isDecoded() {
        store.put(".zarray", v2("[1]", "[1]", "\"|S3\"", "\"order\":\"C\",\"fill_value\":\"YWIA\""));

        Tensor whole = read(open(""));

        assertThat(whole.toText()).isEqualTo("ab\n");
    }

    @Test
    void read_v3Scalar_isOneElement() {
        store.put(
                        "zarr.json",
                        v3(
                                        "[]",
                                        "[]",
                                        "\"int32\"",
                                        "0",
                                        "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]")
                                .replace("[\"y\",\"x\"]", "null"))
                .put("c", (byte) 0, (byte) 0, (byte) 1, (byte) 2);

        Tensor whole = read(open(""));

        assertThat(whole.shape()).isEqualTo(Shape.SCALAR);
        assertThat(whole.longAt(0)).isEqualTo(258);
        assertThatThrownBy(() -> open("").rows()).hasMessageContaining("has no rows");
    }

    @Test
    void read_v3Transposed_isInTheArraysOrder() {
        String codecs = "[{\"name\":\"transpose\",\"configuration\":{\"order\":[2,0,1]}},\"bytes\"]";
        store.put(
                "zarr.json", v3("[2,3,4]", "[2,3,4]", "\"uint8\"", "0", codecs).replace("[\"y\",\"x\"]", "null"));
        byte[] stored = new byte[24];
        byte[] wanted = new byte[24];
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 4; k++) {
                    wanted[(i * 3 + j) * 4 + k] = (byte) (100 * i + 10 * j + k);
                    stored[(k * 2 + i) * 3 + j] = (byte) (100 * i + 10 * j + k);
                }
            }
        }
        store.put("c/0/0/0", stored);

        Tensor whole = read(open(""));

        assertThat(whole.toByteArray()).isEqualTo(wanted);
    }

    @Test
    void read_fixedTexts_areLines() {
        byte[] chunk = new byte[2 * 3 * 4];
        System.arraycopy("aü".getBytes(java.nio.charset.Charset.forName("UTF-32BE")), 0, chunk, 0, 8);
        System.arraycopy("字b\0".getBytes(java.nio.charset.Charset.forName("UTF-32BE")), 0, chunk, 12, 12);
        store.put(".zarray", v2("[2]", "[2]", "\">U3\"", "\"order\":\"C\",\"fill_value\":\"\""))
                .put("0", chunk);
        ZarrArray array = open("");

        Tensor whole = read(array);

        assertThat(whole.toText()).isEqualTo("aü\n字b\n");
        assertThat(array.texts(new long[] {1}, new long[] {2}).block()).containsExactly("字b");
        assertThat(array.rows().get(0).map(Tensor::toText).block()).isEqualTo("aü\n");
    }

    @Test
    void read_variableTextsInFortranOrder_areTransposed() {
        store.put(
                        ".zarray",
                        v2("[2,2]", "[2,2]", "\"|O\"", "\"order\":\"F\",\"fill_value\":\"x\"")
                                .replace("\"filters\":null", "\"filters\":[{\"id\":\"vlen-utf8\"}]"))
                .put("0.0", "\4\0\0\0\1\0\0\0a\1\0\0\0c\2\0\0\0bb\0\0\0\0");

        Tensor whole = read(open(""));

        assertThat(whole.toText()).isEqualTo("a\nbb\nc\n\n");
    }

    @Test
    void read_json_isTextOrJsonInOrder() {
        store.put(
                        ".zarray",
                        v2("[3]", "[3]", "\"|O\"", "\"order\":\"C\",\"fill_value\":null")
                                .replace("\"filters\":null", "\"filters\":[{\"id\":\"json2\"}]"))
                .put("0", "[\"a\",{\"z\":1,\"b\":[2,{\"d\":3,\"c\":4}]},null,\"|O\",[3]]");

        Tensor whole = read(open(""));

        assertThat(whole.toText()).isEqualTo("a\n{\"b\":[2,{\"c\":4,\"d\":3}],\"z\":1}\nnull\n");
    }

    @Test
    void read_region_touchesItsChunksAlone() {
        store.put(".zarray", v2("[4,4]", "[2,2]", "\"|u1\"", ""));
        for (int i = 0; i < 4; i++) {
            byte first = (byte) (i / 2 * 8 + i % 2 * 2);
            store.put(i / 2 + "." + i % 2, first, (byte) (first + 1), (byte) (first + 4), (byte) (first + 5));
        }
        ZarrArray array = open("");

        Tensor part = Objects.requireNonNull(
                array.read(new long[] {1, 2}, new long[] {4, 3}).block());

        assertThat(part.type()).isEqualTo("u8[3, 1]");
        assertThat(part.toByteArray()).containsExactly(6, 10, 14);
        assertThat(store.asked()).containsExactlyInAnyOrder("0.1", "1.1");
        assertThatThrownBy(() -> array.read(new long[] {0, 0}, new long[] {5, 1}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("region must lie within [4, 4], was [0, 0] to [5, 1]");
    }

    @Test
    void metadata_ofV3_isShown() {
        store.put(
                "g/a/zarr.json",
                v3(
                        "[4,2]",
                        "[2,2]",
                        "\"float32\"",
                        "0",
                        "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"zstd\","
                                + "\"configuration\":{\"level\":0,\"checksum\":false}}]"));

        ZarrArray array = open("/g/a/");

        assertThat(array.shape()).isEqualTo(Shape.of(4, 2));
        assertThat(array.chunkShape()).isEqualTo(Shape.of(2, 2));
        assertThat(array.dtype()).isEqualTo(DType.F32);
        assertThat(array.codecs()).containsExactly("bytes", "zstd");
        assertThat(array.dimensionNames()).containsExactly("y", "x");
        assertThat(array.attributes()).isEqualTo("{\"unit\":\"m\"}");
        assertThat(array.toString())
                .isEqualTo("zarr array g/a in memory:test: float32[4, 2], chunks [2, 2], bytes → zstd");
    }

    @Test
    void open_bothVersionsSideBySide_takesTheOneAskedFor() {
        store.put("zarr.json", v3("[1,2]", "[1,2]", "\"uint8\"", "3", "[\"bytes\"]"))
                .put(".zarray", v2("[2]", "[2]", "\"|u1\"", ""));

        ZarrArray newer = open("");
        ZarrArray older =
                Objects.requireNonNull(ZarrArray.open(store, "", ZarrFormat.V2).block());

        assertThat(newer.format()).isEqualTo(ZarrFormat.V3);
        assertThat(older.shape()).isEqualTo(Shape.of(2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"uint8\" | [\"bytes\",{\"name\":\"numcodecs.zfpy\"}] | codec is not supported: \"zfpy\"",
                "\"uint8\" | [{\"name\":\"pcodec\"}]                   | codec is not supported: \"pcodec\"",
                "\"float8_e4m3\" | [\"bytes\"] | data type is not supported: extension type \"float8_e4m3\"",
                "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"fortnight\"}} | [\"bytes\"] | \"unit\""
                        + " of numpy.datetime64 must be one of [Y, M, W,",
                "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"s\",\"scale_factor\":0}} | [\"bytes\"]"
                        + " | \"scale_factor\" must be in [1, 2147483647], was 0",
                "{\"name\":\"struct\",\"configuration\":{\"fields\":[]}} | [\"bytes\"] | extension type \"struct\"",
                "\"uint8\" | [\"gzip\",\"bytes\"] | codec \"gzip\" is out of order",
                "\"uint8\" | [] | codecs must have one that makes bytes",
                "\"int16\" | [\"bytes\"] | must say \"endian\"",
            })
    void open_unsupported_namesIt(String type, String codecs, String message) {
        store.put("a/zarr.json", v3("[2,2]", "[1,2]", type, "0", codecs));

        assertThatThrownBy(() -> open("a"))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("cannot read a/zarr.json in memory:test: ")
                .hasMessageContaining(message);
    }

    @Test
    void open_unknownExtension_isRefusedUnlessItNeedNotBeUnderstood() {
        String plain = v3("[2,2]", "[1,2]", "\"uint8\"", "0", "[\"bytes\"]");
        store.put("a/zarr.json", plain.replace("\"attributes\"", "\"x\":{\"must_understand\":false},\"attributes\""))
                .put("b/zarr.json", plain.replace("\"attributes\"", "\"x\":{},\"attributes\""));

        ZarrArray array = open("a");

        assertThat(array.shape()).isEqualTo(Shape.of(2, 2));
        assertThatThrownBy(() -> open("b")).hasMessageContaining("extension is not supported: \"x\"");
    }

    @Test
    void open_nothingThere_saysWhatWasLookedFor() {
        assertThatThrownBy(() -> open("no/such"))
                .isInstanceOf(StoreException.class)
                .hasMessage("no zarr array at no/such in memory:test: no zarr.json or .zarray there");
        assertThatThrownBy(() -> ZarrArray.open(store, "../up"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("../up");
    }

    @Test
    void read_damagedChunk_namesChunkCodecAndStore() {
        store.put(
                        "a/.zarray",
                        v2("[2]", "[2]", "\"|u1\"", "")
                                .replace("\"compressor\":null", "\"compressor\":{\"id\":\"zlib\",\"level\":1}"))
                .put("a/0", "no zlib".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(() -> read(open("a")))
                .isInstanceOf(FormatException.class)
                .hasMessageStartingWith("cannot decode chunk a/0 in memory:test: zlib: bytes are damaged");
    }

    @Test
    void read_chunkOfAnotherLength_isRefused() {
        store.put(".zarray", v2("[4]", "[4]", "\"<i2\"", "")).put("0", (byte) 1, (byte) 2, (byte) 3);

        assertThatThrownBy(() -> read(open(""))).hasMessageContaining("<i2[4] needs 8 bytes, came 3");
    }

    @Test
    void group_consolidated_isNotListed() {
        store.put(".zgroup", "{\"zarr_format\":2}")
                .put(".zattrs", "{\"title\":\"t\",\"x\":NaN}")
                .put(
                        ".zmetadata",
                        ("{\"metadata\":{\".zgroup\":{\"zarr_format\":2},\"g/a/.zarray\":%s,"
                                        + "\"g/a/.zattrs\":{\"_ARRAY_DIMENSIONS\":[\"t\"]}}}")
                                .formatted(v2("[1]", "[1]", "\"|u1\"", "")));
        ZarrGroup group = Objects.requireNonNull(ZarrGroup.open(store, "").block());

        List<String> arrays = group.arrays().collectList().block();
        ZarrArray array = Objects.requireNonNull(group.array("g/a").block());

        assertThat(arrays).containsExactly("g/a");
        assertThat(array.dimensionNames()).containsExactly("t");
        assertThat(group.attributes()).contains("\"title\":\"t\"");
    }

    @Test
    void group_notConsolidated_findsArraysInItsFolders() {
        String array = v3("[1,1]", "[1,1]", "\"uint8\"", "0", "[\"bytes\"]");
        String group = "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":{\"k\":1}}";
        store.put("zarr.json", group)
                .put("g/zarr.json", group)
                .put("g/0/zarr.json", array)
                .put("g/0/c/0/0", (byte) 1)
                .put("b/.zarray", v2("[1]", "[1]", "\"|u1\"", ""));

        List<String> arrays = Objects.requireNonNull(ZarrGroup.open(store, "").block())
                .arrays()
                .collectList()
                .block();

        assertThat(arrays).containsExactly("b", "g/0");
    }

    @Test
    void group_consolidatedPathThatLeadsOut_isTheDocumentsFault() {
        store.put(".zgroup", "{}").put(".zmetadata", "{\"metadata\":{\"../a/.zarray\":{}}}");

        assertThatThrownBy(() -> ZarrGroup.open(store, "").block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cannot read .zmetadata in ")
                .hasMessageEndingWith("path of an array must lead down from the store: \"../a/\"");

        store.put(
                "zarr.json",
                "{\"node_type\":\"group\",\"consolidated_metadata\":{\"metadata\":{\"a//b\":"
                        + "{\"node_type\":\"array\"}}}}");

        assertThatThrownBy(() -> ZarrGroup.open(store, "").block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("cannot read zarr.json in ");
    }

    /** Slashes at the ends were once looked for again from each of them: here for minutes. */
    @Test
    void path_ofManySlashes_isRefusedAtOnce() {
        String path = "a" + "/".repeat(1_000_000) + "b";

        assertThatThrownBy(() -> Metadata.path(path)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Metadata.path("//a/b//")).isEqualTo("a/b");
    }
}
