package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The lengths of texts, which are kept in the folder of a cache on disk. */
class KeptLengthsTest {

    private static final int LINES = 200;
    private static final String BATCHES = " --batch-tokens 128";

    @TempDir
    Path folder;

    private Path cache = Path.of("");
    private String flags = "";

    @BeforeEach
    void makeTexts() throws IOException {
        Path lines = Files.write(
                folder.resolve("lines.txt"),
                IntStream.range(0, LINES)
                        .mapToObj(i -> "text " + "*".repeat(i % 40))
                        .toList());
        cache = folder.resolve("cache");
        flags = "--source text:" + lines + " --tokenize bytes --digest --cache-disk " + cache + ",1MiB";
    }

    private List<Path> indexes() throws IOException {
        try (Stream<Path> files = Files.list(cache.resolve("lengths"))) {
            return files.filter(file -> file.toString().endsWith(".index")).toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {BATCHES, " --pack 64"})
    void secondRun_loadsNothingAndLooksUpEachTextOnce(String batches) {
        Cli first = Cli.stream(flags + batches);
        Cli second = Cli.stream(flags + batches);

        assertThat(second.content(0)).isEqualTo(first.content(0));
        assertThat(second.epoch(0).path("loads").asInt()).isZero();
        assertThat(second.epoch(0).path("hits").path("disk").asInt()).isEqualTo(LINES);
    }

    @Test
    void damagedIndex_isFoundAndMadeAgain() throws IOException {
        Cli first = Cli.stream(flags + BATCHES);
        Path index = indexes().get(0);
        byte[] bytes = Files.readAllBytes(index);
        bytes[bytes.length / 2] ^= 1;
        Files.write(index, bytes);

        Cli damaged = Cli.run("cache", "verify", cache.toString());
        Cli second = Cli.stream(flags + BATCHES);

        assertThat(damaged.status()).isEqualTo(1);
        assertThat(damaged.out()).contains("damaged: lengths/" + index.getFileName());
        assertThat(second.content(0)).isEqualTo(first.content(0));
        assertThat(Cli.run("cache", "verify", cache.toString()).status()).isZero();
    }

    @Test
    void inspectAndClear_knowTheIndex() throws IOException {
        Cli.stream(flags + BATCHES);
        Path mine = Files.writeString(cache.resolve("lengths").resolve("more.txt"), "mine");
        Path index = indexes().get(0);

        Cli inspected = Cli.run("cache", "inspect", cache.toString());
        Cli cleared = Cli.run("cache", "clear", cache.toString());

        assertThat(inspected.out()).contains("beside the values: lengths/" + index.getFileName() + ", ");
        assertThat(cleared.out()).contains("left alone: lengths/more.txt");
        assertThat(cache.resolve("lengths")).isDirectoryContaining(mine::equals);
        assertThat(indexes()).isEmpty();

        Files.delete(mine);
        Cli.stream(flags + BATCHES);
        assertThat(Cli.run("cache", "clear", cache.toString()).out()).doesNotContain("left alone");
        assertThat(cache.resolve("lengths")).doesNotExist();
    }

    @Test
    void progress_isShownOnATerminal() {
        StringWriter terminal = new StringWriter();
        StreamFlags options = StreamFlags.parse((flags + BATCHES).split(" "));

        options.open(new PrintWriter(terminal)).close();

        assertThat(terminal.toString()).contains("measuring samples [####################] 100 %");
    }
}
