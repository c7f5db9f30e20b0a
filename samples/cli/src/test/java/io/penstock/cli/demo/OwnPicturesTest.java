package io.penstock.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.penstock.cli.Cli;
import io.penstock.fault.StoreException;
import io.penstock.order.Sampler;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo over pictures of one's own, with masks and boxes in any form. */
class OwnPicturesTest {

    private static final Path SHARED =
            Path.of(System.getProperty("penstock.data", "missing")).resolve("vision");
    private static final int SIDE = LiveFeed.SIDE;

    @TempDir
    private Path folder;

    /** Pictures of 112 × 56 with a cat from (14, 7) to (42, 35) and a dog from (56, 28) to (98, 49). */
    @BeforeEach
    void makePictures() throws IOException {
        for (String name : List.of(
                "images", "labels", "masks", "deep", "Annotations", "JPEGImages", "SegmentationClass", "nothing")) {
            Files.createDirectories(folder.resolve(name));
        }
        byte[] colours = {0, 50, 100};
        IndexColorModel palette = new IndexColorModel(8, 3, colours, colours, colours);
        BufferedImage mask = new BufferedImage(112, 56, BufferedImage.TYPE_BYTE_INDEXED, palette);
        BufferedImage deep = new BufferedImage(112, 56, BufferedImage.TYPE_USHORT_GRAY);
        for (int y = 0; y < 56; y++) {
            for (int x = 0; x < 112; x++) {
                boolean cat = x >= 14 && x < 42 && y >= 7 && y < 35;
                boolean dog = x >= 56 && x < 98 && y >= 28 && y < 49;
                mask.getRaster().setSample(x, y, 0, cat ? 1 : dog ? 2 : 0);
                deep.getRaster().setSample(x, y, 0, cat ? 256 : dog ? 1000 : 0);
            }
        }
        BufferedImage picture = new BufferedImage(112, 56, BufferedImage.TYPE_3BYTE_BGR);
        for (String file : List.of("images/1.png", "JPEGImages/1.png")) {
            ImageIO.write(picture, "png", folder.resolve(file).toFile());
        }
        ImageIO.write(mask, "png", folder.resolve("masks/1.png").toFile());
        ImageIO.write(mask, "png", folder.resolve("SegmentationClass/1.png").toFile());
        ImageIO.write(deep, "png", folder.resolve("deep/1.png").toFile());
        Files.writeString(folder.resolve("set.json"), """
                {"images": [{"id": 1, "file_name": "1.png", "width": 112, "height": 56}],
                 "annotations": [
                  {"id": 1, "image_id": 1, "category_id": 3, "bbox": [14, 7, 28, 28],
                   "segmentation": [[14, 7, 42, 7, 42, 35, 14, 35]]},
                  {"id": 2, "image_id": 1, "category_id": 5, "bbox": [56, 28, 42, 21],
                   "segmentation": [[56, 28, 98, 28, 98, 49, 56, 49]]}],
                 "categories": [{"id": 3, "name": "cat"}, {"id": 5, "name": "dog"}]}
                """);
        Files.writeString(folder.resolve("Annotations/1.xml"), """
                <annotation><size><width>112</width><height>56</height></size>
                <object><name>cat</name><bndbox><xmin>14</xmin><ymin>7</ymin><xmax>42</xmax><ymax>35</ymax></bndbox></object>
                <object><name>dog</name><bndbox><xmin>56</xmin><ymin>28</ymin><xmax>98</xmax><ymax>49</ymax></bndbox></object>
                </annotation>
                """);
        Files.writeString(folder.resolve("classes.txt"), "cat\ndog\n");
        Files.writeString(folder.resolve("labels/1.txt"), "0 0.25 0.375 0.25 0.5\n1 0.6875 0.6875 0.375 0.375\n");
    }

    /** The first picture of a source as the page gets it. */
    private JsonNode drawn(String source, Path cache) {
        String named = source.formatted(folder, folder);
        try (LiveFeed feed = new LiveFeed(List.of(named), List.of(), cache, skipped -> {
            throw skipped;
        })) {
            Gallery gallery = new Gallery(() -> 0);
            feed.pipeline.stream(Sampler.sequential())
                    .take(1)
                    .doOnNext(gallery::offer)
                    .blockLast();
            ArrayNode pictures = JsonNodeFactory.instance.arrayNode();
            gallery.addTo(pictures, 0, feed.pipeline::name);
            return pictures.path(0);
        }
    }

    private JsonNode drawn(String source) throws IOException {
        return drawn(source, Files.createTempDirectory(folder, "cache"));
    }

    @Test
    void page_ofEveryForm_drawsItsMasksAndBoxesBeforeAndAfter() throws IOException {
        for (String source : List.of(
                "coco:%s/set.json,%s/images#boxes,classes,mask",
                "voc:%s#boxes,classes,mask", "yolo:%s", "pairs:%s/images,%s/masks", "pairs:%s/images,%s/deep")) {
            JsonNode picture = drawn(source);

            JsonNode before = picture.path("before");
            assertThat(before.path("boxes")).as(source).hasSize(2);
            requireBox(before.path("boxes").path(0), 14, 7, 28, 28);
            requireBox(before.path("boxes").path(1), 56, 28, 42, 21);
            assertThat(before.has("mask")).as(source).isEqualTo(!source.startsWith("yolo"));
            if (before.has("mask")) {
                BufferedImage mask = decoded(before.path("mask").asText());
                for (JsonNode box : before.path("boxes")) {
                    int x = (int) (box.path("x").asDouble() + box.path("width").asDouble() / 2);
                    int y = (int) (box.path("y").asDouble() + box.path("height").asDouble() / 2);
                    assertThat(mask.getRGB(x, y) & 0xffffff)
                            .as("the colour of a mask in its box, %s", source)
                            .isEqualTo(Integer.decode(box.path("colour").asText()));
                }
                assertThat(mask.getRGB(0, 0) >>> 24).isZero();
            }
            long kept = before.path("boxes").findValues("dropped").stream()
                    .filter(dropped -> !dropped.asBoolean())
                    .count();
            assertThat(picture.path("after").path("boxes")).as(source).hasSize((int) kept);
            assertThat(picture.path("after").path("width").asInt()).isEqualTo(200);
        }
    }

    private static void requireBox(JsonNode box, int x, int y, int width, int height) {
        double right = SIDE / 112.0;
        double down = SIDE / 56.0;
        assertThat(box.path("x").asDouble()).isCloseTo(x * right, within(1e-3));
        assertThat(box.path("y").asDouble()).isCloseTo(y * down, within(1e-3));
        assertThat(box.path("width").asDouble()).isCloseTo(width * right, within(1e-3));
        assertThat(box.path("height").asDouble()).isCloseTo(height * down, within(1e-3));
    }

    private static BufferedImage decoded(String address) throws IOException {
        byte[] bytes = Base64.getDecoder().decode(address.substring(address.indexOf(',') + 1));
        return ImageIO.read(new ByteArrayInputStream(bytes));
    }

    @Test
    void page_ofImagesAlone_drawsNoMaskAndNoBoxes() throws IOException {
        JsonNode before = drawn("images:%s/images").path("before");

        assertThat(before.path("picture").asText()).startsWith("data:image/jpeg;base64,");
        assertThat(before.path("boxes")).isEmpty();
        assertThat(before.has("mask")).isFalse();
    }

    @Test
    void page_ofRealPhotos_drawsTheSameBoxesFromAllForms() throws IOException {
        assumeThat(SHARED.resolve("bccd-coco.json"))
                .as("shared data with boxes")
                .exists();
        JsonNode voc = drawn("voc:" + SHARED.resolve("bccd-voc")).path("before").path("boxes");
        JsonNode coco = drawn(
                        "coco:%s,%s".formatted(SHARED.resolve("bccd-coco.json"), SHARED.resolve("bccd-voc/JPEGImages")))
                .path("before")
                .path("boxes");

        assertThat(voc).hasSizeGreaterThan(5).hasSameSizeAs(coco);
        for (int i = 0; i < voc.size(); i++) {
            for (String edge : List.of("x", "y", "width", "height")) {
                assertThat(coco.path(i).path(edge).asDouble())
                        .isCloseTo(voc.path(i).path(edge).asDouble(), within(1.0));
            }
        }
    }

    @Test
    void stream_ofBoxes_printsACommandThatPadsThem() {
        String source = "coco:%s/set.json,%s/images".formatted(folder, folder);

        Cli demo = Cli.run("demo", "--data", source);

        assertThat(demo.status()).as(demo.err()).isZero();
        assertThat(demo.out()).contains("--source " + source, " --pad\n", "verdict: ");
    }

    @Test
    void page_ofWhatHasNoPictures_saysWhatItTakes() {
        assertThat(Cli.run("demo", "--page", "--data", "csv:a.csv").err())
                .contains("--page draws images:, pairs:, coco:, voc: and yolo:, not csv:a.csv");
        assertThat(Cli.run("demo", "--page", "--data", "picture:a").err()).contains("there is no such source");
        Cli missing = Cli.run("demo", "--page", "--data", "coco:%s/none.json".formatted(folder));
        assertThat(missing.status()).isPositive();
        assertThat(missing.err()).contains("none.json", "no such file");
        assertThatThrownBy(() -> drawn("pairs:%s/images,%s/nothing"))
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll("no image in", "has a mask in", "nothing", "1.png");
    }
}
