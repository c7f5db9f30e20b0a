package io.penstock.hdf5;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.penstock.fault.DataException;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Sample;
import io.penstock.table.Row;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that h5py has written, and what it reads of them; {@code make.py} makes both. */
class Hdf5RowsTest extends DatasetKit<Row> {

    private static final List<String> FIELDS = List.of("image", "label", "name");

    @TempDir
    private Path folder;

    private Path resource(String name) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            try (InputStream in = Objects.requireNonNull(Hdf5RowsTest.class.getResourceAsStream(name))) {
                Files.copy(in, file);
            }
        }
        return file;
    }

    @Override
    protected Dataset<Row> open() throws Exception {
        return Hdf5Rows.open(resource("samples.h5"), List.of());
    }

    @Override
    protected Row expected(long index) {
        ByteBuffer image = ByteBuffer.allocate(12).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 6; i++) {
            image.putShort((short) (index * 6 + i));
        }
        return new Row(
                FIELDS,
                List.of(
                        Tensor.of(DType.U16, Shape.of(2, 3), image.flip()),
                        Tensor.scalar(index * 3),
                        Tensor.utf8("s" + index)));
    }

    @Override
    protected void change(long index) throws Exception {
        Path file = resource("samples.h5");
        FileTime before = Files.getLastModifiedTime(file);
        Files.setLastModifiedTime(file, FileTime.from(before.to(TimeUnit.SECONDS) + 10, TimeUnit.SECONDS));
    }

    @Override
    protected boolean share(long one, long other) {
        return true;
    }

    /** What h5py reads: each value with its dtype and shape. */
    private static void assertAsH5py(Path file) throws IOException {
        for (String line : Files.readAllLines(file.resolveSibling(file.getFileName() + ".txt"))) {
            String[] words = line.split(" ", -1);
            String[] path = words[0].split("@", -1);
            try (Hdf5Rows rows = Hdf5Rows.open(file, List.of(path[0]))) {
                Row row = Objects.requireNonNull(
                        rows.get(Long.parseLong(words[1])).block());
                Tensor value = path.length == 1 ? row.values().get(0) : row.tensor(path[1]);

                assertThat(value).as("%s in %s", line, rows).isEqualTo(tensor(words));
                assertThat(rows.stream(Sampler.sequential())
                                .map(Sample::value)
                                .collectList()
                                .block())
                        .as("%s in %s", line, rows)
                        .element(Integer.parseInt(words[1]))
                        .isEqualTo(row);
                assertThat(rows.fields())
                        .allSatisfy(field -> assertThat(field.axes())
                                .isEqualTo(row.tensor(field.name()).shape().rank()));
            } catch (DataException e) {
                throw new AssertionError(line, e);
            }
        }
    }

    private static Tensor tensor(String[] words) {
        DType dtype = DType.valueOf(words[2].replaceFirst("^S.*", "u8").toUpperCase(Locale.ROOT));
        long[] dims = words[3].equals("-")
                ? new long[0]
                : Arrays.stream(words[3].split(",", -1))
                        .mapToLong(Long::parseLong)
                        .toArray();
        byte[] bytes = words[4].equals("-") ? new byte[0] : HexFormat.of().parseHex(words[4]);
        return Tensor.of(dtype, Shape.of(dims), ByteBuffer.wrap(bytes));
    }

    @ParameterizedTest
    @ValueSource(strings = {"types", "types-latest", "layouts", "layouts-latest", "userblock"})
    void values_ofEveryTypeLayoutAndFilter_areThoseOfH5py(String name) throws IOException {
        resource(name + ".h5.txt");

        assertAsH5py(resource(name + ".h5"));
    }

    @Tag("endurance") // files that h5py has made before are read
    @Test
    void values_ofFilesOfThisMachinesH5py_areItsOwn() throws Exception {
        String python = List.of("python3", "/usr/bin/python3").stream()
                .filter(each -> run(each, "-c", "import h5py") == 0)
                .findFirst()
                .orElse("");
        assumeTrue(!python.isEmpty(), "this test needs python3 with h5py: apt-get install python3-h5py");
        Path made = Files.createDirectory(folder.resolve("made"));
        assertThat(run(python, resource("make.py").toString(), made.toString())).isZero();

        for (String name : List.of("types", "types-latest", "layouts", "layouts-latest", "userblock")) {
            assertAsH5py(made.resolve(name + ".h5"));
        }
    }

    private static int run(String... command) {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return -1; // there is no such program
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    opaque/x | cannot read
                    scaleoffset/x | filter 6 (scaleoffset) is not supported
                    texts/x | a row has 2 texts or lists
                    wide/x | FloatingPoint of 16 bytes
                    null/x | no rows could be samples
                    none/x | no rows could be samples
                    reference/x | Reference of 8 bytes
                    unequal | do not have equally many rows: unequal/a [3, 2], unequal/b [4, 2]
                    group | group in refused.h5 has no data sets, only [inner]
                    loop/x | leads through more than 16 links
                    away/x | is a link to types.h5:/i4; open that file
                    virtual/x | Virtual storage is not supported
                    elsewhere/x | External Data Files
                    missing | there is no missing in refused.h5: "missing" is not among
                    group/inner/x/y | there is no group/inner/x/y
                    """)
    void open_whatCannotBeRead_isRefusedByName(String path, String said) throws IOException {
        Path file = resource("refused.h5");

        assertThatThrownBy(() -> Hdf5Rows.open(file, List.of(path)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining(said)
                .hasMessageContaining("refused.h5");
    }

    @Test
    void open_fileOfAnotherFormat_saysSo() throws IOException {
        Path netCdf = Files.writeString(folder.resolve("old.nc"), "CDF\1" + "x".repeat(2_000));

        assertThatThrownBy(() -> Hdf5Rows.open(netCdf, List.of()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("old.nc: it is no HDF5 file: NetCDF before version 4 is another format");
    }

    @Test
    void open_sameArrayTwice_isRefused() throws IOException {
        Path file = resource("samples.h5");

        assertThatThrownBy(() -> Hdf5Rows.open(file, List.of("image", "label", "image")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("named twice");
    }

    @Test
    void get_ofFileThatWasChangedSince_fails() throws Exception {
        try (Hdf5Rows rows = Hdf5Rows.open(resource("samples.h5"), List.of("image"))) {
            change(0);

            assertThatThrownBy(() -> rows.get(0).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("samples.h5");
        }
    }

    @Test
    void get_ofChunkWithAWrongChecksum_namesTheChunk() throws IOException {
        Path file = resource("layouts.h5");
        byte[] row;
        try (Hdf5Rows rows = Hdf5Rows.open(file, List.of("noise/checked"))) {
            row = Objects.requireNonNull(rows.get(4).block()).values().get(0).toByteArray();
        }
        String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        String damaged = bytes.replace(new String(row, 0, 8, StandardCharsets.ISO_8859_1), "damaged!");
        Path other = Files.writeString(folder.resolve("damaged.h5"), damaged, StandardCharsets.ISO_8859_1);

        try (Hdf5Rows rows = Hdf5Rows.open(other, List.of("noise/checked"))) {
            assertThat(rows.get(0).block()).isNotNull();
            assertThatThrownBy(() -> rows.get(3).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining(
                            "cannot decode chunk [1, 0, 0] of noise/checked in damaged.h5: fletcher32: bytes are damaged");
        }
    }

    @Test
    void stream_ofDamagedFiles_isRightOrAnError() throws IOException {
        Random random = new Random(5);
        for (String name : List.of("types.h5", "layouts-latest.h5", "samples.h5")) {
            byte[] bytes = Files.readAllBytes(resource(name));
            for (int round = 0; round < 60; round++) {
                byte[] damaged = round % 10 == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes.clone();
                for (int i = 0; i < 1 + round % 4 && damaged.length > 0; i++) {
                    damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
                }
                Path file = Files.write(folder.resolve("fuzzed-" + round + name), damaged);
                for (String path : List.of("text", "people", "ragged", "smooth", "sparse", "name", "")) {
                    try (Hdf5Rows rows = Hdf5Rows.open(file, path.isEmpty() ? List.of() : List.of(path))) {
                        for (long i = 0; i < Math.min(rows.size(), 20); i++) {
                            rows.get(i).block();
                        }
                    } catch (DataException e) {
                        assertThat(e.getMessage())
                                .as("round %d of %s", round, name)
                                .contains("fuzzed-");
                    }
                }
                Files.delete(file);
            }
        }
    }

    @Test
    void getAll_samplesOfOneChunk_areThoseOfGet() throws Exception {
        try (Hdf5Rows rows = Hdf5Rows.open(resource("samples.h5"), List.of())) {
            List<Sample<Row>> samples = Objects.requireNonNull(
                    rows.stream(Sampler.shuffled(3)).collectList().block());

            List<Row> values = new ArrayList<>();
            for (Sample<Row> sample : samples) {
                values.add(expected(sample.draw().index()));
            }
            assertThat(rows.groupSize()).isGreaterThan(1);
            assertThat(samples.stream().map(Sample::value)).isEqualTo(values);
        }
    }

    @Test
    void get_aLargeRowThatLiesPlainly_isReadEachTimeAndNotHeld() throws Exception {
        Path file = folder.resolve("large.h5");
        try (WritableHdfFile made = HdfFile.write(file)) {
            made.putDataset("rows", new byte[3][20_000]);
        }

        try (Hdf5Rows rows = Hdf5Rows.open(file, List.of("rows"))) {
            Row row = Objects.requireNonNull(rows.get(1).block());
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));

            assertThat(row.values().get(0).shape()).isEqualTo(Shape.of(20_000));
            assertThatThrownBy(() -> rows.get(1).block())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("changed since it was listed");
        }
    }

    @Test
    void batches_ofMembers_haveTheirNames() throws Exception {
        try (Hdf5Rows people = Hdf5Rows.open(resource("types.h5"), List.of("people"));
                Hdf5Rows both = Hdf5Rows.open(resource("types.h5"), List.of("people", "noted"))) {
            assertThat(people.fields().toString()).isEqualTo("[age u8, at f64[n], name u8[n], z f32[n], ok bool]");
            assertThat(both.fields().get(0).name()).isEqualTo("people.age");
            assertThat(Objects.requireNonNull(both.get(1).block())
                            .tensor("noted.note")
                            .toText())
                    .isEmpty();
            assertThat(both.id(1).toString()).contains("types.h5[1]");
            assertThat(both.toString().getBytes(StandardCharsets.UTF_8)).isNotEmpty();
        }
    }
}
