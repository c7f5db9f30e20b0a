package io.penstock.programs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.pictures.Photograph;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Data sets in the layouts of the Hugging Face Hub, with splits, as a folder and in the hub's local cache. */
class HubFolderTest {

    private static final int TRAINING = 6;

    @TempDir
    private Path folder;

    @BeforeEach
    void makeSplits() throws IOException {
        for (int i = 0; i < TRAINING + 2; i++) {
            byte[] picture = Photograph.of(i).jpeg();
            String split = i < TRAINING ? "train" : "test";
            write("classes/%s/class-%d/%d.jpg".formatted(split, i % 2, i), picture);
            write("beside/%s/some/%d.jpg".formatted(split, i), picture);
        }
        write("beside/train/metadata.csv", ages(0, TRAINING).getBytes(StandardCharsets.UTF_8));
        write("beside/test/metadata.csv", ages(TRAINING, TRAINING + 2).getBytes(StandardCharsets.UTF_8));
        write("tables/data/train-00000-of-00002.parquet", PictureTable.of(pictures(0, 4), 0, 10));
        write("tables/data/train-00001-of-00002.parquet", PictureTable.of(pictures(4, TRAINING), 4, 10));
        write("tables/data/test-00000-of-00001.parquet", PictureTable.of(pictures(TRAINING, TRAINING + 2), 6, 10));
    }

    private static List<byte[]> pictures(int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> Photograph.of(i).jpeg()).toList();
    }

    private static String ages(int from, int to) {
        StringBuilder text = new StringBuilder("age,file_name\n");
        for (int i = from; i < to; i++) {
            text.append("%d,some/%d.jpg\n".formatted(20 + i, i));
        }
        return text.toString();
    }

    private void write(String name, byte[] bytes) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, bytes);
    }

    /** As the hub's client keeps a data set: files by their hash, and links to them by their names. */
    private void cache(String name) throws IOException {
        Path hub = folder.resolve("datasets--" + name);
        Files.createDirectories(hub.resolve("refs"));
        Files.createDirectories(hub.resolve("blobs"));
        Files.writeString(hub.resolve("refs/main"), "a1b2");
        Path from = folder.resolve(name);
        try (var files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String key = from.relativize(file).toString();
                Path blob = hub.resolve("blobs/" + Integer.toHexString(key.hashCode()));
                Files.copy(file, blob);
                for (String revision : List.of("a1b2", "old")) {
                    Path link = hub.resolve("snapshots").resolve(revision).resolve(key);
                    Files.createDirectories(link.getParent());
                    Files.createSymbolicLink(link, link.getParent().relativize(blob));
                }
            }
        }
    }

    private Cli stream(String source, String flags) {
        Cli run =
                Cli.stream("--source " + source.replace("hf:", "hf:" + folder + "/") + " --batch 4 --digest " + flags);
        assertThat(run.status()).as(run.err()).isZero();
        return run;
    }

    private static int samples(Cli run) {
        return run.epoch(0).path("samples").asInt();
    }

    @Test
    void tables_withPictures_areDecodedBySplit() throws IOException {
        cache("tables");

        Cli training = stream("hf:tables", "--resize 16");

        assertThat(samples(training)).isEqualTo(TRAINING);
        assertThat(samples(stream("hf:tables,test", "--resize 16"))).isEqualTo(2);
        assertThat(stream("hf:datasets--tables", "--resize 16").content(0)).isEqualTo(training.content(0));
        assertThat(samples(stream("hf:tables,test#label", ""))).isEqualTo(2);
    }

    @Test
    void images_besideATable_haveItsFields() throws IOException {
        cache("beside");

        Cli training = stream("hf:beside#age:float", "--resize 16 --pad");

        assertThat(samples(training)).isEqualTo(TRAINING);
        assertThat(samples(stream("hf:beside,test", "--resize 16 --pad"))).isEqualTo(2);
        assertThat(stream("hf:datasets--beside#age:float", "--resize 16 --pad").content(0))
                .isEqualTo(training.content(0));
        JsonNode shown = Cli.run("show", "hf:%s/beside".formatted(folder), "--json")
                .events()
                .get(0);
        assertThat(shown.path("fields").toString()).contains("file_name", "age");
    }

    @Test
    void images_inClassFolders_areThoseOfTheSplit() throws IOException {
        cache("classes");

        assertThat(stream("hf:classes", "--resize 16").content(0))
                .isEqualTo(stream("images:" + folder + "/classes/train", "--resize 16")
                        .content(0));
        assertThat(samples(stream("hf:classes,test", "--resize 16"))).isEqualTo(2);
        assertThat(Cli.stream("--source hf:%s/classes,dev".formatted(folder)).err())
                .contains("has no files of a split \"dev\"");
        assertThat(Cli.stream("--source hf:%s/datasets--classes".formatted(folder))
                        .err())
                .contains("is the hub's cache, whose images are links: fetch them with --local-dir");
    }
}
