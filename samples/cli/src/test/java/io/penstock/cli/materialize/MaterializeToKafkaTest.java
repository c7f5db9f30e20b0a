package io.penstock.cli.materialize;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.Cli;
import io.penstock.cli.CliProcess;
import io.penstock.kafka.Broker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code materialize --to kafka:HOST:PORT/TOPIC}, into a real broker. */
class MaterializeToKafkaTest {

    private static final int LINES = 20_001;

    @SuppressWarnings("NullAway.Init")
    private static Broker broker;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.shared();
    }

    @BeforeEach
    void writeLines() throws IOException {
        Files.writeString(folder.resolve("lines.txt"), String.join("\n", lines()) + "\n");
    }

    private static List<String> lines() {
        return IntStream.range(0, LINES).mapToObj("line %06d"::formatted).toList();
    }

    private String[] flags(String topic, String... more) {
        List<String> flags = new ArrayList<>(List.of(
                "materialize",
                "--json",
                "--source",
                "text:" + folder.resolve("lines.txt"),
                "--to",
                "kafka:%s/%s".formatted(broker.settings().get("bootstrap.servers"), topic)));
        flags.addAll(List.of(more));
        return flags.toArray(String[]::new);
    }

    private static List<String> read(String topic, int partition) {
        return broker.read(topic, partition).stream()
                .map(value -> new String(value, StandardCharsets.UTF_8))
                .toList();
    }

    @Test
    void materialize_byRanks_writesEachSampleOnce_alsoWhenRepeated() throws Exception {
        String topic = broker.create("ranks", 2, Map.of());

        Cli first = Cli.run(flags(topic, "--rank", "0", "--world", "2"));
        Cli second = Cli.run(flags(topic, "--rank", "1", "--world", "2"));
        Cli again = Cli.run(flags(topic, "--rank", "1", "--world", "2"));

        assertThat(first.err() + second.err() + again.err()).isEmpty();
        assertThat(first.done().path("written").asInt()).isEqualTo(LINES / 2 + 1);
        assertThat(second.done().path("written").asInt()).isEqualTo(LINES / 2);
        assertThat(again.done().path("written").asInt()).isZero();
        assertThat(again.done().path("already").asInt()).isEqualTo(LINES / 2);
        Map<Integer, List<String>> wanted = IntStream.range(0, LINES)
                .boxed()
                .collect(Collectors.groupingBy(i -> i % 2, Collectors.mapping(lines()::get, Collectors.toList())));
        assertThat(read(topic, 0)).isEqualTo(wanted.get(0));
        assertThat(read(topic, 1)).isEqualTo(wanted.get(1));
    }

    @Test
    void stream_ofTheTopic_isThatOfTheSource_withoutFlags() throws Exception {
        String topic = broker.create("streamed", 1, Map.of());
        assertThat(Cli.run(flags(topic)).status()).isZero();
        String source = "--source kafka:%s/%s".formatted(broker.settings().get("bootstrap.servers"), topic);
        String cached = source + " --digest --batch 100 --cache-disk " + folder.resolve("cache");
        String rank = source + " --digest --remainder keep --world 2 --rank ";

        Cli text = Cli.stream("--digest --source text:" + folder.resolve("lines.txt"));
        Cli whole = Cli.stream(cached + " --epochs 2");
        Cli half = Cli.stream(cached + " --stop-after 70");
        Cli rest = Cli.stream(cached + " --resume " + half.resume());

        assertThat(whole.content(0)).isEqualTo(text.content(0));
        assertThat(whole.order(0)).isEqualTo(text.order(0));
        assertThat(whole.epoch(0).path("samples").asInt()).isEqualTo(LINES);
        // of the draws of two epochs that look up a sample at once, either may load it
        assertThat(whole.epoch(0).path("loads").asInt()
                        + whole.epoch(1).path("loads").asInt())
                .isEqualTo(LINES);
        assertThat(half.content(0) + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(Cli.stream(rank + 0).content(0) + Cli.stream(rank + 1).content(0))
                .isEqualTo(text.content(0));
    }

    @Tag("repeated")
    @Test
    void materialize_killedAndRepeated_writesEachSampleOnce() throws Exception {
        String topic = broker.create("killed", 1, Map.of());
        for (int kill = 0; kill < (Boolean.getBoolean("penstock.endurance") ? 2 : 1); kill++) {
            Process job = CliProcess.builder(flags(topic, "--progress-events"))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader events =
                    new BufferedReader(new InputStreamReader(job.getInputStream(), StandardCharsets.UTF_8))) {
                events.readLine(); // it writes, or has ended
            }
            job.destroyForcibly().waitFor();
        }

        Cli last = Cli.run(flags(topic));

        assertThat(last.status()).as(last.err()).isZero();
        assertThat(read(topic, 0)).isEqualTo(lines());
    }

    @Test
    void materialize_intoATopicOfAnotherJob_isRefused() throws Exception {
        String topic = broker.create("other", 1, Map.of());
        assertThat(Cli.run(flags(topic, "--split", "0..0.01")).status()).isZero();

        Cli refused = Cli.run(flags(topic));

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err())
                .contains("partition 0 of kafka topic %s has records of job penstock-".formatted(topic));
    }

    @Test
    void materialize_withMoreRanksThanPartitions_isRefused() throws Exception {
        String topic = broker.create("narrow", 1, Map.of());

        Cli refused = Cli.run(flags(topic, "--rank", "1", "--world", "2"));

        assertThat(refused.status()).isEqualTo(1);
        assertThat(refused.err())
                .contains("cannot write to partition 1 of kafka topic %s: it has 1 partitions".formatted(topic));
    }
}
