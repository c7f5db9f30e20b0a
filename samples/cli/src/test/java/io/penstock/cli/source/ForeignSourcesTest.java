package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import java.io.IOException;
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
        assertThat(typed.err())
                .contains("arrays have types of their own and no nulls: name them alone, as in #x,y, not \"x:float\"");
    }
}
