package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code stream --cache-slots}: memory that processes share. */
class SlotCacheTest {

    private static final int RECORDS = 50;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    private String source = "";
    private String flags = "";

    @BeforeEach
    void makeRecords() throws IOException {
        byte[] bytes = new byte[RECORDS * 100];
        new Random(1).nextBytes(bytes);
        source = "--source records:" + Files.write(folder.resolve("r.bin"), bytes) + ",100 --batch 5 --digest";
        flags = source + " --cache-slots " + folder.resolve("slots") + ",1MiB";
    }

    private static int hits(JsonNode epoch, String tier) {
        return epoch.path("hits").path(tier).asInt(-1);
    }

    @Test
    void secondRun_onOneFile_loadsNothing() {
        Cli plain = Cli.stream(source);
        Cli first = Cli.stream(flags + " --epochs 2");
        Cli second = Cli.stream(flags);

        assertThat(first.err() + second.err()).isEmpty();
        assertThat(first.epoch(0).path("loads").asInt()
                        + first.epoch(1).path("loads").asInt())
                .isEqualTo(RECORDS);
        assertThat(second.epoch(0).path("loads").asInt()).isZero();
        assertThat(hits(second.epoch(0), "slots")).isEqualTo(RECORDS);
        assertThat(second.content(0)).isEqualTo(plain.content(0));
    }

    @Test
    void processes_sideBySide_shareOneFile() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(CliProcess.java(("stream --json --epochs 4 --in-flight 2 " + flags).split(" ")));
        }
        long content = Cli.stream(source).content(0);
        for (Process process : processes) {
            List<JsonNode> epochs = new ArrayList<>();
            try (BufferedReader out = process.inputReader()) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    epochs.add(JSON.readTree(line));
                }
            }
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(hits(epochs.get(3), "slots")).isEqualTo(RECORDS);
            assertThat(Long.parseUnsignedLong(
                            epochs.get(3).path("content_digest").asText(), 16))
                    .isEqualTo(content);
        }
        assertThat(hits(Cli.stream(flags).epoch(0), "slots")).isEqualTo(RECORDS);
    }

    @Test
    void slots_withRamAndDisk_standBetweenThem() {
        String all = flags + " --cache-ram 1MiB --cache-disk " + folder.resolve("disk") + ",16MiB";

        Cli first = Cli.stream(all + " --epochs 30 --in-flight 2"); // a put may last for several of these epochs
        Cli second = Cli.stream(all);

        assertThat(first.events())
                .anySatisfy(epoch -> assertThat(hits(epoch, "ram")).isEqualTo(RECORDS));
        assertThat(hits(second.epoch(0), "slots")).isEqualTo(RECORDS);
        assertThat(hits(second.epoch(0), "disk")).isZero();
    }

    @Test
    void samplesWithoutAKnownSize_areMeasured() throws IOException {
        Path even = Files.writeString(folder.resolve("even.txt"), "ab\ncd\nef\n");
        Path odd = Files.writeString(folder.resolve("odd.txt"), "ab\nc\n");
        String slots = " --cache-slots " + folder.resolve("texts") + ",1MiB";

        Cli.stream("--source text:" + even + slots);
        Cli run = Cli.stream("--source text:" + even + slots);
        Cli refused = Cli.stream("--pad --source text:" + odd + slots.replace("texts", "odd"));

        assertThat(hits(run.epoch(0), "slots")).isEqualTo(3);
        assertThat(refused.status()).isEqualTo(2);
        assertThat(refused.err())
                .contains("--cache-slots is for samples of one size, and these have")
                .hasLineCount(1);
    }

    @Test
    void file_ofOtherSlots_isRefused() throws IOException {
        Cli.stream(flags);
        Path other = Files.writeString(folder.resolve("text"), "no slots, and long enough to have a header ".repeat(9));

        Cli layout = Cli.stream(flags.replace("r.bin,100", "r.bin,50"));
        Cli noSlots = Cli.stream(flags.replace("/slots,", "/text,"));

        assertThat(layout.status()).isEqualTo(2);
        assertThat(layout.err())
                .contains("cannot open slots at " + folder.resolve("slots") + ": they are for 50 x ")
                .hasLineCount(1);
        assertThat(noSlots.status()).isEqualTo(1);
        assertThat(noSlots.err()).contains(other + " is not a file of slots").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--cache-slots F|a file and a size such as /dev/shm/train,8GiB or /dev/shm/train,50% were expected, was \"F\"",
                "--cache-slots ,1GiB|a file and a size such as /dev/shm/train,8GiB",
                "--cache-slots F,0B|a size must be more than 0, was \"0B\"",
                "--cache-slots F,101%|a share must be at most 100%",
                "--cache-slots F,16B|slots of 16 bytes at F cannot hold one sample",
                "--cache-slots F,1MiB --lazy-shard rank --cache-ram 1MiB|--cache-slots and --lazy-shard exclude each other",
                "--cache-slots F,1MiB --cache-policy hold|--cache-policy needs --cache-ram or --cache-disk"
            })
    void slots_wrongUsage_isToldInALine(String wrong, String message) {
        Cli run = Cli.stream(source + " " + wrong);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message).hasLineCount(1);
        assertThat(Path.of("F")).doesNotExist();
    }
}
