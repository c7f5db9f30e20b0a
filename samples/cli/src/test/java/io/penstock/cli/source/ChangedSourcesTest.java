package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.serve.FileServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What changed in a source is loaded again, though a cache on disk holds what it was; the rest is not. */
class ChangedSourcesTest {

    @TempDir
    private Path folder;

    @TempDir
    private Path caches;

    private Cli stream(String source) {
        return Cli.stream(
                "--no-shuffle --digest --batch 1 --cache-disk " + caches.resolve("c") + ",64MiB --source " + source);
    }

    private static int loads(Cli run) {
        return run.epoch(0).path("loads").asInt();
    }

    private static final String METADATA = """
            {"zarr_format": 2, "shape": [3, 2], "chunks": [1, 2], "dtype": "|u1", "order": "C",
             "compressor": null, "filters": null, "fill_value": 0}
            """;

    private void writeZip(int middle) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(folder.resolve("n.zarr.zip")))) {
            zip.putNextEntry(new ZipEntry("numbers/.zarray"));
            zip.write(METADATA.getBytes(StandardCharsets.US_ASCII));
            for (int row = 0; row < 3; row++) {
                zip.putNextEntry(new ZipEntry("numbers/" + row + ".0"));
                zip.write(new byte[] {(byte) row, (byte) (row == 1 ? middle : 7)});
            }
        }
    }

    @Test
    void zarrZipOverHttp_isReadAndKeptByItsAddress() throws IOException {
        writeZip(7);
        try (FileServer server = FileServer.of(folder).start()) {
            String source = "zarr:" + server.address() + "n.zarr.zip#numbers";
            Cli shown = Cli.run("show", source, "--json", "--index", "1");
            Cli first = stream(source);
            Cli same = stream(source);

            writeZip(99);
            Cli changed = stream(source);
            Cli missing = Cli.run("show", source.replace("n.zarr", "o.zarr"));

            assertThat(shown.err()).isEmpty();
            assertThat(shown.events().get(0).at("/sample/values/values").toString())
                    .isEqualTo("[1,7]");
            assertThat(loads(first)).isEqualTo(3);
            assertThat(loads(same)).isZero();
            assertThat(loads(changed)).as("the chunk with another checksum").isEqualTo(1);
            assertThat(changed.content(0)).isNotEqualTo(first.content(0));
            assertThat(missing.err()).contains("o.zarr.zip: no such file");
        }
    }

    @Test
    void zarrChunk_writtenAnew_isLoadedAlone() throws IOException {
        Path array = Files.createDirectory(folder.resolve("numbers"));
        Files.writeString(array.resolve(".zarray"), METADATA);
        for (int row = 0; row < 3; row++) {
            Files.write(array.resolve(row + ".0"), new byte[] {(byte) row, 7});
        }
        Cli first = stream("zarr:" + folder + "#numbers");
        Cli same = stream("zarr:" + folder + "#numbers");

        Files.write(array.resolve("1.0"), new byte[] {99, 99});
        Files.setLastModifiedTime(array.resolve("1.0"), FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        Cli changed = stream("zarr:" + folder + "#numbers");

        assertThat(first.err()).isEmpty();
        assertThat(loads(first)).isEqualTo(3);
        assertThat(loads(same)).isZero();
        assertThat(same.content(0)).isEqualTo(first.content(0));
        assertThat(loads(changed)).isEqualTo(1);
        assertThat(changed.content(0)).isNotEqualTo(first.content(0));
    }
}
