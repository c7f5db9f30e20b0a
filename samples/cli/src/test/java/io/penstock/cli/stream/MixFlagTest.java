package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.batch.Batch;
import io.penstock.cli.Cli;
import io.penstock.cli.serve.ServedPlan;
import io.penstock.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/** Pictures that are mixed within a batch: each has one colour, which tells it. */
class MixFlagTest {

    private static final int COUNT = 6;
    private static final int SIDE = 16;

    @TempDir
    private static Path folder;

    private static String source;

    @BeforeAll
    static void makePictures() throws IOException {
        Files.createDirectories(folder.resolve("images"));
        Files.createDirectories(folder.resolve("labels"));
        Files.writeString(folder.resolve("classes.txt"), "cat\n");
        for (int i = 0; i < COUNT; i++) {
            BufferedImage picture = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_3BYTE_BGR);
            for (int at = 0; at < SIDE * SIDE; at++) {
                picture.setRGB(at % SIDE, at / SIDE, 40 * i << 16);
            }
            ImageIO.write(
                    picture, "png", folder.resolve("images/%d.png".formatted(i)).toFile());
            Files.writeString(folder.resolve("labels/%d.txt".formatted(i)), "0 0.5 0.5 0.5 0.5\n");
        }
        source = "--source yolo:" + folder + " --no-shuffle --batch 3 --pad --mix ";
    }

    private static long picture(Tensor pixels, int row, int at) {
        return pixels.longAt((row * SIDE * SIDE + at) * 3) / 40;
    }

    private static List<JsonNode> explained(String flags) {
        return Cli.run(("explain --json --step 1 " + source + flags).split(" ")).events();
    }

    private static <T> Batch second(Run<T> run, boolean served) {
        Flux<Batch> batches = served
                ? new ServedPlan<>(run, 1).batches(0, run.sampler().start(), ByteBuffer::allocateDirect)
                : run.mixed(run.loads().apply(run.sampler()).transform(run.batches()), run.sampler());
        return batches.take(2)
                .reduce((first, then) -> {
                    first.close();
                    return then;
                })
                .block();
    }

    @Test
    void mosaic_ofABatch_isAsExplained() {
        List<JsonNode> rows = explained("mosaic=1");
        try (Run<?> run = StreamFlags.parse((source + "mosaic=1").split(" ")).open()) {
            for (boolean served : new boolean[] {false, true}) {
                try (Batch batch = second(run, served)) {
                    Tensor pixels = batch.tensor("pixels");
                    for (int row = 0; row < 3; row++) {
                        List<Long> corners = new ArrayList<>();
                        for (int at : new int[] {0, SIDE - 1, SIDE * SIDE - SIDE, SIDE * SIDE - 1}) {
                            corners.add(picture(pixels, row, at) - 3);
                        }
                        JsonNode drawn = rows.get(row).path("augment").path("mosaic=1");
                        assertThat(drawn.path("rows").toString().replace(",", ", "))
                                .isEqualTo(corners.toString());
                    }
                    assertThat(batch.tensor("boxes.length").toIntArray()).doesNotContain(0);
                }
            }
        }
    }

    @Test
    void copyPaste_ofABatch_isAsExplained() {
        List<JsonNode> rows = explained("copy-paste=1");
        try (Run<?> run =
                        StreamFlags.parse((source + "copy-paste=1").split(" ")).open();
                Batch batch = second(run, false)) {
            for (int row = 0; row < 3; row++) {
                JsonNode drawn = rows.get(row).path("augment").path("copy-paste=1");
                assertThat(picture(batch.tensor("pixels"), row, SIDE * SIDE / 2 + SIDE / 2))
                        .isEqualTo(3 + drawn.path("row").asInt());
                assertThat(picture(batch.tensor("pixels"), row, 0)).isEqualTo(3 + row);
            }
        }
    }

    @Test
    void words_thatAreNone_areRefused() throws IOException {
        Path classes = Files.createDirectories(folder.resolve("tree/cat"));
        Files.copy(folder.resolve("images/0.png"), classes.resolve("0.png"));

        assertThat(Cli.stream(source + "mosaik=1").err())
                .contains("--mix takes mosaic=P or copy-paste=P, each with :visible=SHARE, was \"mosaik=1\"");
        assertThat(Cli.stream(source + "mosaic=7").err()).contains("a share must be in [0, 1], was 7.0");
        assertThat(Cli.stream("--source images:%s --mix mosaic=1".formatted(folder.resolve("tree")))
                        .err())
                .contains("--mix is for pixels with a mask, depth, or boxes and classes");
    }
}
