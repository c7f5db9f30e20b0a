package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts as tokens, packed into rows, by flags. */
class PackedTextsTest {

    private static final int LINES = 400;

    @TempDir
    Path folder;

    private String text = "";
    private String json = "";
    private int characters;

    @BeforeEach
    void makeTexts() throws IOException {
        List<String> lines = new ArrayList<>();
        List<String> objects = new ArrayList<>();
        for (int i = 0; i < LINES; i++) {
            String line = "the quick brown fox jumps over the lazy dog ".substring(i % 43) + i;
            characters += line.length();
            lines.add(line);
            objects.add("{\"id\": %d, \"question\": \"%s\"}".formatted(i, line));
        }
        text = "--source text:" + Files.write(folder.resolve("lines.txt"), lines);
        json = "--source jsonl:" + Files.write(folder.resolve("lines.jsonl"), objects);
    }

    private static JsonNode epoch(Cli run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        return run.epoch(0);
    }

    @Test
    void pack_bytes_hasEveryByteOnceAndLittlePadding() {
        JsonNode epoch = epoch(Cli.stream(text + " --tokenize bytes --pack 512 --batch 4"));

        assertThat(epoch.path("tokens").asInt()).isEqualTo(characters);
        assertThat(epoch.path("cells").asInt()).isEqualTo(epoch.path("rows").asInt() * 512);
        assertThat(epoch.path("samples")).isEqualTo(epoch.path("rows"));
        assertThat(epoch.path("tokens").asDouble() / epoch.path("cells").asDouble())
                .isGreaterThan(0.95);
    }

    @Test
    void pack_fieldOfJsonLines_hasTheSameTokens() {
        String flags = " --tokenize cl100k_base --pack 128 --digest --no-shuffle";

        Cli ofText = Cli.stream(text + flags);
        Cli ofJson = Cli.stream(json + flags + " --text-field question");

        assertThat(ofJson.content(0)).isEqualTo(ofText.content(0));
        assertThat(epoch(ofText).path("tokens").asInt()).isLessThan(characters / 2);
    }

    @Test
    void pack_resumedAtAnotherWorldSize_hasTheSameRows() {
        String flags = text + " --tokenize bytes --pack 256 --batch 2 --epochs 2 --digest --cache-disk "
                + folder.resolve("cache");
        Cli whole = Cli.stream(flags);

        Cli left = Cli.stream(flags + " --rank 0 --world 2 --remainder keep");
        Cli right = Cli.stream(flags + " --rank 1 --world 2 --remainder keep");
        Cli begun = Cli.stream(flags + " --stop-after 3");
        Cli rest = Cli.stream(flags + " --resume " + begun.resume());

        assertThat(left.content(0) + right.content(0)).isEqualTo(whole.content(0));
        assertThat(begun.content(0) + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(epoch(rest).path("loads").asInt()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--tokenize bytes --pack 8 | has",
                "--tokenize bytes --pack 64 --lazy-shard rank --cache-ram 1MiB | --pack and --lazy-shard exclude each other",
                "--pack 8 | --pack needs --tokenize",
                "--tokenize bytes --too-long cut | --too-long needs --pack",
                "--tokenize bytes --pack 0 | --pack",
                "--tokenize bytes --pack 64 --pack 32 | should be specified only once",
                "--tokenize nothing | there is no encoding \"nothing\"",
                "--tokenize missing.json | there is no tokenizer missing.json"
            })
    void flags_thatDoNotFit_areRefused(String flags, String message) {
        Cli run = Cli.stream(text + " " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--pack 512", "--batch-tokens 512", "--bucket 10,20 --batch 8"})
    void brokenText_whoseLengthIsWanted_isSubjectToTheErrorPolicy(String batches) throws IOException {
        List<String> lines = new ArrayList<>(Files.readAllLines(Path.of(json.substring("--source jsonl:".length()))));
        lines.add(17, "{");
        Path quarantine = folder.resolve("quarantine");
        String flags = json + " --source jsonl:" + Files.write(folder.resolve("broken.jsonl"), lines)
                + " --tokenize bytes --text-field question " + batches + " --on-error ";

        Cli failed = Cli.stream(flags + "fail");
        Cli strict = Cli.stream(flags + "skip --error-budget 0");
        Cli skipped = Cli.stream(flags + "skip --quarantine " + quarantine);

        assertThat(failed.status()).isEqualTo(1);
        assertThat(failed.err()).contains("the line is no JSON");
        assertThat(strict.status()).isEqualTo(1);
        assertThat(epoch(skipped).path("tokens").asInt()).isEqualTo(2 * characters);
        assertThat(epoch(skipped).path("loads").asInt()).isEqualTo(2 * LINES);
        assertThat(Files.readAllLines(quarantine)).singleElement().asString().contains("broken.jsonl:line 18");
    }

    @Test
    void tokenize_whatHasNoText_isRefused() throws IOException {
        Path records = Files.write(folder.resolve("records"), new byte[100]);
        Path broken = Files.write(folder.resolve("broken"), "caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));

        assertThat(Cli.stream("--source records:" + records + ",10 --tokenize bytes")
                        .err())
                .contains("--tokenize is for text:, jsonl:, kafka: and tables, not for records:" + records + ",10");
        assertThat(Cli.stream(json + " --tokenize bytes --pad").err())
                .contains("the line has no text \"text\", only [id, question]; name another by --text-field");
        assertThat(Cli.stream("--source text:" + broken + " --tokenize cl100k_base --pad")
                        .err())
                .contains("byte 3 of the line is no UTF-8; --tokenize bytes takes any");
        assertThat(Cli.stream("--source text:" + broken + " --tokenize bytes --pad")
                        .status())
                .isZero();
    }

    @Test
    void pack_tooLong_isCutOrSplit() {
        JsonNode cut = epoch(Cli.stream(text + " --tokenize bytes --pack 16 --too-long cut"));
        JsonNode split = epoch(Cli.stream(text + " --tokenize bytes --pack 16 --too-long split"));

        assertThat(split.path("tokens").asInt()).isEqualTo(characters);
        assertThat(cut.path("tokens").asInt()).isLessThan(characters);
    }
}
