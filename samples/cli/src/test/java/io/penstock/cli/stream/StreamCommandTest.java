package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StreamCommandTest {

    private static final int IMAGES = 41;
    private static final String AUGMENTED = " --resize 64 --augment crop=48,flip --digest";

    @TempDir
    private static Path folder;

    private static String images;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(folder.resolve("train"), IMAGES).blockLast();
        images = "--source images:" + folder.resolve("train");
    }

    @Test
    void stream_ofThreeEpochsWithACache_loadsEverySampleOnce() {
        Cli run = Cli.stream(images + " --resize 64 --cache-ram 64MiB --batch 8 --epochs 3");

        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
        // the second epoch begins while the first one ends: it waits for loads of it, misses that load nothing, and on
        // a
        // busy machine may be the one that begins such a load
        assertThat(run.epoch(0).path("loads").asInt()
                        + run.epoch(1).path("loads").asInt())
                .isEqualTo(IMAGES);
        assertThat(run.epoch(2).path("loads").asInt()).isZero();
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("hits").path("ram").asInt()
                        + epoch.path("misses").asInt())
                .containsOnly(IMAGES);
        assertThat(run.epoch(2).path("hits").path("ram").asInt()).isEqualTo(IMAGES);
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("samples").asInt())
                .containsOnly(IMAGES);
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("batches").asInt())
                .containsOnly(6);
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("bytes").asInt())
                .containsOnly(IMAGES * 64 * 64 * 3);
        assertThat(run.done().path("epochs").asInt()).isEqualTo(3);
        assertThat(run.done().path("verdict").asText()).startsWith("served from RAM");
    }

    @Test
    void stream_batchLargerThanTheDataThatIsDropped_isRefusedBeforeItLoads() {
        Cli run = Cli.stream(images + " --resize 64 --batch 64 --remainder drop");

        assertRefused(run, "--remainder drop leaves no batch");
        assertRefused(run, "take a smaller --batch, or --remainder keep or pad");
        assertRefused(
                Cli.stream(images + " --resize 64 --batch 32 --remainder drop --rank 1 --world 2"), "rank 1 of 2 has");
        assertThat(Cli.stream(images + " --resize 64 --batch 16 --remainder drop")
                        .status())
                .isZero();
    }

    @Test
    void stream_withoutACache_loadsEverySampleInEveryEpoch() {
        Cli run = Cli.stream(images + " --resize 64 --epochs 2");

        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("loads").asInt())
                .containsExactly(IMAGES, IMAGES);
        assertThat(run.epoch(0).fieldNames())
                .toIterable()
                .containsExactly(
                        "event",
                        "epoch",
                        "samples",
                        "batches",
                        "bytes",
                        "seconds",
                        "samples_per_second",
                        "first_batch_seconds",
                        "loads",
                        "hits",
                        "misses",
                        "skipped");
    }

    @Test
    void stream_ofRecords_countsTheirBytes() throws IOException {
        Path file = Files.write(folder.resolve("records.bin"), new byte[1000 * 100]);

        Cli run = Cli.stream("--source records:" + file + ",100 --batch 64 --epochs 2 --digest");

        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("bytes").asInt())
                .containsExactly(100_000, 100_000);
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("loads").asInt())
                .containsExactly(1000, 1000);
        assertThat(run.content(0)).isEqualTo(run.content(1));
        assertThat(run.order(0)).isNotEqualTo(run.order(1));
    }

    @Test
    void digests_ofOneSeed_doNotDependOnHowItRuns() {
        Cli run = Cli.stream(images + AUGMENTED + " --epochs 2");
        Cli other =
                Cli.stream(images + AUGMENTED + " --epochs 2 --in-flight 3 --workers 1 --batch 7 --cache-ram 64MiB");

        for (int epoch = 0; epoch < 2; epoch++) {
            assertThat(other.content(epoch)).isEqualTo(run.content(epoch));
            assertThat(other.order(epoch)).isEqualTo(run.order(epoch));
        }
        assertThat(run.content(0)).isNotEqualTo(run.content(1));
        assertThat(run.order(0)).isNotEqualTo(run.order(1));
    }

    @Test
    void digests_ofAnotherSeed_differ() {
        Cli run = Cli.stream(images + AUGMENTED);
        Cli other = Cli.stream(images + AUGMENTED + " --seed 43");

        assertThat(other.content(0)).isNotEqualTo(run.content(0));
        assertThat(other.order(0)).isNotEqualTo(run.order(0));
    }

    @Test
    void order_withoutShuffle_isTheSameInEveryEpoch() {
        Cli run = Cli.stream(images + AUGMENTED + " --no-shuffle --epochs 2");

        assertThat(run.order(0)).isEqualTo(run.order(1));
        assertThat(run.content(0)).isNotEqualTo(run.content(1));
    }

    @Test
    void content_overRanksThatKeepAll_addsUp() {
        Cli whole = Cli.stream(images + AUGMENTED + " --epochs 2");
        List<Cli> ranks = List.of(rank(0, 3, ""), rank(1, 3, ""), rank(2, 3, ""));

        for (int epoch = 0; epoch < 2; epoch++) {
            int each = epoch;
            assertThat(ranks.stream().mapToLong(rank -> rank.content(each)).sum())
                    .isEqualTo(whole.content(epoch));
        }
        assertThat(ranks.stream().mapToInt(rank -> rank.epoch(0).path("samples").asInt()))
                .containsExactly(14, 14, 13);
    }

    @Test
    void run_thatIsStoppedAndResumed_deliversTheRest() {
        Cli whole = Cli.stream(images + AUGMENTED + " --epochs 2");
        Cli first = Cli.stream(images + AUGMENTED + " --epochs 2 --batch 5 --stop-after 11");
        Cli rest = Cli.run(resumed(first, "--epochs 2 --batch 3 --workers 1"));

        assertThat(first.epochs())
                .extracting(epoch -> epoch.path("samples").asInt())
                .containsExactly(41, 10);
        assertThat(rest.epochs())
                .extracting(epoch -> epoch.path("epoch").asInt())
                .containsExactly(1);
        assertThat(first.content(0)).isEqualTo(whole.content(0));
        assertThat(first.content(1) + rest.content(0)).isEqualTo(whole.content(1));
        assertThat(rest.resume()).isEqualTo(whole.resume());
    }

    @Test
    void run_thatIsResumedAtAnotherWorldSize_deliversTheRest() {
        Cli whole = Cli.stream(images + AUGMENTED);
        Cli first = Cli.stream(images + AUGMENTED + " --batch 5 --stop-after 3");
        Cli rankZero = Cli.run(resumed(first, "--rank 0 --world 2"));
        Cli rankOne = Cli.run(resumed(first, "--rank 1 --world 2"));

        assertThat(first.content(0) + rankZero.content(0) + rankOne.content(0)).isEqualTo(whole.content(0));
        assertThat(rankZero.epoch(0).path("samples").asInt()).isEqualTo(13);
        assertThat(rankOne.epoch(0).path("samples").asInt()).isEqualTo(13);
    }

    @Test
    void run_thatIsResumedAtItsEnd_hasNothingLeftToDo() {
        Cli whole = Cli.stream(images + AUGMENTED);
        Cli again = Cli.run(resumed(whole, ""));

        assertThat(again.status()).isZero();
        assertThat(again.epochs()).isEmpty();
        assertThat(again.done().path("verdict").asText()).startsWith("nothing was left to do");
        assertThat(again.resume()).isEqualTo(whole.resume());
    }

    @Test
    void resume_withAnotherPlan_isRefusedWithWhatDiffers() {
        Cli first = Cli.stream(images + AUGMENTED + " --stop-after 1 --batch 5");

        assertRefused(Cli.run(resumed(first, "--seed 7")), "another seed: 42 there, 7 here");
        assertRefused(Cli.run(resumed(first, "--no-shuffle")), "another order");
        assertRefused(
                Cli.run(
                        "stream",
                        "--source",
                        "images:" + folder.resolve("train"),
                        "--resize",
                        "64",
                        "--resume",
                        first.resume()),
                "other stages");
    }

    @Test
    void brokenFile_unlessToldOtherwise_endsTheRunWithOneLine() throws IOException {
        Path broken = brokenFolder("fail");

        Cli run = Cli.stream("--source images:" + broken + " --resize 32");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("decode")
                .contains("class-0/broken.jpg")
                .endsWith("; --on-error skip leaves such samples out");
    }

    @Test
    void brokenFile_withSkip_isLeftOutAndListed() throws IOException {
        Path broken = brokenFolder("skip");
        Path quarantine = folder.resolve("bad.jsonl");

        Cli run = Cli.stream("--source images:" + broken
                + " --resize 32 --epochs 2 --on-error skip --error-budget 1 --retries 1 --quarantine " + quarantine);

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("samples").asInt())
                .containsExactly(11, 11);
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("skipped").asInt())
                .containsExactly(1, 1);
        assertThat(Files.readAllLines(quarantine)).singleElement().asString().contains("class-0/broken.jpg");
    }

    @Test
    void brokenFile_withSubstitute_keepsBatchesFull() throws IOException {
        Path broken = brokenFolder("substitute");

        Cli run = Cli.stream("--source images:" + broken + " --resize 32 --on-error substitute");

        assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(12);
    }

    @Test
    void brokenFile_beyondTheBudget_endsTheRun() throws IOException {
        Path broken = brokenFolder("budget");

        Cli run = Cli.stream("--source images:" + broken + " --resize 32 --on-error skip --error-budget 0");

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err())
                .contains("error budget of 0 samples is used up")
                .doesNotContain("leaves such samples out");
    }

    @Test
    void stream_forPeople_printsClassesATableAndAVerdict() {
        Cli run = Cli.run("stream", "--source", "images:" + folder.resolve("train"), "--resize", "64", "--epochs", "2");

        assertThat(run.status()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out().lines()).hasSize(5);
        assertThat(run.out()).startsWith("10 classes: class-0 ");
        assertThat(run.out().lines().reduce((a, b) -> b).orElseThrow()).startsWith("verdict: ");
    }

    private static Cli rank(int rank, int world, String flags) {
        return Cli.stream(images
                + AUGMENTED
                + " --epochs 2 --remainder keep --rank %d --world %d%s".formatted(rank, world, flags));
    }

    private static String[] resumed(Cli first, String flags) {
        String command = "stream --json " + images + AUGMENTED + " --resume " + first.resume() + " " + flags;
        return command.strip().split(" +");
    }

    private static void assertRefused(Cli run, String why) {
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains(why);
    }

    private static Path brokenFolder(String name) throws IOException {
        Path broken = folder.resolve(name);
        PictureFolder.write(broken, 11).blockLast();
        Files.writeString(broken.resolve("class-0").resolve("broken.jpg"), "<!doctype html>");
        return broken;
    }

    @Test
    void events_ofARun_endWithDone() {
        Cli run = Cli.stream(images + " --resize 64");

        assertThat(run.events()).extracting(JsonNode::fieldNames).isNotEmpty();
        assertThat(run.events())
                .extracting(event -> event.path("event").asText())
                .containsExactly("epoch", "done");
    }
}
