package io.penstock.bench.suite;

import io.penstock.bench.Bench;
import io.penstock.bench.Rounds;
import io.penstock.bench.Seconds;
import io.penstock.kafka.KafkaTail;
import io.penstock.kafka.KafkaTopic;
import io.penstock.order.Sampler;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Records of 1 KiB from a topic of two partitions, as they come and in the order of a data set, against a bare consumer
 * with the same buffer for its socket. Each reader begins with opening its topic. The topic is deleted afterwards.
 */
public final class KafkaRates {

    private static final String SERVERS = "PENSTOCK_KAFKA";
    private static final double MUST_REACH = 80;
    private static final int PARTITIONS = 2;
    private static final int BYTES = 1024;

    private KafkaRates() {}

    /** With the broker that the environment names. */
    public static void run(Bench bench) {
        String servers = System.getenv(SERVERS);
        if (servers == null) {
            bench.progress("kafka: %s=HOST:PORT names the broker", SERVERS);
            return;
        }
        run(bench, Map.of("bootstrap.servers", servers, "receive.buffer.bytes", -1), bench.choose(1_000_000, 100_000));
    }

    static void run(Bench bench, Map<String, Object> settings, int records) {
        String topic = "penstock-bench-" + UUID.randomUUID();
        try (Admin admin = Admin.create(settings)) {
            admin.createTopics(List.of(new NewTopic(topic, PARTITIONS, (short) 1)))
                    .all()
                    .toCompletionStage()
                    .toCompletableFuture()
                    .join();
            try {
                fill(topic, settings, records);
                DoubleSupplier tail = () -> Seconds.of(() -> tail(topic, settings, records));
                DoubleSupplier bounded = () -> Seconds.of(() -> bounded(topic, settings));
                DoubleSupplier bare = () -> Seconds.of(() -> bare(topic, settings, records));
                Rounds rounds = bench.rounds("kafka", 2, bench.choose(9, 3), List.of(tail, bounded, bare));
                bench.found("kafka: bare consumer", records / rounds.median(2), "records/s");
                bench.atLeast(MUST_REACH, "kafka: tail, of the bare consumer", 100 * rounds.medianRatio(2, 0), "%");
                bench.atLeast(MUST_REACH, "kafka: bounded, of the bare consumer", 100 * rounds.medianRatio(2, 1), "%");
            } finally {
                admin.deleteTopics(List.of(topic));
            }
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // what is missing keeps the readers waiting
    private static void fill(String topic, Map<String, Object> settings, int records) {
        byte[] value = new byte[BYTES];
        new Random(1).nextBytes(value);
        try (Producer<byte[], byte[]> producer =
                new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, value));
            }
        }
    }

    private static void tail(String topic, Map<String, Object> settings, int records) {
        Map<String, Object> own = new HashMap<>(settings);
        own.put("group.id", UUID.randomUUID().toString());
        KafkaTail.of(topic, own).records().take(records).blockLast();
    }

    private static void bounded(String topic, Map<String, Object> settings) {
        try (KafkaTopic records = KafkaTopic.open(topic, settings)) {
            records.stream(Sampler.sequential()).blockLast();
        }
    }

    private static void bare(String topic, Map<String, Object> settings, int records) {
        List<TopicPartition> all = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            for (int read = 0; read < records; ) {
                read += consumer.poll(Duration.ofSeconds(1)).count();
            }
        }
    }
}
