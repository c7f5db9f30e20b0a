package io.penstock.cli.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cli.Cli;
import io.penstock.kafka.Broker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A topic of a real broker on the command line. */
class KafkaSourceTest {

    private static final int RECORDS = 300;

    @SuppressWarnings("NullAway.Init")
    private static String source;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @BeforeAll
    static void fill() throws Exception {
        Broker broker = Broker.shared();
        String topic = broker.create("texts", 3, Map.of());
        source = "kafka:%s/%s".formatted(broker.settings().get("bootstrap.servers"), topic);
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            for (int i = 0; i < RECORDS; i++) {
                Broker.send(producer, topic, i % 3, "text %03d".formatted(i).getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void stream_ofATopic_isThatOfItsValues() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int partition = 0; partition < 3; partition++) {
            for (int i = partition; i < RECORDS; i += 3) {
                lines.append("text %03d%n".formatted(i));
            }
        }
        Path file = Files.writeString(folder.resolve("texts.txt"), lines);
        String flags = " --epochs 2 --batch 64 --digest";

        Cli topic = Cli.stream("--source " + source + flags);
        Cli text = Cli.stream("--source text:" + file + flags);

        assertThat(topic.epochs()).hasSize(2);
        assertThat(topic.content(1)).isEqualTo(text.content(1));
        assertThat(topic.order(1)).isEqualTo(text.order(1));
    }

    @Test
    void warmEpochs_loadNothing_andAResumedRunDoesTheRest() {
        String cached = "--source " + source + " --digest --cache-disk " + folder.resolve("cache");
        Cli whole = Cli.stream(cached + " --epochs 2");
        Cli half = Cli.stream(cached + " --epochs 1 --batch 50 --stop-after 3");
        Cli rest = Cli.stream(cached + " --epochs 1 --batch 50 --resume " + half.resume());

        assertThat(whole.epoch(0).path("loads").asInt()).isEqualTo(RECORDS);
        assertThat(whole.epoch(1).path("loads").asInt()).isZero();
        assertThat(half.content(0) + rest.content(0)).isEqualTo(whole.content(0));
        assertThat(rest.epoch(0).path("loads").asInt()).isZero();
    }

    @Test
    void ranksAndSplits_haveEachRecordOnce() {
        Cli whole = Cli.stream("--source " + source + " --digest");
        Cli first = Cli.stream("--source " + source + " --digest --rank 0 --world 2 --remainder keep");
        Cli second = Cli.stream("--source " + source + " --digest --rank 1 --world 2 --remainder keep");
        Cli some = Cli.stream("--source " + source + " --digest --split 0..0.9");
        Cli others = Cli.stream("--source " + source + " --digest --split 0.9..1");

        assertThat(first.content(0) + second.content(0)).isEqualTo(whole.content(0));
        assertThat(some.epoch(0).path("samples").asInt()
                        + others.epoch(0).path("samples").asInt())
                .isEqualTo(RECORDS);
    }

    @Test
    void ranges_chooseRecords_andShowSaysWhatThereIs() {
        Cli some = Cli.stream("--source " + source + ",2:10..30,0:0..5 --digest");
        Cli shown = Cli.run("show", source);

        assertThat(some.epoch(0).path("samples").asInt()).isEqualTo(25);
        assertThat(shown.out()).contains("300").contains("bytes");
    }

    @Test
    void materialize_writesTheValues() {
        Path shards = folder.resolve("shards");

        assertThat(Cli.run("materialize", "--source", source, "--to", "tar:" + shards)
                        .status())
                .isZero();
        Cli written = Cli.stream("--source tar:" + shards + " --digest");

        assertThat(written.content(0))
                .isEqualTo(Cli.stream("--source " + source + " --digest").content(0));
    }

    @Test
    void places_thatAreWrong_areRefusedInWords() {
        assertThat(Cli.run("stream", "--source", "kafka:frames").err())
                .contains("a topic is HOST:PORT/TOPIC, such as 127.0.0.1:9092/frames, was \"frames\"");
        assertThat(Cli.run("stream", "--source", source + ",1-5").err())
                .contains("offsets are PARTITION:FROM..TO, such as 0:0..1000, was \"1-5\"");
        assertThat(Cli.run("stream", "--source", source + "-not").err())
                .contains("kafka topic texts-")
                .contains("-not");
        assertThat(Cli.run("stream", "--source", source + ",0:0..101").err())
                .contains("does not hold offsets 0 to 101 of partition 0");
    }

    @Test
    void settings_comeFromTheFileThatTheEnvironmentNames() throws IOException {
        KafkaAddress address = KafkaAddress.parse("one:9092,two:9093/frames");
        Path file =
                Files.writeString(folder.resolve("client.properties"), "security.protocol=SSL\nbootstrap.servers=x:1");

        assertThat(address.topic()).isEqualTo("frames");
        assertThat(address.settings(file.toString()))
                .isEqualTo(Map.of("bootstrap.servers", "one:9092,two:9093", "security.protocol", "SSL"));
        assertThatThrownBy(() -> address.settings("missing"))
                .hasMessage("cannot read missing, which PENSTOCK_KAFKA_CONFIG names");
    }
}
