package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Duplicates of texts on the command line: 100 lines, of which 20 are equal to others and 20 alike. */
class DuplicateFlagsTest {

    @TempDir
    Path folder;

    @BeforeEach
    void write() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            lines.add(text(i));
        }
        for (int i = 0; i < 20; i++) {
            lines.add(text(i));
            lines.add(text(20 + i) + "!");
        }
        Files.write(folder.resolve("train.txt"), lines);
        Files.writeString(folder.resolve("two.csv"), "a,b\n1,2\n");
        Files.write(
                folder.resolve("test.txt"),
                IntStream.range(40, 50).mapToObj(DuplicateFlagsTest::text).toList());
    }

    private static String text(int number) {
        StringBuilder text = new StringBuilder();
        for (int word = 0; word < 30; word++) {
            text.append(Long.toString(0x9E37_79B9L * (100 * number + word + 1) % 1_000_003, 36))
                    .append(' ');
        }
        return text.toString().strip();
    }

    private long samples(String flags) {
        Cli run = Cli.stream("--source text:%s/train.txt --pad --epochs 1 %s".formatted(folder, flags));
        assertThat(run.status()).as(run.err()).isZero();
        return run.epoch(0).path("samples").asLong();
    }

    @Test
    void withoutDuplicates_exactAndNear_leaveOneOfEach() {
        assertThat(samples("")).isEqualTo(100);
        assertThat(samples("--without-duplicates exact")).isEqualTo(80);
        assertThat(samples("--without-duplicates near=0.9")).isEqualTo(60);
        assertThat(samples("--without-duplicates near=0.9 --tokenize bytes")).isBetween(59L, 61L);
    }

    @Test
    void without_anotherSource_leavesOutWhatItHas() {
        String test = "--without text:%s/test.txt".formatted(folder);

        assertThat(samples(test)).isEqualTo(90);
        assertThat(samples(test + " --without-duplicates near=0.9")).isEqualTo(50);
    }

    @Test
    void withoutDuplicates_severalSources_countsThePartsThatStay() {
        Cli run = Cli.stream("--source text:%1$s/train.txt --source text:%1$s/test.txt --pad --epochs 1 --no-shuffle "
                        .formatted(folder)
                + "--without-duplicates near=0.9 --cache-disk " + folder.resolve("cache"));

        assertThat(run.status()).as(run.err()).isZero();
        assertThat(run.epoch(0).path("samples").asLong()).isEqualTo(60);
        long sum = 0;
        for (JsonNode source : run.epoch(0).path("sources")) {
            sum += source.path("samples").asLong();
        }
        assertThat(sum).isEqualTo(60);
    }

    @Test
    void flags_thatCannotBe_areWrongUsage() {
        for (String flags : List.of(
                "--without-duplicates near=2",
                "--without-duplicates near=0.3",
                "--without-duplicates near=0.0",
                "--without-duplicates same",
                "--without csv:" + folder + "/two.csv",
                "--without-duplicates exact --join csv:" + folder + "/test.txt")) {
            Cli run = Cli.stream("--source text:%s/train.txt --pad %s".formatted(folder, flags));

            assertThat(run.status()).as(flags + ": " + run.err()).isEqualTo(2);
        }
    }
}
