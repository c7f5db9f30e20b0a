package io.penstock.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.zip.ZipStore;
import io.penstock.table.Row;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NpzRowsTest extends DatasetKit<Row> {

    private static final Path DATA = Path.of(System.getProperty("penstock.data", "missing"));

    @TempDir
    private Path folder;

    private Path file;

    private static byte[] npy(String descr, String shape, byte[] data) {
        byte[] text = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n"
                .formatted(descr, shape)
                .getBytes(StandardCharsets.US_ASCII);
        ByteBuffer bytes = ByteBuffer.allocate(10 + text.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0}).putShort((short) text.length);
        return bytes.put(text).put(data).array();
    }

    private static byte[] floats(int count, float offset) {
        ByteBuffer data = ByteBuffer.allocate(4 * count).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            data.putFloat(i + offset);
        }
        return data.array();
    }

    private static void write(Path file, Map<String, byte[]> stored, Map<String, byte[]> deflated) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> entry : stored.entrySet()) {
                CRC32 crc = new CRC32();
                crc.update(entry.getValue());
                ZipEntry one = new ZipEntry(entry.getKey());
                one.setMethod(ZipEntry.STORED);
                one.setSize(entry.getValue().length);
                one.setCrc(crc.getValue());
                out.putNextEntry(one);
                out.write(entry.getValue());
            }
            for (Map.Entry<String, byte[]> entry : deflated.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getValue());
            }
        }
    }

    private void write(float offset) throws IOException {
        write(
                file,
                new TreeMap<>(Map.of("x.npy", npy("<f4", "(3, 2)", floats(6, offset)))),
                new TreeMap<>(Map.of("y.npy", npy("|u1", "(3,)", new byte[] {7, 8, 9}), "notes.txt", new byte[9])));
    }

    @BeforeEach
    void write() throws IOException {
        file = folder.resolve("set.npz");
        write(0);
    }

    @Override
    protected Dataset<Row> open() {
        return NpzRows.open(file, List.of());
    }

    @Override
    protected Row expected(long index) {
        Tensor x = Tensor.ofFloats(new float[] {2 * index, 2 * index + 1});
        Tensor y = Tensor.of(DType.U8, Shape.SCALAR, ByteBuffer.wrap(new byte[] {(byte) (7 + index)}));
        return new Row(List.of("x", "y"), List.of(x, y));
    }

    @Override
    protected void change(long index) throws IOException {
        write(1);
    }

    @Override
    protected boolean share(long one, long other) {
        return true;
    }

    @Test
    void open_namedArrays_haveTheFieldsInThatOrder() {
        try (NpzRows rows = NpzRows.open(file, List.of("y", "x"))) {
            assertThat(rows.fields()).hasToString("[y u8, x f32[n]]");
            assertThat(rows.schema().names()).containsExactly("y", "x");
            assertThat(rows.name(2)).isEqualTo("set.npz[2]");
        }
    }

    @Test
    void open_arraysThatDoNotGoTogether_namesTheirShapes() throws IOException {
        write(
                file,
                Map.of("a.npy", npy("<f4", "(3, 2)", floats(6, 0))),
                new TreeMap<>(
                        Map.of("b.npy", npy("<f4", "(2, 3)", floats(6, 0)), "c.npy", npy("<f4", "()", new byte[4]))));

        assertThatThrownBy(() -> NpzRows.open(file, List.of()))
                .isInstanceOf(FormatException.class)
                .hasMessageEndingWith("set.npz do not have equally many rows: a f32[3, 2], b f32[2, 3], c f32[];"
                        + " name those that go together");
        assertThatThrownBy(() -> NpzRows.open(file, List.of("a", "z")))
                .isInstanceOf(StoreException.class)
                .hasMessageEndingWith("no array \"z\" in it: name one of them: a, b, c");
        assertThatThrownBy(() -> NpzRows.open(file, List.of("a", "a")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an array is named twice: [a, a]");
    }

    @Test
    void open_objects_areRefusedByName() throws IOException {
        write(file, Map.of(), Map.of("o.npy", npy("|O", "(3,)", new byte[24])));

        assertThatThrownBy(() -> NpzRows.open(file, List.of()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("set.npz/o.npy has elements of type |O: objects are pickled");
    }

    @Test
    void open_damagedBytes_areRefused() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 8] ^= 1; // in the stored array, which comes first
        Files.write(file, bytes);

        assertThatThrownBy(() -> NpzRows.open(file, List.of("x")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("x.npy")
                .hasMessageContaining("is damaged: its checksum is");
    }

    @Test
    void ofEntry_thatDoesNotFit_isReadByRowsIfStored() {
        try (ZipStore archive = ZipStore.open(file)) {
            ArrayRows far = ArrayRows.ofEntry(archive, "x.npy", 10);

            assertThat(far.get(1).block()).isEqualTo(Tensor.ofFloats(new float[] {2, 3}));
            assertThat(far.heldBytes()).isZero();
            assertThatThrownBy(() -> ArrayRows.ofEntry(archive, "y.npy", 10))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(
                            "y.npy is compressed and too large to be taken into memory: at most 10 bytes");
        }
    }

    /** Archives that NumPy wrote, array by array. */
    @Test
    void archivesOfOthers_haveTheExpectedElements() throws Exception {
        Path expected = DATA.resolve("expected/npy.jsonl");
        assumeTrue(Files.exists(expected), "no shared data at " + DATA);
        int arrays = 0;
        for (String line : Files.readAllLines(expected)) {
            JsonNode archive = new ObjectMapper().readTree(line);
            for (Map.Entry<String, JsonNode> array : archive.path("entries").properties()) {
                String sha256 = array.getValue().path("sha256_c_order_le").asText();
                boolean hasRows = !array.getValue().path("shape").toString().matches(".*\\b0\\b.*");
                if (!sha256.isEmpty() && hasRows) {
                    Path path = DATA.resolve(archive.path("path").asText());
                    assertThat(sha256(path, array.getKey()))
                            .as("%s#%s", path, array.getKey())
                            .isEqualTo(sha256);
                    arrays++;
                }
            }
        }
        assertThat(arrays).isGreaterThan(50);
    }

    private static String sha256(Path path, String array) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        try (NpzRows rows = NpzRows.open(path, List.of(array))) {
            for (long i = 0; i < rows.size(); i++) {
                digest.update(Objects.requireNonNull(rows.get(i).block())
                        .tensor(array)
                        .data());
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
