package io.penstock.kafka;

import io.penstock.internal.Arguments;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The settings of Kafka's client: those of the user, and those on which this package relies. */
final class KafkaSettings {

    private KafkaSettings() {}

    /** @throws IllegalArgumentException if {@code bootstrap.servers} is missing, or a setting contradicts what is relied on */
    static Map<String, Object> of(Map<String, ?> given) {
        require(given, ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "the brokers, such as 127.0.0.1:9092");
        Arguments.refuse(
                Boolean.parseBoolean(String.valueOf(given.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG))),
                "enable.auto.commit is true, so records would be committed before they are used; leave it out");
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        settings.put(ConsumerConfig.RECEIVE_BUFFER_CONFIG, -1); // the system's own, which grows; Kafka's is 64 KiB
        settings.putAll(given);
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        return settings;
    }

    static void require(Map<String, ?> given, String setting, String what) {
        Arguments.refuse(given.get(setting) == null, "the setting %s is missing: %s", setting, what);
    }

    /** A consumer of bytes. Blocks no longer than it takes to look up the brokers' names. */
    static Consumer<byte[], byte[]> consumer(Map<String, Object> settings) {
        return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }
}
