package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.TarBytes;
import io.penstock.cli.serve.FileServer;
import io.penstock.pictures.Photograph;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources behind HTTP, and what a cache on disk spares them. */
class RemoteSourcesTest {

    private static final int IMAGES = 6;

    @TempDir
    private Path folder;

    @TempDir
    private Path caches;

    private void writeImages() throws IOException {
        for (int i = 0; i < IMAGES; i++) {
            Path file = folder.resolve(i % 2 == 0 ? "even" : "odd").resolve(i + ".jpg");
            Files.createDirectories(file.getParent());
            Files.write(file, Photograph.of(i).jpeg());
        }
    }

    @Test
    void epochs_withAPersistedCache_askTheServerInTheFirstAlone() throws IOException {
        writeImages();
        try (FileServer server = FileServer.of(folder).manifest().start()) {
            String source = "--source " + server.address() + "manifest.jsonl --resize 16 --batch 2 --cache-disk ";

            Cli first = Cli.stream(source + caches.resolve("one"));
            long forOne = server.requests();
            Cli three = Cli.stream(source + caches.resolve("three") + " --epochs 3");
            long forThree = server.requests() - forOne;
            Cli again = Cli.stream(source + caches.resolve("three") + " --epochs 2");
            long forAgain = server.requests() - forOne - forThree;

            assertThat(first.status()).isZero();
            assertThat(forOne).isEqualTo(1 + IMAGES);
            assertThat(three.epochs()).hasSize(3);
            assertThat(three.epochs().stream()
                            .mapToInt(epoch -> epoch.path("loads").asInt())
                            .sum())
                    .as("loads, some of them led by the next epoch, which begins before the last one ends")
                    .isEqualTo(IMAGES);
            assertThat(forThree).isEqualTo(forOne);
            assertThat(again.epochs())
                    .extracting(epoch -> epoch.path("loads").asInt())
                    .containsExactly(0, 0);
            assertThat(forAgain).as("the manifest alone").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"images:%s", "tar:%s/shards/*.tar"})
    void addressesOfOpenDal_readWhatIsInThePlace(String kind) throws IOException {
        writeImages();
        String rest = "--resize 16 --batch 2 --digest --source " + kind;
        Path place = kind.startsWith("tar") ? caches : folder;
        Cli.run("materialize", "--source", "images:" + folder, "--to", "tar:" + caches.resolve("shards"));

        Cli near = Cli.stream(rest.formatted(place));
        Cli far = Cli.stream(rest.formatted("opendal+fs://" + place) + " --cache-ram 1MiB");

        assertThat(far.status()).as(far.err()).isZero();
        assertThat(far.epochs().get(0).path("digest"))
                .isEqualTo(near.epochs().get(0).path("digest"));
        assertThat(far.epochs().get(0).path("samples").asInt()).isEqualTo(IMAGES);
    }

    @Test
    void placeToPrint_hasNoPasswordAndNoOptions() {
        assertThat(StorePlace.withoutQuery("tar:webdav://me:pass@host/a.tar?token=secret#x"))
                .isEqualTo("tar:webdav://me@host/a.tar?…#x");
        assertThat(StorePlace.withoutQuery("tar:s3://data/a.tar?region=x")).isEqualTo("tar:s3://data/a.tar?region=x");
    }

    @Test
    void manifest_withLabels_labelsByThem() throws IOException {
        writeImages();
        StringBuilder manifest = new StringBuilder("{\"key\": \"read.me\"}\n");
        for (int i = 0; i < IMAGES; i++) {
            manifest.append(
                    "{\"key\": \"%s/%d.jpg\", \"label\": %d}\n".formatted(i % 2 == 0 ? "even" : "odd", i, 10 + i));
        }
        Files.writeString(folder.resolve("labels.jsonl"), manifest);
        Files.writeString(folder.resolve("plain.jsonl"), manifest.toString().replaceAll(", \"label\": \\d+", ""));
        Files.writeString(folder.resolve("read.me"), "no image");
        try (FileServer server = FileServer.of(folder).start()) {
            Cli labelled = Cli.run("show", "http:" + server.address() + "labels.jsonl", "--index", "3", "--json");
            Cli plain = Cli.run("show", "http:" + server.address() + "plain.jsonl", "--index", "5", "--json");

            assertThat(labelled.events().get(0).path("size").asInt()).isEqualTo(IMAGES);
            assertThat(labelled.events().get(0).at("/sample/label/values").toString())
                    .contains("13");
            assertThat(plain.events().get(0).path("size").asInt()).isEqualTo(IMAGES);
            assertThat(plain.events().get(0).at("/sample/label/values").toString())
                    .contains("1");
        }
    }

    @Test
    void tarIndex_ofACachedRun_isKeptBesideTheCache() throws IOException {
        Files.write(
                folder.resolve("a.tar"),
                TarBytes.of("a.txt", "one".getBytes(StandardCharsets.US_ASCII), "b.txt", new byte[] {1, 2}));
        String flags = "--source tar:" + folder.resolve("a.tar") + " --batch 1 --cache-disk " + caches.resolve("c");

        Cli first = Cli.stream(flags);
        FileTime made = Files.getLastModifiedTime(index());
        Cli second = Cli.stream(flags);

        assertThat(first.status()).isZero();
        assertThat(second.epoch(0).path("loads").asInt()).isZero();
        assertThat(Files.getLastModifiedTime(index())).isEqualTo(made);
    }

    private Path index() throws IOException {
        try (Stream<Path> files = Files.walk(caches.resolve("c").resolve("tar-index"))) {
            return files.filter(Files::isRegularFile).findFirst().orElseThrow();
        }
    }

    @Test
    void show_tarOfFilesWithoutExtension_showsThemAsFiles() throws IOException {
        Path tar = Files.write(
                folder.resolve("plain.tar"), TarBytes.of("one", new byte[] {1, 2, 3}, "two", new byte[] {4}));

        Cli shown = Cli.run("show", "tar:" + tar, "--index", "0", "--json");

        assertThat(shown.status()).as(shown.out()).isZero();
        assertThat(shown.events().get(0).path("size").asInt()).isEqualTo(2);
        assertThat(shown.events().get(0).at("/sample/file/values").toString()).isEqualTo("[1,2,3]");
    }
}
