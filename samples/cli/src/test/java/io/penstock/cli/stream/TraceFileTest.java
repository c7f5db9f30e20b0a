package io.penstock.cli.stream;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.cli.Cli;
import io.penstock.pictures.PictureFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {

    @TempDir
    private Path folder;

    @Test
    void trace_ofACachedRun_tellsWhatWasDoneForEachSampleAndBatch() throws IOException {
        PictureFolder.write(folder.resolve("pictures"), 20).blockLast();
        Path trace = folder.resolve("trace.json");

        Cli run = Cli.stream(
                "--source images:%s --resize 32 --cache-ram 1MiB --augment flip --batch 8 --epochs 2 --trace %s"
                        .formatted(folder.resolve("pictures"), trace));

        assertThat(run.status()).isZero();
        List<JsonNode> events = events(trace);
        Map<String, Long> counts = events.stream()
                .filter(event -> event.has("cat"))
                .collect(Collectors.groupingBy(
                        event -> event.path("cat").asText() + " "
                                + event.path("ph").asText(),
                        Collectors.counting()));
        assertThat(counts)
                .containsEntry("load b", 20L)
                .containsEntry("load e", 20L)
                .containsEntry("hit i", 20L)
                .containsEntry("stage X", 20L + 2 * 20L) // decoded once, flipped twice
                .containsEntry("wait X", 6L)
                .containsEntry("step X", 6L);
        assertThat(events.stream()
                        .filter(event -> event.path("cat").asText().equals("step"))
                        .map(event -> event.path("args"))
                        .map(args -> args.path("epoch").asLong() + " "
                                + args.path("batch").asLong() + " "
                                + args.path("offset").asLong()))
                .containsExactlyInAnyOrder("0 0 8", "0 1 16", "0 2 0", "1 3 8", "1 4 16", "1 5 0");
        assertThat(keys(events, "load", "b")).hasSize(20).noneMatch(String::isEmpty);
        assertThat(keys(events, "hit", "i")).hasSize(20).doesNotContainAnyElementsOf(keys(events, "load", "b"));
        assertThat(events.stream()
                        .filter(event -> event.has("ts"))
                        .map(event -> event.path("ts").asDouble()))
                .allMatch(at -> at >= 0);
    }

    @Test
    void trace_thatCannotBeWritten_isRefusedBeforeTheRun() throws IOException {
        Path records = Files.write(folder.resolve("records"), new byte[64]);

        Cli run = Cli.stream("--source records:%s,8 --trace %s".formatted(records, folder.resolve("none/trace.json")));

        assertThat(run.status()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("cannot write the trace " + folder.resolve("none/trace.json"));
    }

    private static List<String> keys(List<JsonNode> events, String category, String phase) {
        return events.stream()
                .filter(event -> event.path("cat").asText().equals(category))
                .filter(event -> event.path("ph").asText().equals(phase))
                .map(event -> event.path("args").path("key").asText())
                .distinct()
                .toList();
    }

    private static List<JsonNode> events(Path trace) throws IOException {
        JsonNode read = new ObjectMapper().readTree(trace.toFile());
        return StreamSupport.stream(read.path("traceEvents").spliterator(), false)
                .toList();
    }
}
