package io.penstock.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.kafka.KafkaTopic.Range;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.SampleId;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Topics from which a real broker removes records, before they are opened and after. */
class KafkaCompactionTest {

    private static final int KEYS = 200;
    private static final int ROUNDS = 3;
    private static final int RECORDS = ROUNDS * KEYS;
    private static final int DELETED = 211; // within a group
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Map<String, String> COMPACTED = Map.of(
            "cleanup.policy", "compact",
            "segment.ms", "1000",
            "min.cleanable.dirty.ratio", "0.001",
            "delete.retention.ms", "86400000"); // what deletes a key stays

    @SuppressWarnings("NullAway.Init")
    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.shared();
    }

    /** Rounds of records of the same keys, the later half of which the last round deletes; offset i has value i. */
    private static String write(String name, Map<String, String> configuration, long time) throws Exception {
        String topic = broker.create(name, 1, configuration);
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            for (int i = 0; i < RECORDS; i++) {
                send(producer, topic, time, i % KEYS, i < RECORDS - KEYS / 2 ? i : null);
            }
        }
        return topic;
    }

    /** Writes a record of a later time, before which the broker begins a segment: none is cleaned that is written to. */
    private static void close(String topic) {
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            send(producer, topic, System.currentTimeMillis() + 10_000, KEYS, RECORDS);
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is missing is seen by those that read
    private static void send(
            Producer<byte[], byte[]> producer, String topic, long time, int key, @Nullable Integer value) {
        producer.send(new ProducerRecord<>(topic, 0, time, bytes(key), value == null ? null : bytes(value)));
    }

    private static byte[] bytes(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    /** Waits until what readers see of a topic is as expected. */
    private static void await(String topic, Predicate<List<byte[]>> expected) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!expected.test(broker.read(topic, 0))) {
            assertThat(System.nanoTime()).as("%s is as it was", topic).isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    /** A topic that was cleaned: the last round is left, and the record behind it. */
    private static String compacted(String name) throws Exception {
        String topic = write(name, COMPACTED, System.currentTimeMillis());
        close(topic);
        await(topic, left -> left.size() == KEYS + 1);
        return topic;
    }

    private static List<Long> offsets(Flux<Sample<ConsumerRecord<byte[], byte[]>>> stream) {
        return Objects.requireNonNull(stream.filter(Sample::isPresent)
                .map(sample -> sample.value().offset())
                .collectList()
                .block());
    }

    private static List<Long> between(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    void samples_ofACompactedTopic_areTheRecordsThatAreLeft() throws Exception {
        String name = compacted("compacted");
        try (KafkaTopic topic = KafkaTopic.open(name, broker.settings())) {
            assertThat(topic.ranges()).containsExactly(new Range(0, 0, RECORDS + 1));
            assertThat(topic.size()).isEqualTo(KEYS + 1);
            assertThat(offsets(topic.stream(Sampler.sequential()))).isEqualTo(between(RECORDS - KEYS, RECORDS + 1));
            assertThat(topic.id(0).name()).isEqualTo("%s/0@%d", name, RECORDS - KEYS);
            assertThat(Objects.requireNonNull(topic.values().get(0).block()).toText())
                    .isEqualTo(Integer.toString(RECORDS - KEYS));
            StepVerifier.create(topic.values().get(KEYS - 1))
                    .expectErrorSatisfies(e -> assertThat(e)
                            .hasRootCauseInstanceOf(FormatException.class)
                            .hasMessageContaining("no value: it deletes"))
                    .verify();
        }
    }

    @Test
    void stream_ofACompactedTopic_isTheSameAtTwoWorldsAndResumes() throws Exception {
        String name = compacted("worlds");
        List<Range> range = List.of(new Range(0, 0, RECORDS)); // an even number of records
        Sampler shuffled = Sampler.shuffled(7);
        try (KafkaTopic topic = KafkaTopic.open(name, broker.settings(), range);
                KafkaTopic other = KafkaTopic.open(name, broker.settings(), range)) {
            List<Long> one = offsets(topic.stream(shuffled));
            List<Long> first = offsets(other.stream(shuffled.shard(Shard.of(0, 2))));
            List<Long> second = offsets(other.stream(shuffled.shard(Shard.of(1, 2))));
            Position half = Objects.requireNonNull(
                            topic.stream(shuffled).take(KEYS / 2).blockLast())
                    .draw()
                    .next();

            assertThat(one).containsExactlyInAnyOrderElementsOf(between(RECORDS - KEYS, RECORDS));
            assertThat(IntStream.range(0, KEYS)
                            .mapToObj(i -> (i % 2 == 0 ? first : second).get(i / 2))
                            .toList())
                    .isEqualTo(one);
            assertThat(offsets(other.stream(shuffled.resumeAt(half)))).isEqualTo(one.subList(KEYS / 2, KEYS));
            assertThat(other.fingerprint()).isEqualTo(topic.fingerprint());
        }
    }

    @Test
    void records_thatAreCompactedOnceATopicIsOpen_failAndOthersDoNot() throws Exception {
        String name = write("later", COMPACTED, System.currentTimeMillis());
        try (KafkaTopic topic = KafkaTopic.open(name, broker.settings())) {
            assertThat(topic.size()).isEqualTo(RECORDS);
            close(name);
            await(name, left -> left.size() == KEYS + 1);

            assertThat(offsets(topic.onError(ErrorPolicy.skip()).stream(Sampler.shuffled(1))))
                    .containsExactlyInAnyOrderElementsOf(between(RECORDS - KEYS, RECORDS));
            assertThatThrownBy(() -> topic.get(3).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("offset 3 of %s-0 has no record: it was compacted", name);
            try (KafkaTopic again = KafkaTopic.open(name, broker.settings(), topic.ranges())) {
                SampleId id = topic.id(RECORDS - KEYS);

                assertThat(again.size()).isEqualTo(KEYS);
                assertThat(again.fingerprint()).isNotEqualTo(topic.fingerprint());
                assertThat(again.id(0).key()).isEqualTo(id.key());
            }
        }
    }

    @Test
    void records_thatRetentionDeletesOnceATopicIsOpen_failAndOthersDoNot() throws Exception {
        String name = broker.create("retained", 1, Map.of("segment.ms", "1000", "retention.ms", "-1"));
        long now = System.currentTimeMillis();
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            for (int i = 0; i < RECORDS; i++) {
                if (i == DELETED) {
                    producer.flush(); // else all are one block, in one segment
                }
                send(producer, name, i < DELETED ? now - 3_600_000 : now + 60_000, i, i);
            }
        }
        try (KafkaTopic topic = KafkaTopic.open(name, broker.settings())) {
            assertThat(topic.size()).isEqualTo(RECORDS);
            configure(name, "retention.ms", "600000");
            await(name, left -> left.size() == RECORDS - DELETED);

            assertThat(offsets(topic.onError(ErrorPolicy.skip()).stream(
                            Sampler.shuffled(1), Execution.standard().inFlight(2))))
                    .containsExactlyInAnyOrderElementsOf(between(DELETED, RECORDS));
            assertThatThrownBy(() -> topic.get(3).block())
                    .isInstanceOf(FormatException.class)
                    .hasMessageContaining("offset 3 of %s-0 has no record: it was compacted or deleted", name);
            assertThatThrownBy(() -> KafkaTopic.open(name, broker.settings(), topic.ranges()))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("does not hold offsets 0 to 600");
        }
    }

    private static void configure(String topic, String name, String value) throws Exception {
        AlterConfigOp change = new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
        try (Admin admin = Admin.create(broker.settings())) {
            admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), List.of(change)))
                    .all()
                    .get();
        }
    }
}
