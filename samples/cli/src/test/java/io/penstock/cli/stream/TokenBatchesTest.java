package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Batches of texts of similar lengths, by flags. */
class TokenBatchesTest {

    private static final int LINES = 300;
    private static final String BYTES = " --tokenize bytes --batch-tokens 256 --digest";

    @TempDir
    Path folder;

    private String text = "";
    private int characters;

    @BeforeEach
    void makeTexts() throws IOException {
        List<String> lines = IntStream.range(0, LINES)
                .mapToObj(i -> "the quick brown fox jumps over the lazy dog ".substring(i % 43) + i)
                .toList();
        characters = lines.stream().mapToInt(String::length).sum();
        text = "--source text:" + Files.write(folder.resolve("lines.txt"), lines);
    }

    private static JsonNode epoch(Cli run) {
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        return run.epoch(0);
    }

    @Test
    void batchTokens_ofAllTexts_haveEachOnceInFewCells() {
        JsonNode epoch = epoch(Cli.stream(text + BYTES));

        assertThat(epoch.path("samples").asInt()).isEqualTo(LINES);
        assertThat(epoch.path("rows").asInt()).isEqualTo(LINES);
        assertThat(epoch.path("tokens").asInt()).isEqualTo(characters);
        assertThat(epoch.path("cells").asInt())
                .isBetween(characters, Math.min(epoch.path("batches").asInt() * 256, characters * 11 / 10));
    }

    @Test
    void digest_isThatOfTheTextsForAnyInFlight() {
        Cli grouped = Cli.stream(text + BYTES);

        assertThat(epoch(grouped).path("content_digest"))
                .isEqualTo(epoch(Cli.stream(text + " --tokenize bytes --pad --digest"))
                        .path("content_digest"));
        for (int inFlight : new int[] {1, 5, 100}) {
            Cli same = Cli.stream(text + BYTES + " --in-flight " + inFlight + " --prefetch-bytes 1KiB");
            assertThat(same.content(0)).isEqualTo(grouped.content(0));
            assertThat(same.order(0)).isEqualTo(grouped.order(0));
        }
    }

    @Test
    void ranks_haveAsManyBatchesAndAllTextsTogether() {
        Cli whole = Cli.stream(text + BYTES);

        for (int world : new int[] {2, 3}) {
            List<Cli> ranks = IntStream.range(0, world)
                    .mapToObj(rank -> Cli.stream(text + BYTES + " --rank " + rank + " --world " + world))
                    .toList();

            assertThat(ranks.stream().map(rank -> epoch(rank).path("batches").asInt()))
                    .containsOnly((epoch(whole).path("batches").asInt() + world - 1) / world);
            assertThat(ranks.stream().mapToLong(rank -> rank.content(0)).sum()).isEqualTo(whole.content(0));
        }
    }

    @Test
    void run_resumedAtAnotherWorldSize_hasTheRest() {
        String flags = text + BYTES + " --epochs 2";
        Cli whole = Cli.stream(flags);
        Cli begun = Cli.stream(flags + " --stop-after 7");

        Cli left = Cli.stream(flags + " --rank 0 --world 2 --resume " + begun.resume());
        Cli right = Cli.stream(flags + " --rank 1 --world 2 --resume " + begun.resume());

        assertThat(begun.content(0) + left.content(0) + right.content(0)).isEqualTo(whole.content(0));
        assertThat(left.content(1) + right.content(1)).isEqualTo(whole.content(1));
        assertThat(whole.order(1)).isNotEqualTo(whole.order(0));
    }

    @Test
    void cache_holdsTheTokens() {
        Cli run = Cli.stream(text + BYTES + " --cache-ram 1MiB --epochs 2");

        assertThat(epoch(run).path("loads").asInt()).isZero(); // loaded before, for their lengths
        assertThat(run.epoch(0).path("hits").path("ram").asInt()).isEqualTo(LINES);
        assertThat(run.epoch(1).path("loads").asInt()).isZero();
        assertThat(run.epoch(1).path("hits").path("ram").asInt()).isEqualTo(LINES);
        assertThat(run.content(1)).isEqualTo(run.content(0));
    }

    @Test
    void bucket_ofSamples_hasThoseOfSimilarLengthsInEachBatch() {
        Cli random = Cli.stream(text + " --tokenize bytes --pad --batch 20 --digest");
        Cli tokens = Cli.stream(text + " --tokenize bytes --bucket 10,20,30 --batch 20 --digest");
        Cli bytes = Cli.stream(text + " --bucket 10,20,30 --digest --batch-events");

        assertThat(epoch(tokens).path("content_digest")).isEqualTo(epoch(random).path("content_digest"));
        assertThat(epoch(tokens).path("cells").asDouble() / characters).isLessThan(1.25);
        assertThat(epoch(random).path("cells").asDouble() / characters).isGreaterThan(1.5);
        assertThat(epoch(bytes).path("samples").asInt()).isEqualTo(LINES);
        assertThat(bytes.events().stream()
                        .filter(event -> event.path("event").asText().equals("batch"))
                        .map(event -> event.path("samples").asInt()))
                .allMatch(samples -> samples <= 64);
    }

    @Test
    void bucket_resumedAtAnotherWorldSize_hasTheRest() {
        String flags = text + " --bucket 10,20,30 --batch 8 --digest";
        Cli whole = Cli.stream(flags);
        Cli begun = Cli.stream(flags + " --stop-after 5");

        List<Cli> rest = IntStream.range(0, 3)
                .mapToObj(rank -> Cli.stream(flags + " --rank " + rank + " --world 3 --resume " + begun.resume()))
                .toList();

        assertThat(rest.stream()
                        .map(rank -> epoch(rank).path("batches").asInt())
                        .distinct())
                .hasSize(1);
        assertThat(begun.content(0)
                        + rest.stream().mapToLong(rank -> rank.content(0)).sum())
                .isEqualTo(whole.content(0));
    }

    @Test
    void explain_replaysOneBatch() {
        Cli events = Cli.stream(text + BYTES + " --batch-events --stop-after 3");
        JsonNode third = events.events().get(2);

        Cli replayed = Cli.run(
                ("explain --step 2 --replay --json " + text + " --tokenize bytes --batch-tokens 256").split(" "));

        assertThat(replayed.done().path("content_digest")).isEqualTo(third.path("content_digest"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--batch-tokens 64 | --batch-tokens needs --tokenize",
                "--tokenize bytes --batch-tokens 64 --pack 64 | --batch-tokens and --pack exclude each other",
                "--tokenize bytes --batch-tokens 64 --batch 64 | --batch-tokens and --batch exclude each other",
                "--tokenize bytes --batch-tokens 64 --remainder pad | --batch-tokens and --remainder pad exclude each other",
                "--tokenize bytes --batch-tokens 64 --weights 1 | --batch-tokens and --weights exclude each other",
                "--tokenize bytes --batch-tokens 64 --lazy-shard rank --cache-ram 1MiB | --lazy-shard",
                "--tokenize bytes --batch-tokens 20 | the longest text has 47 tokens, more than --batch-tokens 20:"
                        + " give --batch-tokens 47 or more, or pack",
                "--tokenize bytes --batch-tokens 64 --bucket 5 | --batch-tokens and --bucket exclude each other",
                "--bucket 5 --remainder pad | --bucket and --remainder pad exclude each other",
                "--bucket 5,4 | the bounds of buckets must ascend from 1 on, were [5, 4]",
                "--bucket 0 | --bucket",
                "--tokenize bytes --batch-tokens 0 | --batch-tokens"
            })
    void flags_thatDoNotFit_areRefused(String flags, String message) {
        Cli run = Cli.stream(text + " " + flags);

        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }
}
