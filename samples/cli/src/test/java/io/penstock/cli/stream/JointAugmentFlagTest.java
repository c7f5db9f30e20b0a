package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.augment.Augment;
import io.penstock.augment.Colour;
import io.penstock.augment.RandomErasing;
import io.penstock.augment.Region;
import io.penstock.cli.Cli;
import io.penstock.cli.source.RowParts;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fields of a row that are augmented together, by their names. */
class JointAugmentFlagTest {

    @TempDir
    private static Path folder;

    private static String source;

    /** Four pictures of 8 × 8 pixels with masks, and each with a box in its first corner and one over all. */
    @BeforeAll
    static void makeArchive() throws IOException {
        Path file = folder.resolve("scenes.npz");
        ByteBuffer boxes = ByteBuffer.allocate(4 * 8 * 4).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 4; i++) {
            for (float side : new float[] {0, 0, 2, 2, 0, 0, 8, 8}) {
                boxes.putFloat(side);
            }
        }
        byte[] classes = new byte[4 * 2 * 4];
        for (int i = 0; i < 8; i++) {
            classes[4 * i] = (byte) (i % 2);
        }
        byte[] mask = new byte[4 * 64];
        byte[] pixels = new byte[4 * 64 * 3];
        for (int i = 0; i < mask.length; i++) {
            mask[i] = (byte) (i % 64);
            pixels[3 * i] = mask[i];
        }
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            add(out, "pixels", "|u1", "(4, 8, 8, 3)", pixels);
            add(out, "mask", "|u1", "(4, 8, 8)", mask);
            add(out, "boxes", "<f4", "(4, 2, 4)", boxes.array());
            add(out, "classes", "<i4", "(4, 2)", classes);
            add(out, "crowd", "|u1", "(4, 2)", new byte[8]);
        }
        source = "--source npz:" + file + " --augment crop=4,flip,boxes=0.3";
    }

    private static void add(ZipOutputStream out, String name, String descr, String shape, byte[] values)
            throws IOException {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s}".formatted(descr, shape);
        out.putNextEntry(new ZipEntry(name + ".npy"));
        out.write("\u0093NUMPY\1\0".getBytes(StandardCharsets.ISO_8859_1));
        out.write(new byte[] {(byte) header.length(), 0});
        out.write(header.getBytes(StandardCharsets.ISO_8859_1));
        out.write(values);
    }

    @Test
    void fields_ofKnownNames_areAugmentedTogether() {
        Cli run = Cli.stream(source + " --batch 2 --pad --digest --batch-events --seed 3");
        JsonNode batch = run.events().stream()
                .filter(event -> event.path("event").asText().equals("batch"))
                .findFirst()
                .orElseThrow();

        Cli explained =
                Cli.run(("explain --json --step 0 --replay " + source + " --batch 2 --pad --seed 3").split(" "));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(4);
        assertThat(explained.done().path("content_digest").asText())
                .isEqualTo(batch.path("content_digest").asText())
                .isNotEmpty();
    }

    @Test
    void boxes_ofASample_areExplained() {
        String flags = "explain --step 0 %s --batch 4 --pad --seed 3 ";

        List<JsonNode> events =
                Cli.run((flags.formatted(source) + "--json").split(" +")).events();
        String people = Cli.run(flags.formatted(source).split(" +")).out();

        JsonNode drawn = events.get(0).path("augment").elements().next();
        int left = drawn.path("region").path("left").asInt();
        int top = drawn.path("region").path("top").asInt();
        JsonNode corner = drawn.path("boxes").get(0);
        double visible = Math.max(0, 2 - left) * Math.max(0, 2 - top) / 4.0;
        assertThat(corner.path("visible").asDouble()).isEqualTo(visible);
        assertThat(corner.path("kept").asBoolean()).isEqualTo(visible >= 0.3);
        assertThat(drawn.path("boxes").get(1).path("to").path("x2").asDouble()).isEqualTo(4);
        assertThat(drawn.has("colour")).isFalse();
        assertThat(people).contains("flipped=", "boxes=[[0.0, 0.0, 2.0, 2.0] to ", ", 0.25 visible");
    }

    @Test
    void marks_ofDroppedBoxes_goWithThem() {
        Row row = new Row(
                List.of("pixels", "boxes", "classes", "crowd"),
                List.of(
                        Tensor.ofBytes(new byte[300], 10, 10, 3),
                        Tensor.ofFloats(new float[] {0, 0, 1, 1, 4, 4, 9, 9}, 2, 4),
                        Tensor.ofInts(new int[] {1, 2}),
                        Tensor.ofBytes(new byte[] {0, 1})));
        Augment augment = Augment.crop(5, 5);
        Augment.Parameters drawn = new Augment.Parameters(
                new Region(5, 5, 5, 5), false, List.of(), Colour.UNCHANGED, RandomErasing.Erasure.NONE);

        Row kept = RowParts.kept(row, () -> augment.boxes(RowParts.of(row), drawn));

        assertThat(kept.tensor("crowd")).isEqualTo(Tensor.ofBytes(new byte[] {1}));
    }

    @Test
    void steps_ofAPolicy_areExplained() {
        String flags = "explain --step 0 %s --batch 4 --pad --seed 3 "
                .formatted(source.replace("flip", "vertical-flip=1,choose=1(rotate=90..90|rotate=90..90)"));

        JsonNode drawn = Cli.run((flags + "--json").split(" +"))
                .events()
                .get(0)
                .path("augment")
                .elements()
                .next();
        String people = Cli.run(flags.split(" +")).out();

        assertThat(drawn.path("steps").get(0).path("operation").asText()).isEqualTo("VERTICAL_FLIP");
        assertThat(Math.abs(drawn.path("steps").get(1).path("magnitude").asInt()))
                .isEqualTo(90);
        assertThat(drawn.has("flipped")).isFalse();
        assertThat(people).containsPattern("steps=\\[vertical-flip, rotate -?90\\], boxes=");
    }

    @Test
    void rows_withoutAPicture_areRefused() {
        Cli run = Cli.stream(source.replace(".npz", ".npz#mask,classes") + " --batch 2");

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err())
                .contains("--augment is for images: samples need a field \"pixels\", these have [mask, classes]");
    }
}
