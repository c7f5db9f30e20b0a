package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.pictures.PictureFolder;
import io.penstock.resume.ResumeToken;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed with {@code kill -9} and gone on from, by other processes at other world sizes. */
class KilledRunTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int EPOCHS = 44;
    private static final int KILLED = 128 + 9;

    @TempDir
    private Path folder;

    @Tag("repeated")
    @Test
    void run_thatIsKilledAgainAndAgain_deliversEverySampleOnce() throws Exception {
        PictureFolder.write(folder.resolve("train"), 37).blockLast();
        String flags = "--source images:" + folder.resolve("train")
                + " --resize 40 --augment crop=32,flip --cache-ram 16MiB --digest --epochs " + EPOCHS;
        Cli whole = Cli.stream(flags);
        Path file = folder.resolve("run.token");
        Map<Integer, Long> delivered = new TreeMap<>();

        // each is killed while it writes: it cannot end before, since nobody reads on and the pipe fills
        String token = killed(flags + " --batch 1 --shard stable:6 --resume-file " + file, 60, delivered);
        assertThat(ResumeToken.load(file).position())
                .isGreaterThanOrEqualTo(ResumeToken.parse(token).position());
        if (Boolean.getBoolean("penstock.endurance")) {
            token = killed(flags + " --batch 2 --workers 1 --resume " + token, 25, delivered);
            token = killed(flags + " --batch 1 --in-flight 3 --resume " + token, 33, delivered);
        }
        token = ranksKilled(flags + " --batch 1 --remainder pad --resume " + token, 2, 21, delivered);
        for (int rank = 0; rank < 3; rank++) {
            Cli rest = Cli.run(("stream --json " + flags + " --batch 5 --rank " + rank + " --world 3 --resume " + token)
                    .split(" "));
            rest.epochs().forEach(epoch -> add(epoch, delivered));
        }

        assertThat(delivered).hasSize(EPOCHS);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            assertThat(delivered.get(epoch)).as("epoch %d", epoch).isEqualTo(whole.content(epoch));
        }
    }

    /**
     * Kills ranks that have not done the same number of batches, and goes back to the step that all have come to, as a
     * trainer does to its last checkpoint; the token of that step, which is one and the same.
     */
    private static String ranksKilled(String flags, int world, int step, Map<Integer, Long> delivered)
            throws Exception {
        Set<String> tokens = new HashSet<>();
        for (int rank = 0; rank < world; rank++) {
            List<JsonNode> told = told(flags + " --rank " + rank + " --world " + world, step + 5 * rank);
            told.subList(0, step).forEach(event -> add(event, delivered));
            tokens.add(told.get(step - 1).path("resume").asText());
        }
        assertThat(tokens).hasSize(1);
        return tokens.iterator().next();
    }

    /** Kills a run after some batches and counts all it has told of; the token of the last of them. */
    private static String killed(String flags, int batches, Map<Integer, Long> delivered) throws Exception {
        List<JsonNode> told = told(flags, batches);
        told.forEach(event -> add(event, delivered));
        return told.get(told.size() - 1).path("resume").asText();
    }

    /** Kills a run after some batches; all those that it has told of. */
    private static List<JsonNode> told(String flags, int batches) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("stream", "--json", "--batch-events"));
        arguments.addAll(List.of(flags.split(" ")));
        Process process = CliProcess.java(arguments.toArray(String[]::new));
        List<JsonNode> told = new ArrayList<>();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            while (told.size() < batches) {
                JsonNode event = JSON.readTree(out.readLine());
                if (event.path("event").asText().equals("batch")) {
                    told.add(event);
                }
            }
            process.toHandle().destroyForcibly();
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                addIfWhole(line, told);
            }
            assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(KILLED);
        } finally {
            process.destroyForcibly();
        }
        return told;
    }

    /** The last line may be cut short: its batch was not told of. */
    private static void addIfWhole(String line, List<JsonNode> told) {
        try {
            JsonNode event = JSON.readTree(line);
            if (event.path("event").asText().equals("batch")) {
                told.add(event);
            }
        } catch (IOException cutShort) {
            assertThat(line).startsWith("{");
        }
    }

    private static void add(JsonNode event, Map<Integer, Long> delivered) {
        long content = Long.parseUnsignedLong(event.path("content_digest").asText(), 16);
        delivered.merge(event.path("epoch").asInt(), content, Long::sum);
    }
}
