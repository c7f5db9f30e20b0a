package io.penstock.write.kafka;

import io.penstock.fault.StoreException;
import io.penstock.order.Position;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A partition to which a job writes. */
record WriterTarget(String topic, int partition, Map<String, Object> settings) {

    private static final String HEADER = "penstock";
    private static final Pattern WORDS = Pattern.compile("(\\d+) (\\d+) (.*)", Pattern.DOTALL);
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int FIRST_LOOK = 16;

    private String job() {
        return String.valueOf(settings.get(ProducerConfig.TRANSACTIONAL_ID_CONFIG));
    }

    /** Takes the partition over from an earlier writer, whose open transaction is aborted. */
    Producer<byte[], byte[]> producer() {
        Map<String, Object> own = new HashMap<>(settings);
        own.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "%s-%s-%d".formatted(job(), topic, partition));
        Producer<byte[], byte[]> producer =
                new KafkaProducer<>(own, new ByteArraySerializer(), new ByteArraySerializer());
        try {
            producer.initTransactions();
            return producer;
        } catch (RuntimeException e) {
            producer.close(Duration.ZERO);
            throw e;
        }
    }

    ProducerRecord<byte[], byte[]> record(byte[] value, Position behind) {
        ProducerRecord<byte[], byte[]> made = new ProducerRecord<>(topic, partition, null, value);
        String words = "%d %d %s".formatted(behind.epoch(), behind.offset(), job());
        made.headers().add(HEADER, words.getBytes(StandardCharsets.UTF_8));
        return made;
    }

    /** The position behind the last sample that was committed. */
    Position committed() {
        Map<String, Object> own = new HashMap<>(settings);
        own.keySet().retainAll(ConsumerConfig.configNames());
        own.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        own.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        own.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 1);
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(own, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            int partitions = consumer.partitionsFor(topic).size();
            if (partition >= partitions) {
                throw new StoreException("cannot write to partition %d of kafka topic %s: it has %d partitions"
                        .formatted(partition, topic, partitions));
            }
            ConsumerRecord<byte[], byte[]> last = last(consumer);
            return last == null ? Position.START : position(last);
        } catch (KafkaException e) {
            throw failed(e);
        }
    }

    /** Waits until readers see the record that stands before a position. */
    void await(Position behind) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (committed().compareTo(behind) < 0) {
            if (System.nanoTime() > deadline) {
                throw new StoreException("partition %d of kafka topic %s does not show what was committed after %s"
                        .formatted(partition, topic, PATIENCE));
            }
        }
    }

    /** Looks at the partition's end, and farther back while there are only records of aborted transactions. */
    private @Nullable ConsumerRecord<byte[], byte[]> last(Consumer<byte[], byte[]> consumer) {
        TopicPartition at = new TopicPartition(topic, partition);
        consumer.assign(List.of(at));
        long first =
                Objects.requireNonNull(consumer.beginningOffsets(List.of(at)).get(at), "an offset");
        long end = Objects.requireNonNull(consumer.endOffsets(List.of(at)).get(at), "an offset");
        ConsumerRecord<byte[], byte[]> last = null;
        long from = end;
        for (long look = FIRST_LOOK; last == null && from > first; look *= FIRST_LOOK) {
            from = Math.max(first, end - look);
            consumer.seek(at, from);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (consumer.position(at) < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                    last = record;
                }
                if (System.nanoTime() > deadline) {
                    throw new StoreException("%s gave no records for %s".formatted(at, PATIENCE));
                }
            }
        }
        return last;
    }

    private Position position(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(HEADER);
        Matcher words = WORDS.matcher(header == null ? "" : new String(header.value(), StandardCharsets.UTF_8));
        if (!words.matches() || !words.group(3).equals(job())) {
            throw new StoreException(
                    "partition %d of kafka topic %s has records of %s, not of job %s; name another topic"
                            .formatted(partition, topic, words.matches() ? "job " + words.group(3) : "no job", job()));
        }
        return new Position(Long.parseLong(words.group(1)), Long.parseLong(words.group(2)));
    }

    StoreException failed(KafkaException e) {
        boolean fenced = e instanceof ProducerFencedException
                || e instanceof InvalidProducerEpochException
                || e.getCause() instanceof ProducerFencedException
                || e.getCause() instanceof InvalidProducerEpochException;
        return new StoreException(
                "cannot write to partition %d of kafka topic %s: %s"
                        .formatted(
                                partition,
                                topic,
                                fenced ? "another writer of job %s took it over".formatted(job()) : e.getMessage()),
                e);
    }
}
