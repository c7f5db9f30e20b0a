package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --verify-hits}, {@code --headroom} and advice. */
class StreamChecksTest {

    private static final int IMAGES = 23;

    @TempDir
    private static Path folder;

    private static String images;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
        images = "--source images:" + folder.resolve("train") + " --resize 48";
    }

    @Test
    void verifyHits_ofSteadyStages_areCounted() {
        Cli run = Cli.stream(images + " --cache-ram 64MiB --epochs 3 --in-flight 8 --verify-hits 100%");

        assertThat(run.status()).isZero();
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("differing").asInt())
                .containsOnly(0);
        assertThat(run.epoch(2).path("verified").asInt()).isEqualTo(IMAGES);
        assertThat(run.epoch(2).path("loads").asInt()).isEqualTo(IMAGES);
        assertThat(run.epoch(0).has("verified")).isTrue();
    }

    @Test
    void verifyHits_withoutACacheOrAShare_isRefused() {
        assertRefused(Cli.stream(images + " --verify-hits 1%"), "--verify-hits needs a cache to check");
        assertRefused(Cli.stream(images + " --cache-ram 1MiB --verify-hits 5"), "a share such as 1%");
        assertRefused(Cli.stream(images + " --cache-ram 1MiB --verify-hits 101%"), "at most 100%");
    }

    @Test
    void verifyReads_withoutADisk_isRefused() {
        assertRefused(Cli.stream(images + " --cache-ram 1MiB --verify-reads"), "--verify-reads needs a cache on disk");
    }

    @Test
    void headroom_ofARun_isMeasuredBeforeItIsDone() {
        Cli run = Cli.stream(images + " --epochs 2 --batch 8 --digest --headroom");

        JsonNode headroom = run.events().get(2);
        assertThat(run.events())
                .extracting(event -> event.path("event").asText())
                .containsExactly("epoch", "epoch", "headroom", "done");
        assertThat(headroom.path("consumer").asText()).isEqualTo("counting and digesting batches");
        assertThat(headroom.path("batches").asInt()).isBetween(6, 8);
        assertThat(headroom.path("samples").asLong()).isGreaterThanOrEqualTo(2 * IMAGES);
        assertThat(headroom.path("samples_per_second").asDouble()).isPositive();
        assertThat(run.done().path("verdict").asText()).contains("of what the consumer alone does");
        assertThat(run.content(0)).isEqualTo(Cli.stream(images + " --digest").content(0));
    }

    @Test
    void headroom_ofAStoppedRun_replaysItsLastBatches() {
        Cli run = Cli.stream(images + " --epochs 50 --batch 2 --stop-after 20 --headroom");

        assertThat(run.events().get(run.events().size() - 2).path("batches").asInt())
                .isEqualTo(8);
    }

    @Test
    void advice_ofARunThatLoads_foretellsItsEpochs() {
        Cli run = Cli.stream(images + " --batch 8");

        JsonNode advice = run.done().path("advice");
        assertThat(advice.path("enough_share").asDouble()).isBetween(0.0, 1.0);
        assertThat(advice.path("budgets"))
                .extracting(budget -> budget.path("cache").asText())
                .containsExactly("none", "ram", "all");
        assertThat(advice.path("budgets").get(2).path("share").asDouble()).isEqualTo(1);
        assertThat(advice.path("budgets").get(2).path("epoch_seconds").asDouble())
                .isLessThanOrEqualTo(
                        advice.path("budgets").get(0).path("epoch_seconds").asDouble());
    }

    private static void assertRefused(Cli run, String why) {
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(why);
    }
}
