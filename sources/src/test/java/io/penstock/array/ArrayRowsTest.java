package io.penstock.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kit.CountingStore;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.store.ShortStore;
import io.penstock.store.zip.ZipStore;
import io.penstock.stream.Sample;
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
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ArrayRowsTest extends DatasetKit<Tensor> {

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeEach
    void write() throws IOException {
        ByteBuffer data = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 6; i++) {
            data.putFloat(i);
        }
        Files.write(
                folder.resolve("a.npy"),
                npy(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", data.array()));
    }

    private static byte[] npy(int version, String header, byte[] data) {
        byte[] text = header.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(12 + text.length + data.length).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
        if (version == 1) {
            bytes.putShort((short) text.length);
        } else {
            bytes.putInt(text.length);
        }
        bytes.put(text).put(data);
        byte[] all = new byte[bytes.position()];
        bytes.get(0, all);
        return all;
    }

    private static ArrayRows npy(String descr, String order, String shape, byte[] data) {
        String header = "{'shape': %s, \"descr\": %s, 'fortran_order': %s}".formatted(shape, descr, order);
        return ArrayRows.openNpy(new ShortStore().with("x.npy", npy(2, header, data)), "x.npy");
    }

    private static Tensor row(Dataset<Tensor> rows, long index) {
        return Objects.requireNonNull(rows.get(index).block());
    }

    @Override
    protected Dataset<Tensor> open() {
        return ArrayRows.openNpy(folder.resolve("a.npy"));
    }

    @Override
    protected Tensor expected(long index) {
        return Tensor.ofFloats(new float[] {2 * index, 2 * index + 1});
    }

    @Override
    protected void change(long index) throws IOException {
        Path file = folder.resolve("a.npy");
        Files.setLastModifiedTime(
                file, FileTime.fromMillis(Files.getLastModifiedTime(file).toMillis() + 1));
    }

    @Override
    protected boolean share(long one, long other) {
        return true;
    }

    /** The same rows as another form of file has them. */
    abstract class FormKit extends DatasetKit<Tensor> {

        private int version = 1;

        abstract Dataset<Tensor> open(ShortStore store, byte[] floats);

        @Override
        protected Dataset<Tensor> open() {
            byte[] floats = new byte[24];
            for (int i = 0; i < 6; i++) {
                ByteBuffer.wrap(floats).putFloat(4 * i, i);
            }
            ShortStore store = ShortStore.prompt();
            store.version(version);
            return open(store, floats);
        }

        @Override
        protected Tensor expected(long index) {
            return ArrayRowsTest.this.expected(index);
        }

        @Override
        protected void change(long index) {
            version++;
        }

        @Override
        protected boolean share(long one, long other) {
            return true;
        }
    }

    @Nested
    class BigEndian extends FormKit {
        @Override
        Dataset<Tensor> open(ShortStore store, byte[] floats) {
            String header = "{'shape': (3, 2), 'descr': '>f4', 'fortran_order': False}";
            return ArrayRows.openNpy(store.with("x.npy", npy(2, header, floats)), "x.npy");
        }
    }

    @Nested
    class Idx extends FormKit {
        @Override
        Dataset<Tensor> open(ShortStore store, byte[] floats) {
            ByteBuffer file = ByteBuffer.allocate(36).putInt(0x0D02).putInt(3).putInt(2);
            return ArrayRows.openIdx(store.with("x", file.put(floats).array()), "x");
        }
    }

    @Nested
    class Npz extends FormKit {
        @Override
        Dataset<Tensor> open(ShortStore store, byte[] floats) {
            String header = "{'shape': (3, 2), 'descr': '>f4', 'fortran_order': False}";
            return ArrayRows.openNpz(store.with("x.npy", npy(2, header, floats)), "x");
        }
    }

    @Test
    void stream_inOrder_readsNeighboursTogether() {
        ByteBuffer data = ByteBuffer.allocate(8 * 1000).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < 1000; row++) {
            data.putLong(row);
        }
        CountingStore store = new CountingStore();
        store.put("a.npy", npy(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (1000, 1), }", data.array()));
        ArrayRows rows = ArrayRows.openNpy(store, "a.npy");
        store.asked();

        List<Sample<Tensor>> samples =
                rows.stream(Sampler.sequential()).collectList().block();

        for (int row = 0; row < 1000; row++) {
            assertThat(samples.get(row).value().longAt(0)).isEqualTo(row);
        }
        assertThat(store.asked().size()).isLessThan(20);
    }

    @Test
    void npy_bigEndian_isTurnedAround() {
        ArrayRows rows = npy("'>i4'", "False", "(2L,)", new byte[] {0, 0, 1, 2, 0x7F, 0, 0, 3});

        assertThat(row(rows, 0))
                .isEqualTo(Tensor.of(DType.I32, Shape.SCALAR, ByteBuffer.wrap(new byte[] {2, 1, 0, 0})));
        assertThat(row(rows, 1).longAt(0)).isEqualTo(0x7F000003);
        assertThat(rows.name(1)).isEqualTo("x.npy[1]");
    }

    @Test
    void npy_fortranOrder_isTurnedToRows() {
        byte[] columns = new byte[24];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = (byte) i;
        }

        ArrayRows rows = npy("'|u1'", "True", "(2, 3, 4)", columns);

        // element [i, j, k] lies at i + 2 j + 6 k
        assertThat(row(rows, 1))
                .isEqualTo(Tensor.ofBytes(new byte[] {1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23}, 3, 4));
    }

    @Test
    void npy_withoutAxes_isOneSample() {
        ArrayRows rows = npy("'<M8[ns]'", "False", "()", new byte[] {7, 0, 0, 0, 0, 0, 0, 0});

        assertThat(rows.size()).isEqualTo(1);
        assertThat(row(rows, 0).longAt(0)).isEqualTo(7);
    }

    @Test
    void npy_elementsThatAreNoNumbers_areRefusedByName() {
        assertThatThrownBy(() -> npy("'|O'", "False", "(1,)", new byte[8]))
                .isInstanceOf(FormatException.class)
                .hasMessage(
                        "short://store/x.npy has elements of type |O: objects are pickled, and reading them would run"
                                + " what they say; save numbers");
        assertThatThrownBy(() -> npy("[('a', '<i4'), ('b', '<f8', (2,))]", "False", "(1,)", new byte[20]))
                .isInstanceOf(FormatException.class)
                .hasMessage("short://store/x.npy has elements of type [('a', '<i4'), ('b', '<f8', (2,))]: structured"
                        + " elements have no dtype; save a field at a time");
        assertThatThrownBy(() -> npy("'<U5'", "False", "(1,)", new byte[20]))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("type <U5");
    }

    @Test
    void npy_hostileHeaders_areRefusedBeforeTheyTakeMemory() {
        assertThatThrownBy(() -> npy("'<f8'", "False", "(999999999999999999, 4)", new byte[8]))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("is cut off: f64[999999999999999999, 4] needs");
        assertThatThrownBy(() -> npy("'<f8'", "False", "(999999999999999999, 999999999999999999)", new byte[8]))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("has no possible shape");
        assertThatThrownBy(() -> npy("'<f8'", "False", "(0, 999999999999999999, 999999999999999999)", new byte[0]))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("has no rows");
        assertThatThrownBy(() -> npy("'<f8'", "False", "(__import__('os'),)", new byte[8]))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("has no npy header");
        byte[] endless = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, -1, -1, -1, -1, '{'};
        assertThatThrownBy(() -> ArrayRows.openNpy(new ShortStore().with("x", endless), "x"))
                .isInstanceOf(FormatException.class)
                .hasMessage("short://store/x has an npy header of 4294967295 bytes, of at most 65536: 1 could be read");
        assertThatThrownBy(() -> ArrayRows.openNpy(new ShortStore().with("x", new byte[100]), "x"))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("is no npy file");
    }

    private Path npz(String... names) throws IOException {
        Path file = folder.resolve("arrays.npz");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String name : names) {
                out.putNextEntry(new ZipEntry(name));
                out.write(Files.readAllBytes(folder.resolve("a.npy")));
            }
        }
        return file;
    }

    @Test
    void npz_arrayOfIt_hasTheRowsOfTheSameNpyFile() throws IOException {
        ArrayRows plain = ArrayRows.openNpy(folder.resolve("a.npy"));

        try (ZipStore archive = ZipStore.open(npz("x.npy", "in/y.npy", "notes.txt"))) {
            ArrayRows named = ArrayRows.openNpz(archive, "in/y");

            assertThat(named.shape()).isEqualTo(plain.shape());
            for (int i = 0; i < 3; i++) {
                assertThat(row(named, i)).isEqualTo(row(plain, i));
            }
            assertThat(named.name(2)).isEqualTo("in/y.npy[2]");
            assertThat(named.id(0).key())
                    .isNotEqualTo(ArrayRows.openNpz(archive, "x").id(0).key());
        }
        try (ZipStore archive = ZipStore.open(npz("x.npy"))) {
            assertThat(row(ArrayRows.openNpz(archive, ""), 1)).isEqualTo(row(plain, 1));
        }
    }

    @Test
    void npz_notNamedWell_saysWhichArraysThereAre() throws IOException {
        Path file = npz("x.npy", "y.npy");
        Path bare = Files.copy(npz("notes.txt"), folder.resolve("bare.npz"));
        npz("x.npy", "y.npy");

        try (ZipStore archive = ZipStore.open(file);
                ZipStore none = ZipStore.open(bare)) {
            assertThatThrownBy(() -> ArrayRows.openNpz(archive, ""))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(archive.location() + " is an npz archive of 2 arrays; name one of them: x, y");
            assertThatThrownBy(() -> ArrayRows.openNpz(archive, "z"))
                    .isInstanceOf(StoreException.class)
                    .hasMessage(archive.location()
                            + " is an npz archive of 2 arrays; no array \"z\" in it: name one of them: x, y");
            assertThatThrownBy(() -> ArrayRows.openNpz(none, "x"))
                    .hasMessage("no arrays in " + none.location() + ": an npz archive has entries that end in .npy");
        }
        assertThatThrownBy(() -> ArrayRows.openNpy(file))
                .isInstanceOf(FormatException.class)
                .hasMessageEndingWith(
                        "arrays.npz is no npy file but a zip; if it is an npz archive of arrays, name one in it");
    }

    @Test
    void idx_everyType_isRead() {
        Object[][] types = {
            {0x08, DType.U8, 1}, {0x09, DType.I8, 1}, {0x0B, DType.I16, 2},
            {0x0C, DType.I32, 4}, {0x0D, DType.F32, 4}, {0x0E, DType.F64, 8},
        };
        for (Object[] type : types) {
            byte[] bytes = idx((Integer) type[0], (Integer) type[2], 2, 3);
            bytes[bytes.length - 1] = 1; // the lowest byte of the last element

            ArrayRows rows = ArrayRows.openIdx(new ShortStore().with("x", bytes), "x");

            assertThat(rows.dtype()).isEqualTo(type[1]);
            assertThat(rows.shape()).isEqualTo(Shape.of(2, 3));
            assertThat(row(rows, 1).toByteArray()[2 * (Integer) type[2]]).isEqualTo((byte) 1);
        }
    }

    private static byte[] idx(int type, int elementBytes, int... dims) {
        int elements = 1;
        ByteBuffer header =
                ByteBuffer.allocate(4 + 4 * dims.length).put((byte) 0).put((byte) 0);
        header.put((byte) type).put((byte) dims.length);
        for (int dim : dims) {
            header.putInt(dim);
            elements *= dim;
        }
        return java.util.Arrays.copyOf(header.array(), header.capacity() + elements * elementBytes);
    }

    @Test
    void labelled_rowsAndLabels_areZipped() {
        byte[] labels = idx(0x08, 1, 2);
        labels[9] = 5;
        ShortStore store =
                new ShortStore().with("i", idx(0x08, 1, 2, 3)).with("l", labels).with("three", idx(0x08, 1, 3));
        ArrayRows images = ArrayRows.openIdx(store, "i");

        Dataset<LabelledRow> both = images.labelled(ArrayRows.openIdx(store, "l"));

        assertThat(both.get(1).block()).isEqualTo(new LabelledRow(row(images, 1), 5));
        assertThatThrownBy(() -> images.labelled(ArrayRows.openIdx(store, "three")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> images.labelled(images))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("labels must be one number a row, are u8[3]");
    }

    @Test
    void idx_wrongLength_isRefused() {
        byte[] bytes = idx(0x08, 1, 2, 3);
        ShortStore store = new ShortStore()
                .with("short", java.util.Arrays.copyOf(bytes, bytes.length - 1))
                .with("long", java.util.Arrays.copyOf(bytes, bytes.length + 2))
                .with("type", idx(0x0A, 1, 2, 3))
                .with("header", new byte[] {0, 0, 8, 3, 0, 0})
                .with("huge", new byte[] {0, 0, 8, 2, -1, -1, -1, -1, -1, -1, -1, -1});

        assertThatThrownBy(() -> ArrayRows.openIdx(store, "short"))
                .isInstanceOf(FormatException.class)
                .hasMessage("short://store/short is cut off: u8[2, 3] needs 6 elements of 1 bytes, it has 5 bytes after"
                        + " its header");
        assertThatThrownBy(() -> ArrayRows.openIdx(store, "long"))
                .isInstanceOf(FormatException.class)
                .hasMessage("short://store/long has 2 bytes after its u8[2, 3]");
        for (String key : new String[] {"type", "header", "huge"}) {
            assertThatThrownBy(() -> ArrayRows.openIdx(store, key))
                    .isInstanceOf(FormatException.class)
                    .hasMessageStartingWith("short://store/" + key);
        }
    }

    @Property(tries = 1000)
    void open_damagedHeader_isReadOrRefused(
            @ForAll @IntRange(max = 90) int at, @ForAll byte value, @ForAll boolean big) {
        String header = "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }";
        byte[] bytes = npy(big ? 2 : 1, header, new byte[24]);
        bytes[at % bytes.length] = value;

        readOrRefuse(bytes, true);
    }

    @Property(tries = 1000)
    void open_anyBytes_areReadOrRefused(@ForAll @Size(max = 40) byte[] rest, @ForAll @IntRange(max = 15) int type) {
        byte[] idx = new byte[rest.length + 3];
        idx[2] = (byte) type;
        System.arraycopy(rest, 0, idx, 3, rest.length);

        readOrRefuse(idx, false);
        readOrRefuse(npy(3, new String(rest, StandardCharsets.ISO_8859_1), rest), true);
    }

    private static void readOrRefuse(byte[] bytes, boolean npy) {
        ShortStore store = ShortStore.prompt().with("x", bytes);
        try {
            ArrayRows rows = npy ? ArrayRows.openNpy(store, "x") : ArrayRows.openIdx(store, "x");
            assertThat(row(rows, rows.size() - 1).byteSize()).isLessThanOrEqualTo(bytes.length);
        } catch (DataException e) {
            assertThat(e).hasMessageStartingWith("short://store/x ");
        }
    }
}
