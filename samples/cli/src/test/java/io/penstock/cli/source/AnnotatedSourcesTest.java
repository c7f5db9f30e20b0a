package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Images with boxes and masks on the command line. */
class AnnotatedSourcesTest {

    private static final int COUNT = 5;

    @TempDir
    private Path folder;

    @BeforeEach
    void makePictures() throws IOException {
        for (String name : new String[] {"images", "labels", "masks", "Annotations", "JPEGImages"}) {
            Files.createDirectories(folder.resolve(name));
        }
        byte[] colours = {0, 50, 100, (byte) 200};
        IndexColorModel model = new IndexColorModel(8, 4, colours, colours, colours);
        StringBuilder images = new StringBuilder();
        StringBuilder boxes = new StringBuilder();
        for (int i = 0; i < COUNT; i++) {
            BufferedImage picture = new BufferedImage(20 + i, 10, BufferedImage.TYPE_3BYTE_BGR);
            ImageIO.write(
                    picture, "png", folder.resolve("images/%d.png".formatted(i)).toFile());
            ImageIO.write(
                    picture,
                    "png",
                    folder.resolve("JPEGImages/%d.png".formatted(i)).toFile());
            BufferedImage mask = new BufferedImage(20 + i, 10, BufferedImage.TYPE_BYTE_INDEXED, model);
            mask.getRaster().setSample(1, 1, 0, 3);
            ImageIO.write(
                    mask, "png", folder.resolve("masks/%d.png".formatted(i)).toFile());
            String separator = i == 0 ? "" : ",";
            images.append("%s{\"id\":%d,\"file_name\":\"%d.png\",\"width\":%d,\"height\":10}"
                    .formatted(separator, i, i, 20 + i));
            boxes.append(("%s{\"id\":%d,\"image_id\":%d,\"category_id\":1,\"bbox\":[1,2,3,4],"
                            + "\"segmentation\":[[1,2,4,2,4,6,1,6]]}")
                    .formatted(separator, i, i));
            Files.writeString(folder.resolve("labels/%d.txt".formatted(i)), "0 0.5 0.5 0.2 0.2\n".repeat(i));
            Files.writeString(
                    folder.resolve("Annotations/%d.xml".formatted(i)),
                    "<annotation><size><width>%d</width><height>10</height></size></annotation>".formatted(20 + i));
        }
        Files.writeString(folder.resolve("classes.txt"), "cat\n");
        Files.writeString(
                folder.resolve("set.json"),
                "{\"images\":[%s],\"annotations\":[%s],\"categories\":[{\"id\":1,\"name\":\"cat\"}]}"
                        .formatted(images, boxes));
    }

    @Test
    void stream_everyForm_deliversItsImages() {
        for (String source : new String[] {
            "pairs:%s/images,%s/masks",
            "coco:%s/set.json,%s/images",
            "voc:%s",
            "yolo:%s",
            "coco:%s/set.json,%s/images#mask"
        }) {
            Cli resized = Cli.stream("--source " + source.formatted(folder, folder)
                    + " --resize 8 --augment flip --pad --batch 2 --digest");
            Cli whole = Cli.stream("--source " + source.formatted(folder, folder) + " --pad --batch 2 --digest");

            assertThat(resized.status() + whole.status())
                    .as(source + ": " + resized.err() + whole.err())
                    .isZero();
            assertThat(resized.epoch(0).path("samples").asInt())
                    .as(resized.err())
                    .isEqualTo(COUNT);
            assertThat(whole.epoch(0).path("samples").asInt()).as(whole.err()).isEqualTo(COUNT);
            assertThat(resized.content(0)).isNotEqualTo(whole.content(0));
        }
    }

    @Test
    void stream_withADiskCache_keepsWhatWasParsedAndIsTheSame() throws IOException {
        String flags =
                "--source coco:%s/set.json,%s/images#boxes,classes,mask --pad --batch 2 --digest --cache-disk %s/cache"
                        .formatted(folder, folder, folder);

        Cli first = Cli.stream(flags);
        Cli second = Cli.stream(flags);

        assertThat(first.status()).as(first.err()).isZero();
        assertThat(second.content(0)).isEqualTo(first.content(0));
        assertThat(second.epoch(0).path("loads").asInt()).isZero();
        try (var kept = Files.list(folder.resolve("cache/tar-index"))) {
            assertThat(kept).hasSize(1);
        }
        Cli verified = Cli.run("cache", "verify", folder.resolve("cache").toString());
        assertThat(verified.out() + verified.err()).contains("0 places damaged").doesNotContain("not Penstock");
    }

    @Test
    void show_coco_namesItsFields() {
        Cli run = Cli.run("show", "coco:%s/set.json,%s/images".formatted(folder, folder), "--json");

        assertThat(run.status()).as(run.err()).isZero();
        JsonNode shown = run.events().get(0);

        assertThat(shown.path("size").asInt()).as(shown.toString()).isEqualTo(COUNT);
        assertThat(shown.path("fields").toString()).contains("\"image\"", "\"boxes\"", "\"classes\"", "\"size\"");
    }

    @Test
    void imagesWithoutClasses_areReadByNamingTheirPixels() {
        String flat = "images:" + folder.resolve("images");
        assertThat(Cli.stream("--source " + flat + " --resize 8").err()).contains("images:DIR#pixels");
        assertThat(Cli.stream("--source " + flat + "#pixels --resize 8 --depth 1")
                        .err())
                .contains("--depth is for images in class folders");

        Cli run = Cli.stream("--source " + flat + "#pixels --resize 8 --augment crop=4,flip --batch 5");
        Cli deep = Cli.stream("--source images:" + folder + "#pixels --resize 8 --batch 5");
        Cli shown = Cli.run("show", flat + "#pixels", "--json");

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.events().get(0).path("samples").asInt()).isEqualTo(COUNT);
        assertThat(deep.events().get(0).path("samples").asInt()).as(deep.err()).isEqualTo(3 * COUNT);
        assertThat(shown.events().get(0).path("fields").toString())
                .contains("\"image\"")
                .doesNotContain("label");
    }

    @Test
    void parse_wrongForms_sayWhatIsWanted() {
        assertThat(Cli.stream("--source pairs:a").err()).contains("pairs need two folders, as in pairs:a,MASKS");
        assertThat(Cli.stream("--source coco:%s/set.json#bones".formatted(folder))
                        .err())
                .contains("the fields are of [boxes, classes, mask, crowd, keypoints, captions], were [bones]");
        assertThat(Cli.stream("--source coco:%s/none.json".formatted(folder)).err())
                .contains("none.json: no such file");
    }

    @Test
    void join_tableByItsFirstColumn_addsItsFields() throws IOException {
        Files.writeString(folder.resolve("set.csv"), "file_name,age\n3.png,7\n1.png,5\n9.png,1\n1.png,6\n");
        String flags =
                "--source pairs:%s/images,%s/masks --join csv:%s/set.csv#file_name,age:float --pad --batch 2 --digest"
                        .formatted(folder, folder, folder);

        Cli inner = Cli.stream(flags);
        Cli left = Cli.stream(flags + " --join-keep left --resize 8");
        Cli explained = Cli.run(("explain " + flags.replace(" --digest", "") + " --step 0").split(" "));

        assertThat(inner.epoch(0).path("samples").asInt()).as(inner.err()).isEqualTo(2);
        assertThat(left.epoch(0).path("samples").asInt()).as(left.err()).isEqualTo(COUNT);
        assertThat(explained.out())
                .as(explained.err())
                .contains("inner join, 2 samples: 3 left samples without a partner, 1 right ones without, 1 twins")
                .contains("left: pairs in " + folder.toRealPath(), "right: table of 1 files");
    }

    @Test
    void whyMiss_ofAJoin_namesTheSideThatChangedAlone() throws IOException {
        Path table = Files.writeString(folder.resolve("set.csv"), "file_name,age\n3.png,7\n1.png,5\n");
        Path cache = folder.resolve("cache");
        String joined =
                "--source pairs:%s/images,%s/masks --join csv:%s#file_name,age:float".formatted(folder, folder, table);
        Cli filled = Cli.stream("%s --pad --batch 2 --cache-disk %s".formatted(joined, cache));
        Files.writeString(table, "file_name,age\n3.png,70\n1.png,5\n");

        Cli why = Cli.run("cache why-miss %s 0 %s".formatted(cache, joined).split(" "));

        assertThat(filled.status()).as(filled.err()).isZero();
        assertThat(why.out()).as(why.err()).contains("misses: its source has changed: now it is \"right: ");
        assertThat(why.out()).doesNotContain("left: ");
    }

    @Test
    void join_thatCannotBe_saysWhy() throws IOException {
        Files.writeString(folder.resolve("set.csv"), "name,pixels\n3.jpg,7\n");
        String source = "--source pairs:%s/images,%s/masks --join csv:%s/set.csv#".formatted(folder, folder, folder);

        assertThat(Cli.stream(source + "name,pixels").err())
                .contains("both sides of --join have a field \"pixels\": choose the columns of one");
        Files.writeString(folder.resolve("set.csv"), "name,pixels\n30.jpg,7\n");
        assertThat(Cli.stream(source + "name").err())
                .contains("no sample has a partner: keys are such as \"0\" on the left and \"30\" on the right");
    }
}
