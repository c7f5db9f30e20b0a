package io.penstock.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.pipeline.Dataset;
import io.penstock.store.MemoryStore;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotations that are not as they should be: each names its file, its image and its number, or is read all the same. */
class BadAnnotationsTest {

    private static final String BOM = "\uFEFF";

    private static MemoryStore store(String... namesAndTexts) {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            files.put(namesAndTexts[i], namesAndTexts[i + 1].getBytes(StandardCharsets.UTF_8));
        }
        return MemoryStore.of("test", files);
    }

    /** One image of 40 × 30 with a good annotation, of which something is replaced. */
    private static AnnotatedImages coco(String part, String by, String... fields) {
        String sound = """
                {"images": [{"id": 3, "file_name": "a b.jpg", "width": 40, "height": 30},
                            {"id": 4, "file_name": "ä.jpg", "width": 40, "height": 30}],
                 "annotations": [{"id": 11, "image_id": 3, "category_id": 2, "bbox": [1, 2, 3, 4], "caption": "of a cat",
                                  "segmentation": {"size": [30, 40], "counts": [600, 600]}},
                                 {"id": 12, "image_id": 4, "category_id": 2, "bbox": [1, 2, 3, 4], "caption": "other",
                                  "segmentation": [[1, 2, 4, 2, 4, 6]]}],
                 "categories": [{"id": 2, "name": "cat"}]}
                """;
        assertThat(sound).contains(part);
        MemoryStore store = store("x.json", sound.replace(part, by), "a b.jpg", "A", "ä.jpg", "B");
        return AnnotatedImages.coco(
                store, "x.json", store, fields.length == 0 ? List.of("boxes", "classes") : List.of(fields), null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '!',
            value = {
                "\"file_name\": \"a b.jpg\", | !!                | images 0: no file_name",
                "\"file_name\": \"a b.jpg\"  | \"file_name\": 5  | images 0: file_name 5, which is no text",
                "\"width\": 40,              | !!                | images 0: no width",
                "\"id\": 11                  | \"id\": \"eleven\" | annotations 0: id \"eleven\", which is no whole number",
                "\"image_id\": 3,            | !!                | annotations 0: no image_id",
                "\"id\": 12                  | \"id\": 11         | two annotations have the id 11",
                "\"name\": \"cat\"           | \"nome\": \"cat\"  | categories 0: no name"
            })
    void coco_damagedField_failsTheOpening(String part, String by, String message) {
        assertThatThrownBy(() -> coco(part, by))
                .isInstanceOf(FormatException.class)
                .hasMessageContainingAll("x.json in memory:test", message);
    }

    private static final String RUNS = "{\"size\": [30, 40], \"counts\": [600, 600]}";

    static Stream<String[]> damagedAnnotations() {
        return Stream.of(
                new String[] {
                    "\"category_id\": 2, \"bbox\": [1, 2, 3, 4], \"caption\": \"of",
                    "\"bbox\": [1, 2, 3, 4], \"caption\": \"of",
                    "boxes",
                    "no category_id"
                },
                new String[] {
                    "2, \"bbox\": [1, 2, 3, 4], \"caption\": \"of",
                    "2.5, \"bbox\": [1, 2, 3, 4], \"caption\": \"of",
                    "boxes",
                    "category_id 2.5, which is no whole number"
                },
                new String[] {
                    "[1, 2, 3, 4], \"caption\": \"of",
                    "[41, 2, 3, 4], \"caption\": \"of",
                    "boxes",
                    "a box from 41.0, 2.0 to 44.0, 6.0, outside its image of 40 x 30"
                },
                new String[] {
                    "[1, 2, 3, 4], \"caption\": \"of",
                    "[-5, 2, 3, 4], \"caption\": \"of",
                    "boxes",
                    "a box from -5.0, 2.0 to -2.0, 6.0, outside"
                },
                new String[] {"\"caption\": \"of a cat\",", "", "captions", "no caption"},
                new String[] {
                    "\"caption\": \"of a cat\",", "\"caption\": null,", "captions", "caption null, which is no text"
                },
                new String[] {
                    RUNS, RUNS.replace("30, 40", "40, 30"), "mask", "a mask of another size than its image of 40 x 30"
                },
                new String[] {RUNS, RUNS.replace("30, 40", "30.9, 40"), "mask", "run lengths that are no whole numbers"
                },
                new String[] {
                    RUNS, RUNS.replace("600, 600", "600.5, 599.5"), "mask", "run lengths that are no whole numbers"
                },
                new String[] {
                    RUNS, RUNS.replace("600, 600", "600, 601"), "mask", "run lengths of 1201 cells in a mask of 30 x 40"
                },
                new String[] {
                    RUNS, RUNS.replace("[600, 600]", "\"a\""), "mask", "run lengths that are no text of COCO's"
                },
                new String[] {RUNS, "\"mask.png\"", "mask", "a segmentation that is neither polygons nor run lengths"},
                new String[] {RUNS, "[\"mask.png\"]", "mask", "a polygon that is no numbers"},
                new String[] {RUNS, "[[1, 2, NaN, 4, 5, 6]]", "mask", "a polygon with NaN"},
                new String[] {
                    "\"segmentation\": {",
                    "\"other\": {",
                    "mask",
                    "a segmentation that is neither polygons nor run lengths"
                });
    }

    @ParameterizedTest
    @MethodSource("damagedAnnotations")
    void coco_damagedAnnotation_failsItsImageAlone(String part, String by, String field, String message) {
        AnnotatedImages images = coco(part, by, field);

        assertThatThrownBy(() -> images.get(0).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContainingAll("a b.jpg in memory:test: annotation 11 has " + message);
        assertThat(images.get(1).block()).isNotNull();
    }

    @Test
    void coco_withoutCategories_hasNoClassForItsBoxes() {
        AnnotatedImages images = coco("\"categories\"", "\"kinds\"");

        assertThatThrownBy(() -> images.get(0).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("annotation 11 has the category 2, which is none");
        assertThat(coco("\"categories\"", "\"kinds\"", "captions")
                        .get(0)
                        .block()
                        .tensor("captions")
                        .toText())
                .isEqualTo("of a cat");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\n", "\r\n\r\n"})
    void coco_windowsFile_isRead(String lineEnd) {
        AnnotatedImages images = coco("\n", lineEnd);

        assertThat(images.get(0).block().tensor("boxes").toFloatArray()).containsExactly(1, 2, 4, 6);
        assertThat(images.name(1)).isEqualTo("ä.jpg");
        assertThat(coco("{\"images\"", BOM + "{\"images\"").size()).isEqualTo(2);
    }

    private static final String VOC = """
            <annotation><size><width>40</width><height>30</height></size>
            <object><name>cat</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>7</ymax></bndbox></object>
            <object><name>dog</name><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>9</xmax><ymax>7</ymax></bndbox></object>
            </annotation>
            """;

    private static AnnotatedImages voc(String xml, String split, String list) {
        MemoryStore store = store(
                "Annotations/a b.xml",
                xml,
                "Annotations/ä.xml",
                VOC,
                "JPEGImages/a b.jpg",
                "A",
                "JPEGImages/ä.jpg",
                "B",
                "ImageSets/Main/some.txt",
                list);
        return AnnotatedImages.voc(store, split, List.of("boxes", "classes"), null);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '!',
            value = {
                "<name>dog</name>       |                       | Annotations/a b.xml: object 1 has no name",
                "<width>40</width>      |                       | it has a size of 30.0 x 0.0",
                "<xmin>1</xmin>         |                       | object 0 has a box from NaN, 2.0 to 9.0, 7.0",
                "<xmax>9</xmax>         | <xmax>nine</xmax>     | object 0 has a box from 1.0, 2.0 to NaN, 7.0",
                "<xmax>9</xmax>         | <xmax>0.5</xmax>      | object 0 has a box of -0.5 x 5.0",
                "<xmin>1</xmin>         | <xmin>-20</xmin>      | !!",
                "<ymin>2</ymin><xmax>9</xmax><ymax>7</ymax> | <ymin>32</ymin><xmax>9</xmax><ymax>37</ymax> | outside its image",
                "</annotation>          |                       | it is no XML",
            })
    void voc_damagedFile_failsItsImageAlone(String part, String by, String message) {
        AnnotatedImages images = voc(VOC.replace(part, by == null ? "" : by), "", "");

        if (message.isEmpty()) {
            assertThat(images.get(0).block().tensor("boxes").toFloatArray()).startsWith(-20, 2, 9, 7);
        } else {
            assertThatThrownBy(() -> images.get(0).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContainingAll("JPEGImages/a b.jpg in memory:test", message);
        }
        assertThat(images.get(1).block().tensor("classes").toIntArray()).hasSize(2);
        assertThat(images.labels()).containsExactly("cat", "dog");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b\nä\n", "\uFEFFa b\r\nä\r\n", "a b  1\nä -1\n", "a b 0\r\n\r\nä  1\r\n"})
    void voc_splitOfNamesWithBlanks_isRead(String list) {
        AnnotatedImages images = voc(VOC.replace("\n", "\r\n"), "some", list);

        assertThat(images.size()).isEqualTo(2);
        assertThat(images.name(0)).isEqualTo("JPEGImages/a b.jpg");
        assertThat(images.name(1)).isEqualTo("JPEGImages/ä.jpg");
        assertThat(images.unmatched()).isEmpty();
    }

    @Test
    void voc_splitOfNamesThatEndInANumber_isRead() {
        MemoryStore store =
                store("Annotations/a 1.xml", VOC, "JPEGImages/a 1.jpg", "A", "ImageSets/Main/some.txt", "a 1\n");

        assertThat(AnnotatedImages.voc(store, "some", List.of("boxes"), null).name(0))
                .isEqualTo("JPEGImages/a 1.jpg");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "2 0.5 0.5 0.2 0.2         | line 2 is not one of 2 classes",
                "-1 0.5 0.5 0.2 0.2        | line 2 is not one of 2 classes",
                "0.5 0.5 0.5 0.2 0.2       | line 2 is not one of 2 classes",
                "ape 0.5 0.5 0.2 0.2       | line 2 is not one of 2 classes",
                "0 NaN 0.5 0.2 0.2         | line 2 is not",
                "0 320 240 64 48           | line 2 is not",
                "0 0.5 0.5 0.2             | line 2 is not",
                "0 0.5 0.5 0.2 0.2 0.9     | line 2 is not",
                "0 0.5 0.5 -0.2 0.2        | line 2 is not",
            })
    void yolo_damagedLine_failsItsImageAlone(String line, String message) {
        AnnotatedImages images = yolo("ape\ncat\n", "0 0.5 0.5 0.2 0.2\r\n" + line + "\r\n");

        assertThatThrownBy(() -> images.get(0).block())
                .isInstanceOf(FormatException.class)
                .hasMessageContainingAll("images/a b.jpg in memory:test", "labels/a b.txt: ", message, line);
        assertThat(images.get(1).block().tensor("classes").toIntArray()).isEmpty();
    }

    private static AnnotatedImages yolo(String classes, String labels) {
        MemoryStore store = store(
                "classes.txt",
                classes,
                "images/a b.jpg",
                "A",
                "images/ä.jpg",
                "B",
                "labels/a b.txt",
                labels,
                "labels/ä.txt",
                "");
        return AnnotatedImages.yolo(store, "", List.of("boxes", "classes"), null);
    }

    @Test
    void yolo_windowsFiles_areRead() {
        AnnotatedImages images = yolo(BOM + "ape\r\ncat\r\n", BOM + "0 0.5 0.5 0.2 0.2\r\n\r\n1 0.5 0.5 0.2 0.2");

        assertThat(images.labels()).containsExactly("ape", "cat");
        assertThat(images.get(0).block().tensor("classes").toIntArray()).containsExactly(0, 1);
    }

    @Test
    void pairs_maskThatIsNone_saysThatItIsTheMask() {
        AnnotatedImages images = AnnotatedImages.pairs(store("a b.jpg", "A"), store("a b.png", "not a mask"));
        Dataset<Row> decoded = images.decode("decode", file -> Tensor.ofBytes(new byte[12], 2, 2, 3), file -> {
            throw new FormatException("it is no PNG");
        });

        assertThatThrownBy(() -> decoded.get(0).block()).hasMessageContainingAll("a b.jpg", "its mask: it is no PNG");
    }
}
