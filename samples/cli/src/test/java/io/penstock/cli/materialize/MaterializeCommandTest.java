package io.penstock.cli.materialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cli.Cli;
import io.penstock.cli.TarBytes;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaterializeCommandTest {

    private static final int IMAGES = 24;

    @TempDir
    private static Path pictures;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makePictures() {
        PictureFolder.write(pictures, IMAGES).blockLast();
    }

    private static Cli materialize(String flags) {
        return Cli.run("materialize --json --source images:%s --resize 32 %s"
                .formatted(pictures, flags)
                .split(" "));
    }

    @Test
    void materialize_toDiskByTwoRanks_leavesNothingToLoad() {
        Cli first = materialize("--to disk:%s --rank 0 --world 2".formatted(folder));
        Cli second = materialize("--to disk:%s --rank 1 --world 2".formatted(folder));
        Cli again = materialize("--to disk:" + folder);
        Cli run = Cli.stream("--source images:%s --resize 32 --cache-disk %s --epochs 2".formatted(pictures, folder));

        assertThat(first.done().path("loaded").asInt()).isEqualTo(IMAGES / 2);
        assertThat(second.done().path("loaded").asInt()).isEqualTo(IMAGES / 2);
        assertThat(again.done().path("already").asInt()).isEqualTo(IMAGES);
        assertThat(again.done().path("loaded").asInt()).isZero();
        assertThat(run.epochs())
                .extracting(epoch -> epoch.path("loads").asInt())
                .containsExactly(0, 0);
    }

    @Test
    void materialize_toADiskWithLittleRoom_failsAndSaysHowManyAreMissing() {
        Cli run = Cli.run("materialize --json --source images:%s --resize 300 --to disk:%s,3MiB"
                .formatted(pictures, folder)
                .split(" "));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.done().path("full").asBoolean()).isTrue();
        assertThat(run.err())
                .contains("%d of %d samples are not in the cache, which has no more room; "
                        .formatted(IMAGES - run.done().path("loaded").asInt(), IMAGES))
                .hasLineCount(1);
    }

    @Test
    void materialize_toAFullFileSystem_fails() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.toString()), "may not mount");
        try {
            Cli run = Cli.run("materialize --json --source images:%s --resize 300 --to disk:%s,64MiB"
                    .formatted(pictures, folder.resolve("cache"))
                    .split(" "));

            assertThat(run.status()).isEqualTo(1);
            assertThat(run.err()).contains("samples are not in the cache, which has no more room");
        } finally {
            assertThat(run("umount", "-l", folder.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).start();
            return process.waitFor(300, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }

    @Test
    void materialize_toTar_isThePipelinesResult() throws IOException {
        Path shards = folder.resolve("shards");
        Cli first = materialize("--to tar:%s --shard-samples 5 --rank 1 --world 2".formatted(shards));
        Cli rest = materialize("--to tar:%s --shard-samples 5".formatted(shards));

        assertThat(first.status()).isZero();
        assertThat(first.done().path("event").asText()).isEqualTo("materialized");
        assertThat(first.done().path("written").asInt()).isEqualTo(2);
        assertThat(rest.done().path("finished").asInt()).isEqualTo(2);
        assertThat(rest.done().path("written").asInt()).isEqualTo(3);
        assertThat(rest.done().path("samples").asInt()).isEqualTo(14);
        try (var files = Files.list(shards)) {
            assertThat(files.map(file -> file.getFileName().toString()).sorted())
                    .containsExactly(
                            "materialized.json",
                            "shard-000000.tar",
                            "shard-000001.tar",
                            "shard-000002.tar",
                            "shard-000003.tar",
                            "shard-000004.tar");
        }
    }

    @Test
    void materialize_toTar_isReadBackAsTheSamePictures() {
        Path shards = folder.resolve("shards");
        materialize("--to tar:%s --shard-samples 5".formatted(shards));
        String rest = " --digest --augment crop=24,flip --epochs 2";

        Cli direct = Cli.stream("--source images:%s --resize 32".formatted(pictures) + rest);
        Cli back = Cli.stream("--source tar:" + shards + rest);
        Cli smaller = Cli.stream("--source tar:%s --resize 16 --batch 8".formatted(shards));
        Cli cached = Cli.run("materialize", "--source", "tar:" + shards, "--to", "disk:" + folder.resolve("cache"));

        assertThat(back.err()).isEmpty();
        for (int epoch = 0; epoch < 2; epoch++) {
            assertThat(back.content(epoch)).isEqualTo(direct.content(epoch));
            assertThat(back.order(epoch)).isEqualTo(direct.order(epoch));
        }
        assertThat(smaller.epoch(0).path("bytes").asInt()).isEqualTo(IMAGES * 16 * 16 * 3);
        assertThat(cached.status()).isZero();
    }

    @Test
    void materialize_arraysAndRecordsToTar_areReadBackAsTheSame() throws IOException {
        byte[] bytes = new byte[7 * 40];
        new Random(1).nextBytes(bytes);
        Path records = Files.write(folder.resolve("records.bin"), bytes);
        String header = "{'descr': '<i2', 'fortran_order': False, 'shape': (7, 20), }";
        byte[] npy = ("\u0093NUMPY\u0001\u0000v\u0000" + header + " ".repeat(117 - header.length()) + "\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        Path array = Files.write(folder.resolve("array.npy"), npy);
        Files.write(array, bytes, StandardOpenOption.APPEND);

        for (String source : List.of("records:" + records + ",40", "npy:" + array)) {
            Path shards = folder.resolve(source.substring(0, 3));
            Cli made = Cli.run("materialize", "--source", source, "--to", "tar:" + shards, "--shard-samples", "3");
            Cli direct = Cli.stream("--source " + source + " --digest");
            Cli back = Cli.stream("--source tar:" + shards + " --digest");

            assertThat(made.err()).isEmpty();
            assertThat(back.err()).isEmpty();
            assertThat(back.epoch(0).path("samples").asInt()).isEqualTo(7);
            assertThat(back.content(0)).isEqualTo(direct.content(0));
        }
    }

    @Test
    void stream_ofShardsOfWhichSomeAreMissing_isRefused() throws IOException {
        Path shards = folder.resolve("shards");
        materialize("--to tar:%s --shard-samples 5 --rank 0 --world 2".formatted(shards));

        Cli part = Cli.stream("--source tar:" + shards);
        Files.writeString(shards.resolve("materialized.json"), "{}");
        Cli unknown = Cli.stream("--source tar:" + shards);

        assertThat(part.status()).isEqualTo(1);
        assertThat(part.err())
                .contains("has 3 of 5 shards; repeat the materialize command")
                .hasLineCount(1);
        assertThat(unknown.err()).contains("is no plan of shards").hasLineCount(1);
    }

    @Test
    void stream_ofPixelsThatAreNoPicture_failsNamingPartAndSample() throws IOException {
        Path tar = folder.resolve("x.tar");
        String header = "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }";
        byte[] npy = ("\u0093NUMPY\u0001\u0000v\u0000" + header + " ".repeat(117 - header.length()) + "\n1234")
                .getBytes(StandardCharsets.ISO_8859_1);
        Files.write(tar, TarBytes.of("a.pixels.npy", npy));

        Cli run = Cli.stream("--source tar:" + tar);

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.err()).contains("part \"pixels.npy\" of sample \"a\" must be u8[h, w, 3], was u8[4]");
    }

    @Test
    void materialize_whenAnImageIsBroken_failsOrLeavesItOut() throws IOException {
        PictureFolder.write(folder.resolve("in"), 10).blockLast();
        Files.createDirectories(folder.resolve("in/a-class"));
        Path broken = Files.writeString(folder.resolve("in/a-class/broken.jpg"), "<html>");
        String flags = "materialize --json --source images:%s --resize 32 --to tar:%s"
                .formatted(folder.resolve("in"), folder.resolve("out"));

        Cli failing = Cli.run(flags.split(" "));
        Cli skipping = Cli.run((flags + " --on-error skip --quarantine " + folder.resolve("bad.jsonl")).split(" "));

        assertThat(failing.status()).isEqualTo(1);
        assertThat(failing.err()).contains("broken.jpg").hasLineCount(1);
        assertThat(skipping.status()).isZero();
        assertThat(skipping.done().path("samples").asInt()).isEqualTo(10);
        assertThat(skipping.done().path("failed").asInt()).isEqualTo(1);
        assertThat(folder.resolve("bad.jsonl"))
                .content()
                .contains(broken.getFileName().toString());
    }

    @Test
    void materialize_withMoreRanksThanParts_saysThatSomeHaveNothingToDo() throws IOException {
        Path records = Files.write(folder.resolve("few.bin"), new byte[30]);
        String job = "materialize --json --source records:%s,10 --world 8 --to ".formatted(records);
        String tar = job + "tar:" + folder.resolve("few") + " --shard-samples 2";

        Cli first = Cli.run((tar + " --rank 0").split(" "));
        Cli busy = Cli.run((tar + " --rank 1").split(" "));
        Cli idle = Cli.run((tar + " --rank 7").split(" "));
        Cli cache = Cli.run((job + "disk:" + folder.resolve("c") + ",16MiB --rank 3").split(" "));

        assertThat(first.err())
                .isEqualTo(
                        "penstock materialize: 6 of 8 ranks have nothing to do: there are 2 shards; start fewer ranks, "
                                + "or make smaller shards with --shard-samples%n".formatted());
        assertThat(first.events().get(0).toString())
                .isEqualTo("{\"event\":\"idle\",\"idle_ranks\":6,\"world\":8,\"shards\":2}");
        assertThat(busy.err()).isEmpty();
        assertThat(idle.err()).isEqualTo(first.err());
        assertThat(idle.status() + idle.done().path("shards").asInt()).isZero();
        assertThat(cache.err()).contains("5 of 8 ranks have nothing to do: there are 3 samples; start fewer ranks");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--to nowhere:x|there is no such target: \"nowhere:x\"; disk:DIR[,SIZE], redis:URI, tar:DIR and kafka:",
                "--to disk|disk:DIR[,SIZE], redis:URI, tar:DIR or kafka:HOST:PORT/TOPIC was expected, was \"disk\"",
                "--to tar:http://127.0.0.1/x|cannot write to http://127.0.0.1/x: HTTP takes no files; name a folder or s3://",
                "--to tar:s3://a|an address in S3 is s3://BUCKET/KEY; this is no name of a bucket",
                "--to redis:redis://u:p@h|a password on the command line shows in the list of processes",
                "--to redis:spawn-all:1GiB|a spawned redis server ends with the job that fills it",
                "--to redis:spawn:1GiB|a spawned redis server ends with the job that fills it",
                "--to disk:x --shard-samples 5|--shard-samples is for --to tar:DIR",
                "--to tar:x --on-error substitute|--on-error of a job is fail or skip: a shard has no sample twice",
                "--to tar:x --quarantine y|--quarantine needs --on-error skip",
                "--to tar:x --rank 1|--rank and --world go together: --world is missing",
                "--shard-samples 3|Missing required option: '--to=TARGET'"
            })
    void materialize_wrongUsage_isToldInALine(String flags, String message) {
        Cli run = materialize(flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message).hasLineCount(1);
    }
}
