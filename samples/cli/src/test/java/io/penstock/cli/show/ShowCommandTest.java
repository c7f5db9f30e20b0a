package io.penstock.cli.show;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.cli.TarBytes;
import io.penstock.pictures.Photograph;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code penstock show}, and {@code stream} over the sources that it shows. */
class ShowCommandTest {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private String write(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.write(file, bytes).toString();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    /** The numbers 0 to 5 as {@code i16[3, 2]}, in NumPy's format. */
    private static byte[] npy() {
        return npy("<i2", "(3, 2)", new byte[] {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0});
    }

    private static byte[] npy(String type, String shape, byte[] values) {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(type, shape);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(0x93);
        out.writeBytes(ascii("NUMPY"));
        out.writeBytes(new byte[] {1, 0, 118, 0});
        out.writeBytes(ascii(header + " ".repeat(117 - header.length()) + "\n"));
        out.writeBytes(values);
        return out.toByteArray();
    }

    private String zarr() throws IOException {
        write("store/numbers/zarr.json", ascii("""
                        {"zarr_format": 3, "node_type": "array", "shape": [3, 4], "data_type": "uint8", "fill_value": 9,
                         "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 4]}},
                         "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
                         "codecs": [{"name": "bytes"}]}
                        """));
        write("store/numbers/c/0/0", new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
        return "zarr:" + folder.resolve("store") + "#numbers";
    }

    @Test
    void show_array_saysWhatItIsAndItsChecksum() throws Exception {
        String npy = "npy:" + write("a.npy", npy());

        Cli shown = Cli.run("show", npy, "--json", "--checksum", "--index", "1");

        JsonNode line = shown.events().get(0);
        assertThat(shown.status()).isZero();
        assertThat(line.path("source").asText()).isEqualTo(npy);
        assertThat(line.path("size").asInt()).isEqualTo(3);
        assertThat(line.path("fields").toString())
                .isEqualTo("[{\"name\":\"values\",\"dtype\":\"i16\",\"shape\":[3,2]}]");
        assertThat(line.path("sample").path("values").path("values").toString()).isEqualTo("[2,3]");
        assertThat(line.path("sha256").asText()).isEqualTo(sha256(new byte[] {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
    }

    @Test
    void show_largeUnsignedNumbersAndHalfFloats_areNumbers() throws Exception {
        byte[] most = {-1, -1, -1, -1, -1, -1, -1, -1};
        String unsigned = "npy:" + write("u.npy", npy("<u8", "(1, 1)", most));
        String halves = "npy:" + write("h.npy", npy("<f2", "(1, 2)", new byte[] {0, (byte) 0xB4, 0, 0x7C}));

        assertThat(Cli.run("show", unsigned, "--index", "0").out()).contains("18446744073709551615");
        assertThat(values(unsigned)).isEqualTo("[18446744073709551615]");
        assertThat(values(halves)).isEqualTo("[-0.25,\"Infinity\"]");
    }

    private static String values(String source) {
        return Cli.run("show", source, "--index", "0", "--json")
                .events()
                .get(0)
                .path("sample")
                .path("values")
                .path("values")
                .toString();
    }

    @Test
    void show_zarr_saysItsChunksAndPartsOfIt() throws Exception {
        String zarr = zarr();

        JsonNode whole = Cli.run("show", zarr, "--json", "--checksum").events().get(0);
        JsonNode part =
                Cli.run("show", zarr, "--json", "--region", "1:3,2:").events().get(0);
        Cli outside = Cli.run("show", zarr, "--region", "1:4,:");

        assertThat(whole.path("fields").get(0).path("chunks").toString()).isEqualTo("[2,4]");
        assertThat(whole.path("fields").get(0).path("codecs").toString()).isEqualTo("[\"bytes\"]");
        assertThat(whole.path("sha256").asText()).isEqualTo(sha256(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 9, 9, 9, 9}));
        assertThat(part.path("shape").toString()).isEqualTo("[2,2]");
        assertThat(part.path("values").toString()).isEqualTo("[6,7,9,9]");
        assertThat(outside.status()).isEqualTo(1);
        assertThat(outside.err()).contains("axis 0 must be within 0:3, was 1:4");
    }

    @Test
    void show_zarrOfDates_saysTheirUnit() throws Exception {
        String zarr = zarr();
        Path metadata = folder.resolve("store/numbers/zarr.json");
        Files.writeString(
                metadata,
                Files.readString(metadata)
                        .replace(
                                "\"uint8\"",
                                "{\"name\": \"numpy.datetime64\", \"configuration\": {\"unit\": \"ns\", \"scale_factor\": 1}}")
                        .replace(
                                "{\"name\": \"bytes\"}",
                                "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}")
                        .replace("[2, 4]", "[1, 1]"));

        JsonNode field =
                Cli.run("show", zarr, "--json").events().get(0).path("fields").get(0);
        Cli people = Cli.run("show", zarr);

        assertThat(field.path("dtype").asText()).isEqualTo("i64");
        assertThat(field.path("data_type").asText()).isEqualTo("numpy.datetime64[ns]");
        assertThat(people.out()).contains("values i64[3, 4], data type numpy.datetime64[ns], chunks [1, 1]");
    }

    @Test
    void show_npz_takesTheArrayThatIsNamed() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (String name : new String[] {"x.npy", "y.npy"}) {
                zip.putNextEntry(new ZipEntry(name));
                zip.write(npy());
            }
        }
        String npz = "npy:" + write("a#1.npz", bytes.toByteArray());

        JsonNode line =
                Cli.run("show", npz + "#y", "--json", "--checksum").events().get(0);
        Cli unnamed = Cli.run("show", npz);
        Cli delivered = Cli.stream("--source " + npz + "#x --batch 2");

        assertThat(line.path("fields").toString())
                .isEqualTo("[{\"name\":\"values\",\"dtype\":\"i16\",\"shape\":[3,2]}]");
        assertThat(line.path("sha256").asText()).isEqualTo(sha256(new byte[] {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}));
        assertThat(unnamed.err()).contains("is an npz archive of 2 arrays; name one of them: x, y");
        assertThat(delivered.epoch(0).path("samples").asInt()).isEqualTo(3);
    }

    @Test
    void stream_raggedLines_needPadAndSaySo() throws Exception {
        String lines = "text:" + write("a.txt", ascii("one\nand two\n\nthree\n"));

        Cli refused = Cli.stream("--source " + lines);
        Cli padded = Cli.stream("--source " + lines + " --pad --digest");
        Cli single = Cli.stream("--source " + lines + " --batch 1 --digest");

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err()).contains("cannot batch field \"bytes\"").endsWith("; pad texts with --pad\n");
        assertThat(padded.epoch(0).path("samples").asInt()).isEqualTo(4);
        assertThat(padded.epoch(0).path("batches").asInt()).isEqualTo(1);
        assertThat(padded.content(0)).isEqualTo(single.content(0));
    }

    @Test
    void linesThatAreNoUtf8_areTheirBytes() throws Exception {
        String lines = "text:" + write("latin.txt", new byte[] {'c', 'a', 'f', (byte) 0xE9, '\n', 'x', '\n'});

        JsonNode shown =
                Cli.run("show", lines, "--json", "--index", "0").events().get(0);
        Cli delivered = Cli.stream("--source " + lines + " --pad");

        assertThat(shown.path("sample").path("bytes").path("values").toString()).isEqualTo("[99,97,102,233]");
        assertThat(delivered.epoch(0).path("samples").asInt()).isEqualTo(2);
    }

    private String pictures(String below) throws IOException {
        for (int i = 0; i < 6; i++) {
            write(
                    "pictures/%s/%s/%d.jpg".formatted(below, i < 2 ? "cat" : "dog", i),
                    Photograph.of(i).jpeg());
        }
        return folder.resolve("pictures").toString();
    }

    @Test
    void classes_belowAFolder_areCountedAtTheDepthSaid() throws Exception {
        String source = "images:" + pictures("train");

        JsonNode one = Cli.run("show", source, "--json").events().get(0);
        JsonNode two =
                Cli.run("show", source, "--depth", "1", "--json").events().get(0);
        Cli people = Cli.run("show", source, "--depth", "1");
        Cli run = Cli.run("stream", "--source", source, "--depth", "1", "--resize", "8");
        Cli json = Cli.stream("--source " + source + " --depth 1 --resize 8");

        assertThat(one.path("classes").toString()).isEqualTo("{\"train\":6}");
        assertThat(two.path("classes").toString()).isEqualTo("{\"cat\":2,\"dog\":4}");
        assertThat(people.out()).contains("  2 classes: cat 2, dog 4\n");
        assertThat(run.out()).startsWith("2 classes: cat 2, dog 4\nepoch ");
        assertThat(json.done().path("classes").toString()).isEqualTo("{\"cat\":2,\"dog\":4}");
        assertThat(json.err()).isEmpty();
    }

    @Test
    void imagesInAZip_areThoseOfTheFolder() throws Exception {
        Path root = Path.of(pictures("set"));
        Path zip = folder.resolve("set.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip));
                Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(root.relativize(file).toString()));
                out.write(Files.readAllBytes(file));
            }
        }

        Cli zipped = Cli.stream("--source images:" + zip + " --resize 8 --digest");
        Cli plain = Cli.stream("--source images:" + root.resolve("set") + " --resize 8 --digest");
        Cli file = Cli.stream("--source images:" + root.resolve("set/cat/0.jpg"));

        assertThat(zipped.content(0)).isEqualTo(plain.content(0));
        assertThat(zipped.done().path("classes")).isEqualTo(plain.done().path("classes"));
        assertThat(file.err()).contains("0.jpg: a folder, a zip or an address was expected, it is a file");
    }

    @Test
    void show_severalSourcesOneOfThemBroken_goesOnWithTheOthers() throws Exception {
        String lines = "text:" + write("a.txt", ascii("one\ntwo\n"));
        String missing = "npy:" + folder.resolve("none.npy");

        Cli json = Cli.run("show", lines, missing, "nonsense:x", lines, "--json");
        Cli people = Cli.run("show", missing, lines);

        assertThat(json.status()).isEqualTo(1);
        assertThat(json.events()).extracting(line -> line.has("error")).containsExactly(false, true, true, false);
        assertThat(json.events().get(1).path("error").asText()).contains("none.npy");
        assertThat(people.status()).isEqualTo(1);
        assertThat(people.out()).contains("2 samples of bytes u8[varies]");
        assertThat(people.err().lines()).hasSize(1);
    }

    @Test
    void show_sourcesOnStandardInput_areReadOneALine() throws Exception {
        String lines = "jsonl:" + write("a.jsonl", ascii("{\"a\":1}\n{\"a\":2}\n"));
        InputStream before = System.in;

        Cli shown;
        try {
            System.setIn(new ByteArrayInputStream(ascii(lines + "\n\n" + lines + "\n")));
            shown = Cli.run("show", "-", "--json");
        } finally {
            System.setIn(before);
        }

        assertThat(shown.events()).hasSize(2).allMatch(line -> line.path("size").asInt() == 2);
    }

    @Test
    void show_standardInputWithoutASource_isWrongUsage() {
        InputStream before = System.in;

        Cli shown;
        try {
            System.setIn(new ByteArrayInputStream(ascii("\n \n")));
            shown = Cli.run("show", "-");
        } finally {
            System.setIn(before);
        }

        assertThat(shown.status()).isEqualTo(2);
        assertThat(shown.err()).contains("standard input names no source");
    }

    @Test
    void show_zarrGroup_namesItsArrays() throws IOException {
        String array = zarr();
        write("store/zarr.json", ascii("{\"zarr_format\": 3, \"node_type\": \"group\"}"));

        Cli shown = Cli.run("show", array.replace("#numbers", ""));
        Cli nowhere = Cli.run("show", array.replace("#numbers", "#letters"));

        assertThat(shown.status()).isEqualTo(1);
        assertThat(shown.err()).contains("it is a group; name one of its arrays: numbers");
        assertThat(nowhere.err()).contains("no zarr.json or .zarray there");
    }

    @Test
    void show_folderOverHttp_saysThatAFileIsNeeded() {
        Cli shown = Cli.run("show", "tar:http://127.0.0.1:1/tar/");

        assertThat(shown.status()).isEqualTo(1);
        assertThat(shown.err())
                .contains("http://127.0.0.1:1/tar/ is a folder, and HTTP has no lists: name a file in it, or a range");
    }

    @Test
    void show_flagsThatExcludeEachOther_areWrongUsage() {
        assertThat(Cli.run("show", "npy:a", "--index", "1", "--region", "0").status())
                .isEqualTo(2);
        assertThat(Cli.run("show", "npy:a", "--raw", "--json").status()).isEqualTo(2);
        assertThat(Cli.run("show", "npy:a", "--region", "a:b").status()).isEqualTo(2);
    }

    @Test
    void stream_tarOfPictures_isResizedAndLabelled() throws IOException {
        byte[] archive = TarBytes.of(
                "s/0001.jpg",
                Photograph.of(1).jpeg(),
                "s/0001.cls",
                ascii("3"),
                "s/0002.jpg",
                Photograph.of(2).jpeg(),
                "s/0002.cls",
                ascii("7"));
        String source = " --source tar:" + write("a.tar", archive);

        Cli pictures = Cli.stream("--resize 16 --digest --cache-ram 1MiB --epochs 2" + source);
        JsonNode shown = Cli.run("show", "tar:" + folder.resolve("a.tar"), "--json", "--index", "1")
                .events()
                .get(0);

        assertThat(pictures.err()).isEmpty();
        assertThat(pictures.epoch(0).path("bytes").asInt()).isEqualTo(2 * 16 * 16 * 3);
        assertThat(pictures.epoch(1).path("loads").asInt()).isZero();
        assertThat(shown.path("sample").path("cls").path("values").toString()).isEqualTo("[55]");
    }

    @Test
    void stream_zarrRows_isOneSampleARow() throws IOException {
        Cli rows = Cli.stream("--no-shuffle --digest --batch 2 --source " + zarr());

        assertThat(rows.epoch(0).path("samples").asInt()).isEqualTo(3);
        assertThat(rows.epoch(0).path("bytes").asInt()).isEqualTo(12);
    }
}
