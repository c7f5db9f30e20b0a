package io.penstock.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.MemoryStore;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.DatasetKit;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AnnotatedImagesTest {

    private static final List<String> BOXES = List.of("boxes", "classes");
    private static final String IMAGES = "{\"id\":%d,\"file_name\":\"%s\",\"width\":40,\"height\":30}";

    /** Text files in memory. */
    private static MemoryStore store(Map<String, String> texts) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        texts.forEach((key, text) -> files.put(key, text.getBytes(StandardCharsets.UTF_8)));
        return MemoryStore.of("test", files);
    }

    private static Row row(String image, int height, int width, float[] boxes, int... classes) {
        byte[] bytes = image.getBytes(StandardCharsets.UTF_8);
        return new Row(
                List.of("image", "boxes", "classes", "size"),
                List.of(
                        Tensor.ofBytes(bytes, bytes.length),
                        Tensor.ofFloats(boxes, classes.length, 4),
                        Tensor.ofInts(classes, classes.length),
                        Tensor.ofInts(new int[] {height, width}, 2)));
    }

    private static String coco(String... annotations) {
        return "{\"images\":[%s,%s,%s],\"annotations\":[%s],\"categories\":[%s,%s]}"
                .formatted(
                        IMAGES.formatted(7, "b.jpg"),
                        IMAGES.formatted(3, "a.jpg"),
                        IMAGES.formatted(5, "c/d.jpg"),
                        String.join(",", annotations),
                        "{\"id\":90,\"name\":\"cat\"}",
                        "{\"id\":2,\"name\":\"dog\"}");
    }

    private static String box(long id, long image, long category, String box) {
        return "{\"id\":%d,\"image_id\":%d,\"category_id\":%d,\"bbox\":%s}".formatted(id, image, category, box);
    }

    private static AnnotatedImages open(String coco, List<String> fields) {
        Map<String, String> files = Map.of("x.json", coco, "a.jpg", "A", "b.jpg", "B", "c/d.jpg", "D");
        MemoryStore store = store(files);
        return AnnotatedImages.coco(store, "x.json", store, fields, null);
    }

    @Nested
    class OfCoco extends DatasetKit<Row> {

        private String first = "B";

        @Override
        protected Dataset<Row> open() {
            MemoryStore annotations = store(Map.of(
                    "x.json",
                    coco(box(1, 3, 90, "[1,2,3,4]"), box(2, 7, 2, "[0,0,40,30]"), box(3, 3, 2, "[5,5,1,1]"))));
            MemoryStore images =
                    store(Map.of("a.jpg", first.equals("B") ? "A" : "other", "b.jpg", "B", "c/d.jpg", "D"));
            return AnnotatedImages.coco(annotations, "x.json", images, BOXES, null);
        }

        @Override
        protected Row expected(long index) {
            return switch ((int) index) {
                case 0 -> row("B", 30, 40, new float[] {0, 0, 40, 30}, 0);
                case 1 -> row("A", 30, 40, new float[] {1, 2, 4, 6, 5, 5, 6, 6}, 1, 0);
                default -> row("D", 30, 40, new float[0]);
            };
        }

        @Override
        protected void change(long index) {
            first = "other";
        }
    }

    @Nested
    class OfVoc extends DatasetKit<Row> {

        private String edge = "9";

        private String xml(String name, String edge) {
            return ("<annotation><size><width>40</width><height>30</height></size><object><name>%s</name><bndbox><xmin>1"
                            + "</xmin><ymin>2</ymin><xmax>%s</xmax><ymax>7</ymax></bndbox><part><bndbox><xmin>0</xmin>"
                            + "</bndbox></part></object></annotation>")
                    .formatted(name, edge);
        }

        @Override
        protected Dataset<Row> open() {
            Map<String, String> files = new LinkedHashMap<>();
            files.put("Annotations/1.xml", xml("zebra", "9"));
            files.put("Annotations/2.xml", xml("ape", edge));
            files.put("Annotations/3.xml", xml("zebra", "9"));
            files.put("JPEGImages/1.jpg", "1");
            files.put("JPEGImages/2.png", "2");
            files.put("JPEGImages/3.jpg", "3");
            files.put("JPEGImages/4.jpg", "4");
            return AnnotatedImages.voc(store(files), "", BOXES, null);
        }

        @Override
        protected Row expected(long index) {
            return row(Long.toString(index + 1), 30, 40, new float[] {1, 2, 9, 7}, index == 1 ? 0 : 1);
        }

        @Override
        protected void change(long index) {
            edge = "8";
        }
    }

    @Nested
    class OfYolo extends DatasetKit<Row> {

        private String second = "1 0.5 0.5 0.5 0.25\n";

        @Override
        protected Dataset<Row> open() {
            Map<String, String> files = new LinkedHashMap<>();
            files.put("data.yaml", "path: .\nnames:\n  0: ape\n  1: 'cat'  # tame\nnc: 2\n");
            files.put("images/train/1.jpg", "1");
            files.put("images/train/2.jpg", "2");
            files.put("images/train/3.jpg", "3");
            files.put("labels/train/1.txt", "0 0.25 0.25 0.5 0.5\r\n\n");
            files.put("labels/train/2.txt", second);
            return AnnotatedImages.yolo(store(files), "train", BOXES, null);
        }

        @Override
        protected Row expected(long index) {
            return switch ((int) index) {
                case 0 -> row("1", 0, 0, new float[] {0, 0, 0.5f, 0.5f}, 0);
                case 1 -> row("2", 0, 0, new float[] {0.25f, 0.375f, 0.75f, 0.625f}, 1);
                default -> row("3", 0, 0, new float[0]);
            };
        }

        @Override
        protected void change(long index) {
            second = "0 0.5 0.5 0.5 0.25";
        }
    }

    @Nested
    class OfPairs extends DatasetKit<Row> {

        private String second = "y";

        @Override
        protected Dataset<Row> open() {
            return AnnotatedImages.pairs(
                    store(Map.of("a.jpg", "1", "b/a.jpg", "2", "c.jpg", "3", "d.jpg", "4")),
                    store(Map.of("a.png", "x", "b/a.png", second, "c.png", "z", "e.png", "")));
        }

        @Override
        protected Row expected(long index) {
            String mask = List.of("x", second, "z").get((int) index);
            return new Row(
                    List.of("image", "mask", "size"),
                    List.of(Tensor.utf8(Long.toString(index + 1)), Tensor.utf8(mask), Tensor.ofInts(new int[2], 2)));
        }

        @Override
        protected void change(long index) {
            second = "other";
        }

        @Test
        void unmatched_filesWithoutPartner_areNamed() {
            AnnotatedImages pairs = (AnnotatedImages) open();

            assertThat(pairs.unmatched()).containsExactly("d.jpg", "e.png");
        }
    }

    @Test
    void pairs_twoFilesOfOneName_areRefusedByName() {
        MemoryStore images = store(Map.of("a.jpg", "1", "a.png", "2"));

        assertThatThrownBy(() -> AnnotatedImages.pairs(images, store(Map.of("a.png", ""))))
                .isInstanceOf(StoreException.class)
                .hasMessageContainingAll("a.jpg", "a.png");
    }

    @Test
    void labels_ofCoco_areInTheOrderOfTheirIds() {
        assertThat(open(coco(), BOXES).labels()).containsExactly("dog", "cat");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[1,2,-3,4]            | 2  | annotation 11 has a box of -3.0 x 4.0",
                "[1,NaN,3,4]           | 2  | annotation 11 has a box from 1.0, NaN to 4.0, NaN",
                "[1,2,1e300,4]         | 2  | annotation 11 has a box from 1.0, 2.0 to 1.0E300, 6.0",
                "[1,2,3]               | 2  | annotation 11 has no bbox of four numbers",
                "{\"x\":[1]}           | 2  | annotation 11 has no bbox of four numbers",
                "[1,2,[3],4]           | 2  | annotation 11 has no bbox of four numbers",
                "[1,2,3,4]             | 77 | annotation 11 has the category 77, which is none"
            })
    void get_imageOfABadAnnotation_failsAndNamesIt(String box, long category, String message) {
        AnnotatedImages images = open(coco(box(11, 3, category, box), box(12, 7, 2, "[0,0,4,3]")), BOXES);

        assertThatThrownBy(() -> images.get(1).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContainingAll("a.jpg", message);
        assertThat(images.get(0).block().tensor("boxes").toFloatArray()).containsExactly(0, 0, 4, 3);
        assertThat(images.get(2).block().tensor("boxes").shape().toArray()).containsExactly(0, 4);
    }

    static Stream<String[]> unusable() {
        return Stream.of(
                new String[] {coco(box(1, 99, 2, "[1,2,3,4]")), "annotation 1 is of image 99"},
                new String[] {
                    coco(box(1, 3, 2, "[1,2,3,4]"), box(1, 7, 2, "[1,2,3,4]")), "two annotations have the id 1"
                },
                new String[] {coco().replace("\"id\":3", "\"id\":7"), "two images have the id 7"},
                new String[] {coco().replace("90", "2"), "two categories have the id 2"},
                new String[] {coco().replace("\"width\":40", "\"width\":-40"), "width is -40"},
                new String[] {coco().substring(0, 150), "cut off"},
                new String[] {"{\"images\":[{\"id\":1,\n", "end-of-input within/between Object entries (line 2)"},
                new String[] {"image,class\na.jpg,1\n", "no JSON, or is cut off: Unrecognized token 'image'"},
                new String[] {"{\"images\":[]}", "has no \"annotations\""},
                new String[] {"[]", "is not a JSON object"});
    }

    @ParameterizedTest
    @MethodSource("unusable")
    void open_damagedFile_isRefusedByName(String text, String message) {
        assertThatThrownBy(() -> open(text, BOXES))
                .isInstanceOf(FormatException.class)
                .hasMessageContainingAll("x.json", message)
                .hasMessageNotContaining("Source");
    }

    @Test
    void get_nameThatLeadsOutOfTheFolder_isMissing() {
        AnnotatedImages images = open(coco().replace("a.jpg", "../a.jpg"), BOXES);

        assertThatThrownBy(() -> images.get(1).block())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("../a.jpg");
    }

    @Test
    void boxes_withoutAreaOrOfCrowds_areLeftOut() {
        String crowd = box(3, 3, 2, "[1,2,3,4]").replace("}", ",\"iscrowd\":1}");
        String text = coco(box(1, 3, 2, "[1,2,0,4]"), box(2, 3, 90, "[1,2,3,4]"), crowd);

        assertThat(open(text, BOXES).get(1).block().tensor("classes").toIntArray())
                .containsExactly(1);
        assertThat(open(text, List.of("crowd")).get(1).block().tensor("crowd").toByteArray())
                .containsExactly(0, 1);
    }

    @Test
    void keypoints_ofPersons_areXYAndVisibility() {
        String person = box(1, 3, 2, "[1,2,3,4]").replace("}", ",\"keypoints\":[1,2,2,3.5,4,1]}");

        Row row = open(coco(person), List.of("boxes", "keypoints")).get(1).block();

        assertThat(row.tensor("keypoints").shape().toArray()).containsExactly(1, 2, 3);
        assertThat(row.tensor("keypoints").toFloatArray()).containsExactly(1, 2, 2, 3.5f, 4, 1);
    }

    @Test
    void captions_ofAnImage_areTextsAndTheirLengths() {
        String text =
                coco("{\"id\":1,\"image_id\":3,\"caption\":\"ä cat\"}", "{\"id\":2,\"image_id\":3,\"caption\":\"\"}");

        Row row = open(text, List.of("captions")).get(1).block();

        assertThat(row.tensor("captions").toText()).isEqualTo("ä cat");
        assertThat(row.tensor("captions.lengths").toIntArray()).containsExactly(6, 0);
    }

    @Test
    void decode_masksOfRunLengths_areTheClassAndOne() {
        String person = box(1, 3, 90, "[10,15,20,15]")
                .replace("}", ",\"segmentation\":{\"size\":[30,40],\"counts\":[600,600]}}");
        AnnotatedImages images = open(coco(person), List.of("boxes", "mask"));

        Row row = images.decode("decode", file -> Tensor.ofBytes(new byte[30 * 40 * 3], 30, 40, 3), mask -> mask)
                .get(1)
                .block();

        assertThat(row.names()).containsExactly("pixels", "boxes", "mask");
        byte[] mask = row.tensor("mask").toByteArray();
        for (int i = 0; i < mask.length; i++) {
            assertThat(mask[i]).isEqualTo((byte) (i % 40 < 20 ? 0 : 2));
        }
    }

    @Test
    void decode_pictureOfAnotherSizeThanAnnotated_fails() {
        Dataset<Row> decoded =
                open(coco(), BOXES).decode("decode", file -> Tensor.ofBytes(new byte[12], 2, 2, 3), mask -> mask);

        assertThatThrownBy(() -> decoded.get(0).block())
                .hasRootCauseInstanceOf(FormatException.class)
                .hasRootCauseMessage("the picture is u8[2, 2, 3], its annotations or mask are of 30 x 40 pixels");
    }

    @Test
    void yolo_badLine_failsItsImageAlone() {
        AnnotatedImages images = AnnotatedImages.yolo(
                store(Map.of(
                        "classes.txt",
                        "ape\ncat\n",
                        "images/a.jpg",
                        "1",
                        "images/b.jpg",
                        "2",
                        "images/c.jpg",
                        "3",
                        "labels/a.txt",
                        "0 0.5 0.5 2 1",
                        "labels/b.txt",
                        "0 0.1 0.1 0.3 0.1 0.2 0.4",
                        "labels/c.txt",
                        "\n1 x")),
                "",
                BOXES,
                null);

        assertThatThrownBy(() -> images.get(0).block()).hasMessageContainingAll("images/a.jpg", "labels/a.txt: line 1");
        assertThat(images.get(1).block().tensor("boxes").toFloatArray()).containsExactly(0.1f, 0.1f, 0.3f, 0.4f);
        assertThatThrownBy(() -> images.get(2).block()).hasMessageContainingAll("images/c.jpg", "labels/c.txt: line 2");
    }

    @Test
    void voc_externalEntity_isNotFollowed() {
        String xml =
                "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/hostname\">]><annotation><size><width>&e;</width></size>"
                        + "</annotation>";
        AnnotatedImages images =
                AnnotatedImages.voc(store(Map.of("Annotations/1.xml", xml, "JPEGImages/1.jpg", "1")), "", BOXES, null);

        assertThatThrownBy(() -> images.get(0).block()).isInstanceOf(FormatException.class);
    }

    @Test
    void kept_annotationsOfTheSameState_areNotParsedAgain(@TempDir Path folder) throws Exception {
        String text = coco(box(1, 3, 90, "[1,2,3,4]"), box(2, 7, 2, "[0,0,-1,30]"));
        MemoryStore store = store(Map.of("x.json", text, "a.jpg", "A", "b.jpg", "B", "c/d.jpg", "D"));
        AnnotatedImages parsed = AnnotatedImages.coco(store, "x.json", store, BOXES, folder);

        AnnotatedImages kept = AnnotatedImages.coco(new Unreadable(store), "x.json", store, BOXES, folder);

        assertThat(kept.fingerprint()).isEqualTo(parsed.fingerprint());
        assertThat(kept.labels()).isEqualTo(parsed.labels());
        assertThat(kept.get(1).block()).isEqualTo(parsed.get(1).block());
        assertThatThrownBy(() -> kept.get(0).block()).hasMessageContaining("annotation 2 has a box of -1.0 x 30.0");
        assertThat(AnnotatedImages.damaged(folder)).isEmpty();
    }

    @Test
    void kept_damagedAnywhere_isParsedAgain(@TempDir Path folder) throws Exception {
        String text = coco(box(1, 3, 90, "[1,2,3,4]"));
        MemoryStore store = store(Map.of("x.json", text, "a.jpg", "A", "b.jpg", "B", "c/d.jpg", "D"));
        AnnotatedImages parsed = AnnotatedImages.coco(store, "x.json", store, BOXES, folder);
        Path file;
        try (Stream<Path> files = Files.list(folder)) {
            file = files.findFirst().orElseThrow();
        }
        byte[] sound = Files.readAllBytes(file);

        for (int at = 0; at < sound.length; at += 7) {
            byte[] damaged = sound.clone();
            damaged[at] ^= 0x55;
            Files.write(file, damaged);
            assertThat(AnnotatedImages.damaged(folder)).containsExactly(file);
            AnnotatedImages again = AnnotatedImages.coco(store, "x.json", store, BOXES, folder);
            assertThat(again.get(1).block()).isEqualTo(parsed.get(1).block());
        }
    }
}
