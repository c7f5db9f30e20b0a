package io.penstock.train;

import static io.penstock.train.TrainProcess.lastEpoch;
import static io.penstock.train.TrainProcess.trained;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What can be learned from. */
class TrainDataTest {

    private static final int IMAGES = 60;

    @TempDir
    private Path folder;

    private Path pictures() {
        Path pictures = folder.resolve("pictures");
        PictureFolder.write(pictures, IMAGES).blockLast();
        return pictures;
    }

    private static void materialize(Path pictures, String target) {
        Cli job = Cli.run(("materialize --source images:%s --resize 16 --to ".formatted(pictures) + target).split(" "));
        assertThat(job.status()).as(job.err()).isZero();
    }

    @Test
    void cache_thatAJobFilled_leavesNothingToLoad() throws Exception {
        Path pictures = pictures();
        materialize(pictures, "disk:" + folder.resolve("cache"));

        Cli run = trained(
                folder,
                "--data %s --resize 16 --batch 8 --epochs 2 --cache-disk %s"
                        .formatted(pictures, folder.resolve("cache")));

        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("loads").asInt())
                .containsExactly(0, 0);
    }

    @Test
    void shards_thatAJobWrote_areLearnedAsThePicturesThemselves() throws Exception {
        Path pictures = pictures();
        Path shards = folder.resolve("shards");
        materialize(pictures, "tar:%s --shard-samples 25".formatted(shards));
        String rest = " --batch 8 --epochs 2";

        Cli direct = trained(folder, "--resize 16 --data " + pictures + rest);
        Cli prepared = trained(folder, "--data tar:" + shards + rest);
        Cli resized = trained(folder, "--resize 24 --data tar:" + shards + rest);

        assertThat(lastEpoch(prepared).path("loss").asDouble())
                .isEqualTo(lastEpoch(direct).path("loss").asDouble());
        assertThat(lastEpoch(resized).path("loss").asDouble())
                .isNotEqualTo(lastEpoch(direct).path("loss").asDouble());
    }

    @Test
    void folders_withNothingToLearnFrom_areRefusedInALine() throws Exception {
        Path few = Files.createDirectories(folder.resolve("few"));
        PictureFolder.write(few, 9).blockLast();
        Path shards = folder.resolve("shards");
        materialize(pictures(), "tar:%s --shard-samples 25".formatted(shards));
        Files.delete(shards.resolve("shard-000001.tar"));

        assertRefused("--data " + Files.createDirectory(folder.resolve("empty")), "no images");
        assertRefused("--data " + folder.resolve("none"), "none");
        assertRefused("--data " + few, "at least 10 are needed");
        assertRefused("--data tar:" + shards, "has 2 of 3 shards");
        assertRefused("--data " + pictures() + " --batch 64", "less than a batch of 64");
    }

    private void assertRefused(String flags, String why) throws Exception {
        try (TrainProcess run = TrainProcess.start(folder, flags)) {
            Cli end = run.end();
            assertThat(end.status()).as(flags).isEqualTo(1);
            assertThat(end.err()).contains(why).hasLineCount(1);
        }
    }

    @Test
    void fashion_fromMnistsFiles_isLearnedBetterThanByARegression() throws Exception {
        Cli run = trained(folder, "--data " + data("images/fashion-mnist") + " --epochs 1");

        assertThat(lastEpoch(run).path("test_accuracy").asDouble()).isGreaterThan(0.84);
    }

    @Test
    void signDigits_fromAFolder_areLearnedBetterThanByARegression() throws Exception {
        Cli run = trained(folder, "--data " + data("images/sign-digits") + " --epochs 8");

        assertThat(lastEpoch(run).path("test_accuracy").asDouble()).isGreaterThan(0.775);
    }

    private static Path data(String folder) {
        Path data = Path.of(System.getProperty("penstock.data", "."), folder);
        assumeThat(Files.isDirectory(data)).as("needs %s", data).isTrue();
        return data;
    }
}
