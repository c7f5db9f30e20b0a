package io.penstock.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Deserializer;

/** The settings of Kafka's client: those of the user, and those on which this package relies. */
final class KafkaSettings {

    private final Map<String, Object> consumer = new HashMap<>();

    private KafkaSettings(Map<String, ?> given) {
        consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        consumer.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1); // the system's own, which grows; Kafka's is 64 KiB
        consumer.putAll(given);
        if (Boolean.parseBoolean(String.valueOf(given.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG)))) {
            throw new IllegalArgumentException(
                    "enable.auto.commit is true, so records would be committed before they are used; leave it out");
        }
        consumer.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    }

    /** @throws IllegalArgumentException if {@code bootstrap.servers} is missing, or a setting contradicts what is relied on */
    static KafkaSettings of(Map<String, ?> given) {
        require(given, ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "the brokers, such as 127.0.0.1:9092");
        return new KafkaSettings(given);
    }

    static void require(Map<String, ?> given, String setting, String what) {
        if (given.get(setting) == null) {
            throw new IllegalArgumentException("the setting %s is missing: %s".formatted(setting, what));
        }
    }

    /** The same settings with one more, unless the user has given it. */
    KafkaSettings withDefault(String setting, Object value) {
        consumer.putIfAbsent(setting, value);
        return this;
    }

    /** The same settings with one that is not the user's to choose. */
    KafkaSettings with(String setting, Object value) {
        consumer.put(setting, value);
        return this;
    }

    KafkaSettings without(String setting) {
        consumer.remove(setting);
        return this;
    }

    Map<String, Object> all() {
        return consumer;
    }

    /** A consumer of bytes. Blocks no longer than it takes to look up the brokers' names. */
    Consumer<byte[], byte[]> consumer() {
        return consumer(new ByteArrayDeserializer());
    }

    /** One that asks for this many bytes of a partition at a time, unless the user has given a number. */
    Consumer<byte[], byte[]> consumer(int fetchBytes) {
        return new KafkaSettings(consumer)
                .withDefault(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, fetchBytes)
                .consumer();
    }

    <T> Consumer<T, T> consumer(Deserializer<T> values) {
        return new KafkaConsumer<>(consumer, values, values);
    }

    /** How long a read may come no further. */
    Duration patience() {
        return Duration.ofMillis(Long.parseLong(
                String.valueOf(consumer.getOrDefault(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 60_000))));
    }
}
