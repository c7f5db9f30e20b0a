package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.jhdf.HdfFile;
import io.jhdf.WritableHdfFile;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records of other systems on the command line. */
class ForeignSourcesTest {

    @TempDir
    private Path folder;

    private static byte[] npy(String descr, String shape, int bytes) {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s}".formatted(descr, shape);
        byte[] file = new byte[10 + header.length() + bytes];
        System.arraycopy("\u0093NUMPY\1".getBytes(StandardCharsets.ISO_8859_1), 0, file, 0, 7);
        file[8] = (byte) header.length();
        System.arraycopy(header.getBytes(StandardCharsets.ISO_8859_1), 0, file, 10, header.length());
        return file;
    }

    private Path npz() throws IOException {
        Path file = folder.resolve("set.npz");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            out.putNextEntry(new ZipEntry("x.npy"));
            out.write(npy("<f4", "(5, 2)", 40));
            out.putNextEntry(new ZipEntry("y.npy"));
            out.write(npy("<i8", "(5,)", 40));
        }
        return file;
    }

    @Test
    void npz_arraysOfIt_areFieldsOfBatches() throws Exception {
        String source = "npz:" + npz();

        JsonNode shown = Cli.run("show", source, "--json").events().get(0);
        Cli both = Cli.stream("--source " + source + " --batch 2");
        Cli one = Cli.stream("--source " + source + "#x --batch 5");
        Cli typed = Cli.stream("--source " + source + "#x:float --batch 5");

        assertThat(shown.path("fields").toString()).contains("\"name\":\"x\",\"dtype\":\"f32\"", "\"name\":\"y\"");
        assertThat(both.epoch(0).path("samples").asInt()).isEqualTo(5);
        assertThat(one.epoch(0).path("batches").asInt()).isEqualTo(1);
        assertThat(typed.err()).contains("have types of their own and no nulls: name them alone, not \"x:float\"");
    }

    @Test
    void hdf5_arraysOfIt_areFieldsOfBatches() throws Exception {
        Path file = folder.resolve("set.h5");
        try (WritableHdfFile out = HdfFile.write(file)) {
            out.putDataset("x", new float[][] {{0, 1}, {2, 3}, {4, 5}});
            out.putGroup("y").putDataset("label", new long[] {7, 8, 9});
        }

        Cli both = Cli.stream("--source hdf5:" + file + "#x,y/label --batch 2");
        JsonNode shown =
                Cli.run("show", "hdf5:" + file + "#y", "--json").events().get(0);
        Cli far = Cli.stream("--source hdf5:https://example.org/a.h5 --batch 2");
        Cli bare = Cli.stream("--source a.h5 --batch 2");

        assertThat(both.epoch(0).path("samples").asInt()).isEqualTo(3);
        assertThat(shown.path("fields").toString()).contains("\"name\":\"label\",\"dtype\":\"i64\"");
        assertThat(far.err()).contains("hdf5:https://example.org/a.h5 is read from a file of this machine");
        assertThat(bare.err()).contains("did you mean hdf5:a.h5?");
    }

    /** Two shards of three samples: an {@code int} and a {@code str}, as MosaicML's writer lays them out. */
    private Path mds() throws IOException {
        StringBuilder shards = new StringBuilder();
        for (int shard = 0; shard < 2; shard++) {
            String text = "text";
            int sample = 4 + 8 + text.length();
            ByteBuffer bytes = ByteBuffer.allocate(20 + 3 * sample).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putInt(3);
            for (int i = 0; i <= 3; i++) {
                bytes.putInt(20 + i * sample);
            }
            for (int i = 0; i < 3; i++) {
                bytes.putInt(text.length()).putLong(i).put(text.getBytes(StandardCharsets.US_ASCII));
            }
            Files.write(folder.resolve("shard.%d.mds".formatted(shard)), bytes.array());
            shards.append("""
                    %s{"version": 2, "format": "mds", "samples": 3, "compression": null, "hashes": [],
                     "column_names": ["class", "text"], "column_encodings": ["int", "str"], "column_sizes": [8, null],
                     "raw_data": {"basename": "shard.%d.mds", "bytes": %d, "hashes": {}}, "zip_data": null}
                    """.formatted(shard == 0 ? "" : ",", shard, bytes.capacity()));
        }
        Files.writeString(folder.resolve("index.json"), "{\"version\": 2, \"shards\": [%s]}".formatted(shards));
        return folder;
    }

    @Test
    void mds_columnsOfIt_areFieldsOfBatches() throws Exception {
        String source = "mds:" + mds();

        JsonNode shown = Cli.run("show", source, "--json").events().get(0);
        Cli both = Cli.stream("--source " + source + " --batch 2 --pad");
        Cli one = Cli.stream("--source " + source + "#class --batch 6");
        Cli guessed = Cli.stream("--source " + folder);

        assertThat(shown.path("fields").toString()).contains("\"name\":\"class\",\"dtype\":\"i64\"");
        assertThat(both.epoch(0).path("samples").asInt()).isEqualTo(6);
        assertThat(one.epoch(0).path("batches").asInt()).isEqualTo(1);
        assertThat(guessed.err()).contains("did you mean " + source + "?");
    }
}
