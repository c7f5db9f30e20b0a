package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.cli.source.Cacheable;
import io.penstock.order.Position;
import io.penstock.order.ShardMode;
import io.penstock.pictures.PictureFolder;
import io.penstock.resume.ResumeToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ranks on the command line: shard modes and their hits, tokens for each batch, topology. */
class RanksTest {

    private static final int SAMPLES = 4_000;
    private static final int BYTES = 1_000;
    /** What a sample takes in a cache, see {@link Cacheable}. */
    private static final int CACHED = BYTES + 40;

    @TempDir
    private static Path folder;

    private static String records;

    @BeforeAll
    static void makeRecords() throws IOException {
        byte[] bytes = new byte[SAMPLES * BYTES];
        for (int i = 0; i < SAMPLES; i++) {
            bytes[i * BYTES] = (byte) i;
            bytes[i * BYTES + 1] = (byte) (i >> 8);
        }
        records = "--source records:" + Files.write(folder.resolve("records.bin"), bytes) + "," + BYTES;
    }

    /** The share of a later epoch that a rank's own cache of half a rank's share hits. */
    private static double hits(JsonNode epoch) {
        double hits = epoch.path("hits").path("ram").asDouble();
        return hits / epoch.path("samples").asDouble();
    }

    private static Cli halfCached(String shard, int rank, int world) {
        int share = SAMPLES / world;
        return Cli.stream(records
                + " --epochs 4 --batch 50 --in-flight 1 --cache-ram %dB --rank %d --world %d --shard %s"
                        .formatted(share / 2 * CACHED, rank, world, shard));
    }

    @Test
    void privateCaches_underStable_hitTheirShare() {
        for (int rank = 0; rank < 4; rank++) {
            Cli run = halfCached("stable", rank, 4);

            assertThat(run.status()).isZero();
            JsonNode shard = run.done().path("shard");
            double held = shard.path("held").asDouble() / (SAMPLES / 4.0);
            assertThat(held).isCloseTo(0.5, Offset.offset(0.03));
            // a draw that shares a load of the epoch before is a hit, too; the last samples may be kept late
            assertThat(hits(run.epoch(2))).isCloseTo(held, Offset.offset(0.02));
            assertThat(hits(run.epoch(3))).isCloseTo(held, Offset.offset(0.02));
            assertThat(shard.path("mode").asText()).isEqualTo("stable");
            assertThat(shard.path("hit_ratio").asDouble()).isCloseTo(held, Offset.offset(0.0001));
            assertThat(shard.path("hit_ratio_global").asDouble()).isCloseTo(held / 4, Offset.offset(0.0001));
            assertThat(run.done().path("verdict").asText())
                    .contains("--shard stable hits %d %% with a cache of one rank's own"
                            .formatted(Math.round(held * 100)));
        }
    }

    @Test
    void privateCaches_underGlobal_hitTheirShareOverTheRanks() {
        for (int rank = 0; rank < 4; rank++) {
            Cli run = halfCached("global", rank, 4);

            double held = run.done().path("shard").path("held").asDouble() / (SAMPLES / 4.0);
            // 12.5 % of 1000 draws: five standard deviations are 5 points
            assertThat(hits(run.epoch(2))).isCloseTo(held / 4, Offset.offset(0.05));
            assertThat(hits(run.epoch(3))).isCloseTo(held / 4, Offset.offset(0.05));
            assertThat(run.done().path("shard").path("hit_ratio").asDouble())
                    .isCloseTo(held / 4, Offset.offset(0.0001));
            assertThat(run.done().path("verdict").asText()).contains("--shard stable would hit");
        }
    }

    @Test
    void privateCaches_underReshard_fillAnewWhenPartsChange() {
        Cli run = halfCached("reshard=2", 0, 4);

        assertThat(hits(run.epoch(1))).isGreaterThan(0.45);
        assertThat(hits(run.epoch(2))).isLessThan(0.2);
    }

    @Test
    void table_ofARank_saysWhatItsCacheHitsAndWhenTheFirstBatchCame() {
        String flags = "stream " + records + " --epochs 2 --batch 50 --rank 1 --world 4 --cache-ram "
                + SAMPLES / 8 * CACHED + "B --shard ";

        Cli stable = Cli.run((flags + "stable").split(" "));
        Cli global = Cli.run((flags + "global").split(" "));

        assertThat(stable.out())
                .contains("first batch")
                .containsPattern(
                        "verdict: .*--shard stable hits (4[7-9]|5[0-3]) % with a cache of one rank's own, where global"
                                + " would hit 1[23] %");
        assertThat(global.out())
                .containsPattern(
                        "verdict: .* 1[23] % of those of all 4 ranks.*--shard stable would hit (4[7-9]|5[0-3]) %");
    }

    @Test
    void partitions_thatDoNotDivide_areSaidToKeepNothing() {
        Cli run = halfCached("stable:4", 0, 3);

        assertThat(run.done().path("verdict").asText())
                .contains("--shard stable:4 keeps no parts over 3 ranks")
                .contains("use partitions that divide evenly");
    }

    @Test
    void oneRank_orNoCache_saysNothingOfShards() {
        assertThat(Cli.stream(records + " --shard stable --cache-ram 1MiB")
                        .done()
                        .has("shard"))
                .isFalse();
        assertThat(Cli.stream(records + " --rank 0 --world 2 --shard stable")
                        .done()
                        .has("shard"))
                .isFalse();
    }

    @Test
    void ranks_ofEveryMode_deliverAllTogether() {
        Cli whole = Cli.stream(records + " --epochs 2 --digest");
        for (String mode : List.of("global", "stable", "stable:6", "reshard=1", "reshard=1:2")) {
            long[] content = new long[2];
            for (int rank = 0; rank < 3; rank++) {
                Cli run = Cli.stream(
                        records + " --epochs 2 --digest --rank %d --world 3 --shard %s".formatted(rank, mode));
                content[0] += run.content(0);
                content[1] += run.content(1);
            }
            assertThat(content).containsExactly(whole.content(0), whole.content(1));
        }
    }

    @Test
    void batchEvents_ofARun_carryTokensThatGoOnThere() {
        Cli whole = Cli.stream(records + " --digest --batch 250");
        Cli run = Cli.stream(records + " --digest --batch 250 --batch-events");

        List<JsonNode> batches = run.events().stream()
                .filter(event -> event.path("event").asText().equals("batch"))
                .toList();
        assertThat(batches).hasSize(16);
        long before = 0;
        for (int i = 0; i < 7; i++) {
            before +=
                    Long.parseUnsignedLong(batches.get(i).path("content_digest").asText(), 16);
        }
        String token = batches.get(6).path("resume").asText();
        Cli rest = Cli.run(("stream --json --digest " + records + " --resume " + token).split(" "));
        assertThat(before + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(ResumeToken.parse(token).position()).isEqualTo(new Position(0, 1_750));
        assertThat(batches)
                .extracting(batch -> batch.path("step").asInt())
                .isEqualTo(IntStream.range(0, 16).boxed().toList());
    }

    @Test
    void lazyShards_ofRanks_areLoadedOnceAndThenHit() throws IOException {
        Path agree = folder.resolve("agreed");
        Files.createDirectories(agree);
        Files.writeString(agree.resolve("lazy-shard.agreed"), "900");
        String flags =
                records + " --epochs 3 --batch 50 --in-flight 4 --digest --world 2 --cache-ram 1MiB --lazy-shard ";

        for (int rank = 0; rank < 2; rank++) {
            Cli run = Cli.stream(flags + "rank --rank " + rank);
            int samples = run.epoch(0).path("samples").asInt();
            assertThat(samples).isBetween(850, 1_000);
            assertThat(run.epochs())
                    .extracting(epoch -> epoch.path("samples").asInt())
                    .containsOnly(samples);
            assertThat(run.epoch(2).path("loads").asInt()).isZero();
            assertThat(run.content(1)).isEqualTo(run.content(2));
        }
        Cli agreed = Cli.stream(flags + "rank,overflow=0.5,min=100,agree=" + agree + " --rank 1");
        assertThat(agreed.epoch(0).path("samples").asInt()).isEqualTo(450);
        Cli node = Cli.stream(flags + "node --rank 1 --local-world 1");
        assertThat(node.epoch(0).path("samples").asInt()).isBetween(850, 1_000);
        Cli without = Cli.stream(flags + "node --rank 1 --local-world 2");
        assertThat(without.err())
                .contains("a lazy shard of 0 bytes of disk (memory does not count: the 2 ranks of a node");
    }

    @Test
    void lazyShards_ofARunThatStopped_goOnAtAnotherWorldSize() throws IOException {
        Path agree = Files.createDirectories(folder.resolve("elastic"));
        Files.writeString(agree.resolve("lazy-shard.agreed"), "900");
        String flags = records + " --epochs 2 --digest --cache-ram 1MiB --lazy-shard rank,agree=" + agree;
        long whole = 0;
        long parts = 0;
        String token = "";
        for (int rank = 0; rank < 2; rank++) {
            whole += Cli.stream(flags + " --world 2 --rank " + rank).content(0);
            Cli first = Cli.stream(flags + " --batch 10 --stop-after 7 --world 2 --rank " + rank);
            parts += first.content(0);
            token = first.resume();
        }
        for (int rank = 0; rank < 3; rank++) {
            Cli rest =
                    Cli.run(("stream --json " + flags + " --world 3 --rank " + rank + " --resume " + token).split(" "));
            parts += rest.content(0);
        }

        assertThat(parts).isEqualTo(whole);
    }

    @Test
    void lazyShards_ofWhatIsFree_haveToAgree() {
        String flags = records + " --rank 0 --world 2 --lazy-shard ";
        Path disk = folder.resolve("disk");

        for (String cache : List.of(" --cache-ram 1%", " --cache-disk " + disk, " --cache-disk " + disk + ",1%")) {
            Cli run = Cli.stream(flags + "rank" + cache);
            assertThat(run.status()).isEqualTo(2);
            assertThat(run.err())
                    .contains("what is free differs from machine to machine")
                    .contains("agree=DIR");
        }
        assertThat(Cli.stream(records + " --lazy-shard rank --cache-ram 1%").status())
                .isZero();
    }

    @Test
    void lazyShards_ofRanksWithDifferentCaches_agreeAndCoverAllTheySaid() throws Exception {
        Path agree = folder.resolve("unlike");
        String flags = records + " --epochs 2 --batch 10 --in-flight 4 --lazy-shard rank,agree=" + agree;
        List<String> caches = List.of("200KiB", "5%");

        List<Cli> runs = caches.parallelStream()
                .map(cache ->
                        Cli.stream(flags + " --world 2 --rank " + caches.indexOf(cache) + " --cache-ram " + cache))
                .toList();

        int each = Integer.parseInt(
                        Files.readString(agree.resolve("lazy-shard.agreed")).strip())
                / 2;
        assertThat(each).isBetween(150, 200);
        assertThat(runs).allSatisfy(run -> {
            assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(each);
            assertThat(run.epoch(1).path("loads").asInt()).isZero();
        });
    }

    @Test
    void lazyShard_ofADiskAndOfBothLevels_holdsWhatAllItsRanksReach() {
        String flags = records + " --epochs 2 --batch 50 --in-flight 4 --rank 0 --world 2 --cache-disk "
                + folder.resolve("levels") + ",4MiB --cache-ram 200KiB --lazy-shard ";
        String shared = " --local-world 2";
        String apart = " --local-world 1";

        Cli disk = Cli.stream(flags + "disk" + apart);
        Cli alone = Cli.stream(flags + "node" + apart);

        assertThat(samples(disk)).isPositive().isLessThan(SAMPLES / 2);
        assertThat(samples(alone)).isBetween(samples(disk) + 150, SAMPLES / 2 - 1);
        assertThat(samples(Cli.stream(flags + "node" + shared)))
                .isEqualTo(samples(Cli.stream(flags + "disk" + shared)));
        assertThat(samples(Cli.stream(flags + "disk,overflow=0.1" + shared)))
                .isCloseTo(samples(Cli.stream(flags + "disk" + shared)) * 11 / 10, Offset.offset(2));
        for (Cli run : List.of(disk, alone)) { // a load that two epochs share may count with the second
            assertThat(run.epoch(0).path("loads").asInt()
                            + run.epoch(1).path("loads").asInt())
                    .isLessThanOrEqualTo(samples(run));
        }
    }

    private static int samples(Cli run) {
        return run.epoch(0).path("samples").asInt();
    }

    @Test
    void lazyShard_ofSamplesOfWhichSomeAreBroken_isSizedByTheOthers() throws IOException {
        Path some = folder.resolve("some");
        PictureFolder.write(some, 12).blockLast();
        List<Path> files;
        try (Stream<Path> all = Files.walk(some)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        Files.writeString(files.get(3), "no image");
        String flags = "--source images:" + some + " --batch 1 --cache-ram 64MiB --lazy-shard rank --on-error skip";

        Cli run = Cli.stream(flags);
        for (Path file : files) {
            Files.writeString(file, "no image");
        }
        Cli none = Cli.stream(flags);

        assertThat(run.epoch(0).path("samples").asInt()).isEqualTo(11);
        assertThat(none.status()).isEqualTo(1);
        assertThat(none.err()).contains("cannot see how large samples are: none of 12 can be read");
    }

    @Test
    void lazyShard_withoutACacheOrNodes_isRefused() {
        assertThat(Cli.stream(records + " --lazy-shard rank").err()).contains("--lazy-shard needs a cache to fit into");
        assertThat(Cli.stream(records + " --lazy-shard ranks").err()).contains("rank, node or disk was expected");
        assertThat(Cli.stream(records + " --cache-ram 1MiB --lazy-shard rank --shard stable")
                        .err())
                .contains("exclude each other");
        assertThat(Cli.stream(records + " --cache-ram 1MiB --lazy-shard node --rank 0 --world 2")
                        .err())
                .contains("need --local-world");
        assertThat(Cli.stream(records + " --cache-ram 1MiB --lazy-shard rank,min=2000")
                        .err())
                .contains("must hold at least 2000");
    }

    @Test
    void prefetchBytes_ofAnySize_changeNothingThatIsDelivered() {
        Cli run = Cli.stream(records + " --epochs 2 --digest");
        Cli bounded = Cli.stream(records + " --epochs 2 --digest --prefetch-bytes 5KiB");
        Cli shared = Cli.stream(records + " --epochs 2 --digest --prefetch-bytes 1%");

        for (Cli other : List.of(bounded, shared)) {
            for (int epoch = 0; epoch < 2; epoch++) {
                assertThat(other.order(epoch)).isEqualTo(run.order(epoch));
                assertThat(other.content(epoch)).isEqualTo(run.content(epoch));
            }
        }
        assertThat(Cli.stream(records + " --prefetch-bytes 0B").status()).isEqualTo(2);
    }

    @Test
    void batchEvents_forPeople_areRefused() {
        Cli run = Cli.run(("stream --batch-events " + records).split(" "));

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains("--batch-events needs --json");
    }

    @Test
    void resumeFile_ofAStoppedRun_isGoneOnFrom() {
        Path file = folder.resolve("run.token");
        String flags = records + " --epochs 2 --digest --shard stable:4 --resume-file " + file;
        Cli whole = Cli.stream(records + " --epochs 2 --digest --shard stable:4");

        Cli first = Cli.stream(flags + " --batch 100 --stop-after 50");
        ResumeToken between = ResumeToken.load(file);
        Cli rest = Cli.stream(flags + " --batch 64");
        Cli again = Cli.stream(flags);

        assertThat(between.position()).isEqualTo(new Position(1, 1_000));
        assertThat(between.mode()).isEqualTo(ShardMode.stable().partitions(4));
        assertThat(first.content(0)).isEqualTo(whole.content(0));
        assertThat(first.content(1) + rest.content(0)).isEqualTo(whole.content(1));
        assertThat(again.epochs()).isEmpty();
        assertThat(ResumeToken.load(file).position()).isEqualTo(new Position(2, 0));
    }

    @Test
    void resume_ofAStableRun_keepsItsModeUnlessToldOtherwise() {
        Cli first = Cli.stream(records + " --batch 10 --stop-after 3 --rank 0 --world 4 --shard stable");
        String command = "stream --json " + records + " --resume " + first.resume() + " --rank 1 --world 2";

        Cli rest = Cli.run((command + " --cache-ram 1MiB").split(" "));
        Cli refused = Cli.run((command + " --shard stable:2").split(" "));

        assertThat(rest.done().path("shard").path("mode").asText()).isEqualTo("stable:4");
        assertThat(rest.epoch(0).path("samples").asInt()).isEqualTo((SAMPLES - 120) / 2);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
                .contains("another shard mode, in the middle of an epoch: stable:4 there, stable:2 here");
    }

    /** Four parts that take turns of 50 draws: three ranks stop in an epoch, two go on, and one ends the run. */
    @Test
    void turnsOfParts_resumedAtOtherWorldSizes_deliverEachSampleOnce() {
        String flags = " --epochs 3 --digest --shard stable:4x50";
        Cli whole = Cli.stream(records + flags);
        long[] content = new long[3];

        String token = ranks(flags + " --batch 25 --stop-after 20", 3, content);
        assertThat(ResumeToken.parse(token).position()).isEqualTo(new Position(0, 1_500));
        token = ranks(flags + " --batch 50 --stop-after 60 --resume " + token, 2, content);
        assertThat(ResumeToken.parse(token).position()).isEqualTo(new Position(1, 3_500));
        ranks(flags + " --resume " + token, 1, content);

        assertThat(content).containsExactly(whole.content(0), whole.content(1), whole.content(2));
    }

    /** Runs all ranks, and adds up what each epoch had; the token that all end with. */
    private static String ranks(String flags, int world, long[] content) {
        Set<String> tokens = new HashSet<>();
        for (int rank = 0; rank < world; rank++) {
            Cli run = Cli.stream(records + flags + " --rank %d --world %d".formatted(rank, world));
            assertThat(run.status()).as(run.err()).isZero();
            run.epochs()
                    .forEach(epoch -> content[epoch.path("epoch").asInt()] +=
                            Long.parseUnsignedLong(epoch.path("content_digest").asText(), 16));
            tokens.add(run.resume());
        }
        assertThat(tokens).hasSize(1);
        return tokens.iterator().next();
    }

    @Test
    void shard_thatIsNone_isRefused() {
        assertThat(Cli.stream(records + " --shard local").err())
                .contains("shard mode must be global, stable or reshard=EPOCHS");
        assertThat(Cli.stream(records + " --local-world 2").err()).contains("--local-world needs --rank and --world");
        assertThat(Cli.stream(records + " --rank 0 --world 3 --local-world 2").err())
                .contains("--local-world must divide --world 3, was 2");
    }
}
