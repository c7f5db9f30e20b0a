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
import io.penstock.stream.Sample;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Ranges of offsets of topics of a real broker. */
class KafkaTopicTest {

    private static final int RECORDS = 1_000;
    private static final int PARTITIONS = 3;

    @SuppressWarnings("NullAway.Init")
    private static Broker broker;

    @SuppressWarnings("NullAway.Init")
    private static String plain;

    @SuppressWarnings("NullAway.Init")
    private static String empty;

    @SuppressWarnings("NullAway.Init")
    private static String committed;

    @BeforeAll
    static void fill() throws Exception {
        broker = Broker.shared();
        plain = broker.create("plain", PARTITIONS, Map.of());
        empty = broker.create("empty", 2, Map.of());
        committed = broker.create("committed", 1, Map.of());
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            for (int i = 0; i < RECORDS; i++) {
                Broker.send(producer, plain, i % PARTITIONS, bytes(i));
            }
        }
        try (Producer<byte[], byte[]> producer = broker.producer("transactional.id", committed)) {
            producer.initTransactions();
            for (int i = 0; i < 40; i++) {
                producer.beginTransaction();
                Broker.send(producer, committed, 0, bytes(i));
                if (i % 4 == 3) {
                    producer.flush(); // else there is nothing to abort
                    producer.abortTransaction();
                } else {
                    producer.commitTransaction();
                }
            }
        }
        assertThat(broker.read(committed, 0)).hasSize(30); // waits for the last mark
    }

    private static byte[] bytes(int number) {
        return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return Integer.parseInt(new String(record.value(), StandardCharsets.UTF_8));
    }

    private static List<Integer> delivered(Flux<Sample<ConsumerRecord<byte[], byte[]>>> stream) {
        return stream.filter(Sample::isPresent)
                .map(sample -> number(sample.value()))
                .collectList()
                .block();
    }

    @Test
    void stream_inOrder_isEachPartitionInTheOrderOfItsOffsets() {
        try (KafkaTopic topic = KafkaTopic.open(plain, broker.settings())) {
            List<Integer> expected = new ArrayList<>();
            for (int partition = 0; partition < PARTITIONS; partition++) {
                for (int i = partition; i < RECORDS; i += PARTITIONS) {
                    expected.add(i);
                }
            }

            assertThat(topic.size()).isEqualTo(RECORDS);
            assertThat(delivered(topic.stream(Sampler.sequential()))).isEqualTo(expected);
            assertThat(topic.id(0).name()).isEqualTo(plain + "/0@0");
            assertThat(topic.ranges())
                    .containsExactly(new Range(0, 0, 334), new Range(1, 0, 333), new Range(2, 0, 333));
        }
    }

    @Test
    void stream_shuffledOverRanks_isEveryRecordOnce() {
        List<Integer> seen = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            try (KafkaTopic topic = KafkaTopic.open(plain, broker.settings("group.id", "is not used"))) {
                seen.addAll(delivered(topic.stream(Sampler.shuffled(7).shard(Shard.of(rank, 2)))));
            }
        }

        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, RECORDS).boxed().toList());
        assertThat(seen).isNotEqualTo(IntStream.range(0, RECORDS).boxed().toList());
    }

    @Test
    void get_eachIndex_isTheSameAsInTheStream() {
        try (KafkaTopic topic =
                KafkaTopic.open(plain, broker.settings(), List.of(new Range(2, 5, 20), new Range(0, 1, 2)))) {
            assertThat(topic.size()).isEqualTo(16);
            assertThat(number(topic.get(0).block())).isEqualTo(3);
            assertThat(number(topic.get(15).block())).isEqualTo(19 * PARTITIONS + 2);
        }
    }

    @Test
    void keys_ofARecord_areTheSameInALongerRange() {
        try (KafkaTopic all = KafkaTopic.open(plain, broker.settings());
                KafkaTopic some = KafkaTopic.open(plain, broker.settings(), List.of(new Range(1, 10, 20)))) {
            assertThat(some.id(0).key()).isEqualTo(all.id(334 + 10).key());
            assertThat(some.fingerprint()).isNotEqualTo(all.fingerprint());
        }
    }

    @Test
    void offsetsOfTransactions_areNoSamples() {
        List<Integer> there =
                IntStream.range(0, 40).filter(i -> i % 4 != 3).boxed().toList();
        try (KafkaTopic topic = KafkaTopic.open(committed, broker.settings());
                KafkaTopic first = KafkaTopic.open(committed, broker.settings(), List.of(new Range(0, 0, 12)))) {
            Sampler shuffled = Sampler.shuffled(3);
            List<Integer> whole = delivered(topic.stream(shuffled));
            Position half = topic.stream(shuffled).blockFirst().draw().next();
            List<Integer> ranks = new ArrayList<>(delivered(topic.stream(shuffled.shard(Shard.of(0, 2)))));
            ranks.addAll(delivered(topic.stream(shuffled.shard(Shard.of(1, 2)))));

            assertThat(topic.size()).isEqualTo(there.size());
            assertThat(delivered(topic.stream(Sampler.sequential()))).isEqualTo(there);
            assertThat(whole).containsExactlyInAnyOrderElementsOf(there);
            assertThat(ranks).containsExactlyInAnyOrderElementsOf(there);
            assertThat(delivered(topic.stream(shuffled.resumeAt(half)))).isEqualTo(whole.subList(1, whole.size()));
            assertThat(number(topic.get(3).block())).isEqualTo(4);
            assertThat(topic.id(3).name()).isEqualTo(committed + "/0@8");
            assertThat(first.size()).isEqualTo(5);
            assertThat(first.id(3).key()).isEqualTo(topic.id(3).key());
        }
    }

    @Test
    void offsetsWithoutARecord_inTheMiddle_areLeftOutByAnErrorPolicy() throws Exception {
        String middle = broker.create("middle", 1, Map.of());
        try (Producer<byte[], byte[]> plainly = broker.producer();
                Producer<byte[], byte[]> producer = broker.producer("transactional.id", middle)) {
            send(plainly, middle, RECORDS);
            producer.initTransactions();
            producer.beginTransaction();
            send(producer, middle, 1);
            producer.commitTransaction();
            assertThat(broker.read(middle, 0)).hasSize(RECORDS + 1); // waits for the mark
            send(plainly, middle, RECORDS);
        }
        try (KafkaTopic topic = KafkaTopic.open(middle, broker.settings())) {
            StepVerifier.create(topic.get(RECORDS + 1))
                    .expectErrorSatisfies(e -> assertThat(e)
                            .isInstanceOf(FormatException.class)
                            .hasMessageContaining("offset 1001 of %s-0 has no record", middle))
                    .verify();

            assertThat(delivered(topic.onError(ErrorPolicy.skip()).stream(Sampler.sequential())))
                    .hasSize(2 * RECORDS + 1);
        }
    }

    private static void send(Producer<byte[], byte[]> producer, String topic, int records) {
        for (int i = 0; i < records; i++) {
            Broker.send(producer, topic, 0, bytes(i));
        }
        producer.flush();
    }

    @Test
    void open_ofMarksOnly_saysSo() {
        assertThatThrownBy(() -> KafkaTopic.open(committed, broker.settings(), List.of(new Range(0, 1, 2))))
                .isInstanceOf(StoreException.class)
                .hasMessage("kafka topic %s has no records in [Range[partition=0, from=1, to=2]]", committed);
    }

    @Test
    void open_ofWhatIsNotThere_saysWhat() {
        assertThatThrownBy(() -> KafkaTopic.open(empty, broker.settings()))
                .isInstanceOf(StoreException.class)
                .hasMessage("kafka topic %s has no records in its 2 partitions", empty);
        assertThatThrownBy(() -> KafkaTopic.open(plain, broker.settings(), List.of(new Range(1, 0, 400))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("does not hold offsets 0 to 400 of partition 1");
        assertThatThrownBy(() -> KafkaTopic.open(plain, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bootstrap.servers");
        assertThatThrownBy(() -> KafkaTopic.open(plain, broker.settings("enable.auto.commit", "true")))
                .hasMessageContaining("enable.auto.commit");
    }

    @Test
    void stream_cancelledAndStartedAgain_readsOn() {
        try (KafkaTopic topic = KafkaTopic.open(plain, broker.settings())) {
            for (int round = 0; round < 5; round++) {
                StepVerifier.create(topic.stream(Sampler.shuffled(round)), 0)
                        .thenRequest(3)
                        .expectNextCount(3)
                        .thenCancel()
                        .verify();
            }
            assertThat(delivered(topic.stream(Sampler.sequential()))).hasSize(RECORDS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, RECORDS})
    void get_ofATopicThatWasMadeAnew_fails(int records) throws Exception {
        String remade = broker.create("remade", 1, Map.of());
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            send(producer, remade, RECORDS);
        }
        try (KafkaTopic topic = KafkaTopic.open(remade, broker.settings())) {
            broker.delete(remade);
            broker.make(remade, 1, Map.of());
            try (Producer<byte[], byte[]> producer = broker.producer()) {
                send(producer, remade, records);
            }

            StepVerifier.create(
                            Mono.defer(() -> topic.get(RECORDS - 1)).repeat().then())
                    .expectErrorSatisfies(e -> assertThat(e)
                            .isInstanceOf(StoreException.class)
                            .hasMessage(
                                    "kafka topic %s was deleted and made anew since it was opened; open it again",
                                    remade))
                    .verify();
            try (KafkaTopic other = KafkaTopic.open(remade, broker.settings())) {
                assertThat(other.id(0).key()).isNotEqualTo(topic.id(0).key());
                assertThat(number(other.get(9).block())).isEqualTo(9);
            }
        }
    }
}
