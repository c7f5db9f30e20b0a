package io.penstock.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.pipeline.Dataset;
import io.penstock.store.FileStore;
import io.penstock.store.MemoryStore;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Real photos with boxes, in three forms that hold the same boxes. */
class SharedVisionTest {

    private static final Path DATA =
            Path.of(System.getProperty("penstock.data", "missing")).resolve("vision");

    @BeforeEach
    void requireData() {
        assumeThat(DATA.resolve("expected.jsonl")).as("shared data with boxes").exists();
    }

    private static List<JsonNode> expected() throws IOException {
        List<JsonNode> lines = new ArrayList<>();
        for (String line : Files.readAllLines(DATA.resolve("expected.jsonl"))) {
            lines.add(new ObjectMapper().readTree(line));
        }
        return lines;
    }

    private static void assertExpected(AnnotatedImages images, double within) throws IOException {
        Dataset<Row> decoded = images.decode(
                "a picture of the size", file -> Tensor.ofBytes(new byte[640 * 480 * 3], 480, 640, 3), mask -> mask);
        Map<String, Integer> found = new HashMap<>();
        for (int i = 0; i < images.size(); i++) {
            String name = images.name(i);
            found.put(name.substring(name.lastIndexOf('/') + 1), i);
        }
        int boxes = 0;
        for (JsonNode picture : expected()) {
            Row row = decoded.get(found.get(picture.path("image").asText())).block();
            float[] edges = row.tensor("boxes").toFloatArray();
            int[] classes = row.tensor("classes").toIntArray();
            assertThat(classes).hasSize(picture.path("boxes").size());
            for (int i = 0; i < classes.length; i++, boxes++) {
                JsonNode box = picture.path("boxes").get(i);
                assertThat(images.labels().get(classes[i])).isEqualTo(box.get(4).asText());
                for (int edge = 0; edge < 4; edge++) {
                    assertThat((double) edges[4 * i + edge])
                            .as("%s, box %d", picture.path("image"), i)
                            .isCloseTo(box.get(edge).asDouble(), Offset.offset(within));
                }
            }
        }
        assertThat(images.size()).isEqualTo(60);
        assertThat(boxes).isEqualTo(846);
    }

    @Test
    void coco_photosOfBloodCells_haveTheExpectedBoxes() throws IOException {
        assertExpected(AnnotatedImages.coco(DATA.resolve("bccd-coco.json"), DATA.resolve("bccd-voc/JPEGImages")), 0);
    }

    @Test
    void voc_photosOfBloodCells_haveTheExpectedBoxes() throws IOException {
        assertExpected(
                AnnotatedImages.voc(FileStore.open(DATA.resolve("bccd-voc")), "", List.of("boxes", "classes"), null),
                0);
    }

    @Test
    void yolo_photosOfBloodCells_haveTheExpectedBoxesWithinTheirSixDecimals() throws IOException {
        Map<String, byte[]> files = new HashMap<>();
        files.put("classes.txt", Files.readAllBytes(DATA.resolve("bccd-yolo/classes.txt")));
        try (Stream<Path> labels = Files.list(DATA.resolve("bccd-yolo/labels"))) {
            for (Path label : labels.toList()) {
                files.put("labels/" + label.getFileName(), Files.readAllBytes(label));
                files.put("images/" + label.getFileName().toString().replace(".txt", ".jpg"), new byte[] {1});
            }
        }

        assertExpected(
                AnnotatedImages.yolo(MemoryStore.of("yolo", files), "", List.of("boxes", "classes"), null), 0.001);
    }
}
