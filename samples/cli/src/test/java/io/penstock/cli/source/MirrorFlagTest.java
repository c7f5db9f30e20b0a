package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.serve.FileServer;
import io.penstock.pictures.Photograph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --mirror}: what is elsewhere is fetched once. */
class MirrorFlagTest {

    private static final int IMAGES = 6;

    @TempDir
    private Path folder;

    @TempDir
    private Path near;

    private Path mirror = Path.of("");

    @BeforeEach
    void writeImages() throws IOException {
        mirror = near.resolve("mirror");
        for (int i = 0; i < IMAGES; i++) {
            Path file = folder.resolve(i % 2 == 0 ? "even" : "odd").resolve(i + ".jpg");
            Files.createDirectories(file.getParent());
            Files.write(file, Photograph.of(i).jpeg());
        }
    }

    private Cli cache(String command) {
        return Cli.run("cache", command, mirror.toString(), "--json");
    }

    @Test
    void epochs_fromAnAddress_fetchEachFileOnce() throws IOException {
        try (FileServer server = FileServer.of(folder).manifest().start()) {
            String flags = "--source " + server.address() + "manifest.jsonl --resize 16 --batch 2 --digest";
            Cli plain = Cli.stream(flags);
            long before = server.requests();

            Cli first = Cli.stream(flags + " --mirror " + mirror + " --epochs 3");
            long fetched = server.requests() - before;
            Cli second = Cli.stream(flags + " --mirror " + mirror + ",50%");

            assertThat(first.err() + second.err()).isEmpty();
            assertThat(fetched).as("files and the manifest").isEqualTo(IMAGES + 1);
            assertThat(server.requests() - before - fetched)
                    .as("the manifest alone")
                    .isEqualTo(1);
            assertThat(first.content(0)).isEqualTo(plain.content(0));
            assertThat(second.content(0)).isEqualTo(plain.content(0));
            assertThat(second.resume()).as("the same plan").isEqualTo(plain.resume());
        }
    }

    @Test
    void mirror_thatIsFull_leavesTheRestWhereItIs() throws IOException {
        String flags = "--source images:" + folder + " --resize 16 --digest";

        Cli plain = Cli.stream(flags);
        long room = 2 * Files.size(folder.resolve("even/0.jpg"));
        Cli tight = Cli.stream(flags + " --mirror " + mirror + "," + room + "B");

        assertThat(tight.content(0)).isEqualTo(plain.content(0));
        assertThat(cache("inspect").events().get(0).path("bytes").asLong()).isBetween(1L, room);
    }

    @Test
    void zip_atAnAddress_staysInTheMirror() throws IOException {
        Path zip = near.resolve("set/a.zip");
        Files.createDirectories(zip.getParent());
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
            for (String name : List.of("even/0.jpg", "odd/1.jpg")) {
                out.putNextEntry(new ZipEntry(name));
                out.write(Files.readAllBytes(folder.resolve(name)));
            }
        }
        try (FileServer server = FileServer.of(zip.getParent()).start()) {
            String flags = "--source images:" + server.address() + "a.zip --resize 16 --mirror " + mirror;
            Cli first = Cli.stream(flags);
            long fetched = server.requests();
            Cli second = Cli.stream(flags);

            assertThat(first.epoch(0).path("samples").asInt()).isEqualTo(2);
            assertThat(fetched).isPositive();
            assertThat(server.requests() - fetched).as("whether it has changed").isEqualTo(1);
            assertThat(second.resume()).isEqualTo(first.resume());
        }
    }

    @Test
    void show_fromAnAddress_leavesItsFilesInTheMirror() throws IOException {
        try (FileServer server = FileServer.of(folder).manifest().start()) {
            String source = "http:" + server.address() + "manifest.jsonl";
            Cli near = Cli.run("show", "images:" + folder, "--checksum", "--json");

            Cli shown = Cli.run("show", source, "--checksum", "--json", "--mirror", mirror.toString());
            long before = server.requests();
            Cli run = Cli.stream("--source " + source + " --resize 16 --mirror " + mirror);

            assertThat(shown.err() + run.err()).isEmpty();
            assertThat(shown.done().path("sha256")).isEqualTo(near.done().path("sha256"));
            assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(IMAGES);
            assertThat(server.requests() - before).as("the manifest alone").isEqualTo(1);
        }
    }

    @Test
    void cacheCommands_inAMirrorsFolder_knowIt() throws IOException {
        Cli made = Cli.run("materialize --source images:%s --resize 16 --mirror %s --to tar:%s"
                .formatted(folder, mirror, near.resolve("shards"))
                .split(" "));
        Cli inspected = cache("inspect");
        Cli sound = cache("verify");
        Path copy;
        try (var files = Files.walk(mirror)) {
            copy = files.filter(file -> file.toString().endsWith(".jpg")
                            && !file.getFileName().toString().startsWith("sums-"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(copy);
        bytes[100] ^= 1;
        Files.write(copy, bytes);
        Cli damaged = cache("verify");
        Cli cleared = cache("clear");

        assertThat(made.status()).isZero();
        assertThat(inspected.events().get(0).path("copies").asInt()).isEqualTo(IMAGES);
        assertThat(inspected.events()).hasSize(2);
        assertThat(sound.status()).isZero();
        assertThat(damaged.status()).isEqualTo(1);
        assertThat(damaged.events().get(0).path("segment").asText())
                .isEqualTo(mirror.relativize(copy).toString());
        assertThat(damaged.err()).contains("1 copies are damaged").hasLineCount(1);
        assertThat(cleared.status()).isZero();
        assertThat(copy).doesNotExist();
        assertThat(cache("inspect").events().get(0).path("copies").asInt()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "records:r.bin,10 --mirror M|--mirror copies what is at an address, and images: and zarr: in a folder",
                "tar:a.tar --mirror M|a.tar is read where it is",
                "images:D --mirror M,0B|a size must be more than 0",
                "images:D --mirror M,5|a size is a number and a unit",
                "images:D --mirror M --cache-disk ./M|--mirror and --cache-disk need a folder each"
            })
    void mirror_wrongUsage_isToldInALine(String wrong, String message) {
        Cli run = Cli.stream("--source " + wrong.replace(":D", ":" + folder));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message).hasLineCount(1);
        assertThat(Path.of("M")).doesNotExist();
    }
}
