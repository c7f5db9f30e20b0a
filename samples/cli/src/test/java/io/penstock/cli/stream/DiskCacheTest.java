package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stream --cache-disk}, run after run. */
class DiskCacheTest {

    private static final int IMAGES = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private String flags = "";

    @BeforeEach
    void makePictures() {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
        flags = "--source images:" + folder.resolve("train") + " --resize 32 --in-flight 4 --digest --cache-disk "
                + folder.resolve("cache") + ",64MiB";
    }

    @Test
    void secondRun_onOneDirectory_loadsNothing() {
        Cli first = Cli.stream(flags + " --epochs 2");
        Cli second = Cli.stream(flags);

        assertThat(first.err() + second.err()).isEmpty();
        assertThat(loads(first, 0) + loads(first, 1)).isEqualTo(IMAGES);
        assertThat(loads(second, 0)).isZero();
        assertThat(hits(second, "disk")).isEqualTo(IMAGES);
        assertThat(hits(second, "ram")).isZero();
        assertThat(second.content(0)).isEqualTo(first.content(0));
        assertThat(second.done().path("verdict").asText()).startsWith("served from disk");
    }

    @ParameterizedTest
    @CsvSource({"packed,packed,packed 1", "file,decoded of kept files,file 1"})
    void otherForms_giveTheSameSamplesAndAreCountedApart(String use, String word, String form) {
        String larger = flags.replace("--resize 32", "--resize 64");
        Cli packed = Cli.stream(larger + " --cache-form " + use + " --epochs 2");
        Cli plain = Cli.stream(larger + " --cache-form plain");

        assertThat(plain.content(0)).isEqualTo(packed.content(0)).isEqualTo(packed.content(1));
        assertThat(loads(plain, 0)).isZero();
        assertThat(plain.done().path("verdict").asText())
                .startsWith("served from disk, 100 % of the hits " + word + ": ");
        assertThat(Cli.run("cache", "inspect", folder.resolve("cache").toString())
                        .out())
                .contains(IMAGES + " live entries")
                .contains(", in the form " + form);
        assertThat(Cli.stream("--source images:x --cache-form " + use).err()).contains("--cache-form is for what");
    }

    @Test
    void ramOverDisk_afterARestart_isFilledFromTheDisk() {
        Cli.stream(flags);
        Cli second = Cli.stream(flags + " --cache-ram 64MiB --epochs 3");

        assertThat(loads(second, 0)).isZero();
        assertThat(second.epoch(0).path("hits").path("disk").asInt()).isEqualTo(IMAGES);
        assertThat(second.epoch(2).path("hits").path("ram").asInt()).isEqualTo(IMAGES);
    }

    @Test
    void folder_thatChanges_reloadsWhatChangedAlone() throws IOException {
        Cli.stream(flags);
        Path old = anyImage("class-1");
        Files.setLastModifiedTime(old, FileTime.from(Instant.EPOCH));
        int changed = loads(Cli.stream(flags), 0);
        Files.copy(old, old.resolveSibling("another.jpg"));
        int added = loads(Cli.stream(flags), 0);
        Files.delete(old);
        int removed = loads(Cli.stream(flags), 0);

        assertThat(changed).isEqualTo(1);
        assertThat(added).isEqualTo(1);
        assertThat(removed).isZero();
    }

    @Test
    void otherStages_loadAnew() {
        Cli.stream(flags);
        Cli other = Cli.stream(flags.replace("--resize 32", "--resize 33"));
        Cli again = Cli.stream(flags);

        assertThat(loads(other, 0)).isEqualTo(IMAGES);
        assertThat(loads(again, 0)).isZero();
    }

    @Test
    void verifyHits_ofAFileThatChangedUnseen_endsTheRunNamingIt() throws IOException {
        Cli.stream(flags);
        Path image = anyImage("class-0");
        Path other = anyImage("class-1");
        FileTime time = Files.getLastModifiedTime(image);
        long size = Math.max(Files.size(image), Files.size(other));
        pad(image, size, time);
        Cli.stream(flags); // keeps it as it is now
        Files.copy(other, image, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        pad(image, size, time);

        Cli run = Cli.stream(flags + " --verify-hits 100%");
        Cli warned = Cli.stream(flags + " --verify-hits 100%,warn");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("the cache holds another value of sample ")
                .contains("class-0/" + image.getFileName())
                .contains("has changed and kept its name");
        assertThat(warned.status()).isZero();
        assertThat(warned.epoch(0).path("verified").asInt()).isEqualTo(IMAGES);
        assertThat(warned.epoch(0).path("differing").asInt()).isEqualTo(1);
    }

    @Test
    void budget_belowOneSample_endsWithOneLine() {
        Cli run = Cli.stream(flags.replace("64MiB", "1000B"));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("cannot hold one sample")
                .contains("allowed 1000");
    }

    @Test
    void directory_thatIsAFile_endsWithOneLine() throws IOException {
        Files.writeString(folder.resolve("cache"), "no directory");

        Cli run = Cli.stream(flags);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err().lines()).singleElement().asString().contains("cannot open the cache in");
    }

    private Path anyImage(String label) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("train").resolve(label))) {
            return files.sorted().findFirst().orElseThrow();
        }
    }

    /** Bytes behind a JPEG's end are passed over. */
    private static void pad(Path image, long size, FileTime time) throws IOException {
        byte[] padded = java.util.Arrays.copyOf(Files.readAllBytes(image), (int) size);
        Files.write(image, padded);
        Files.setLastModifiedTime(image, time);
    }

    private static int loads(Cli run, int epoch) {
        return run.epoch(epoch).path("loads").asInt();
    }

    private static int hits(Cli run, String tier) {
        return run.epoch(0).path("hits").path(tier).asInt();
    }
}
