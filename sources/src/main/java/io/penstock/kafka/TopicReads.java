package io.penstock.kafka;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.GroupLoader.Receiver;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/** Reads records by their offsets, with consumers of no group that are kept for the next read. */
final class TopicReads {

    private static final Duration POLL = Duration.ofSeconds(1);

    /** Records that are read and dropped rather than sought past: a seek drops what the client has fetched. */
    private static final long NEAR = 2_000;

    private final String topic;
    private final KafkaSettings settings;
    private final Duration patience;
    private final Deque<Consumer<byte[], byte[]>> free = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    TopicReads(String topic, KafkaSettings settings) {
        this.topic = topic;
        this.settings = settings;
        this.patience = Duration.ofMillis(Long.parseLong(
                String.valueOf(settings.all().getOrDefault(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 60_000))));
    }

    /** Reads what is wanted: by partition and offset, the places that want it. */
    void read(Map<Integer, SortedMap<Long, List<Integer>>> wanted, Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        Consumer<byte[], byte[]> given = free.pollLast();
        Consumer<byte[], byte[]> consumer = given == null ? settings.consumer() : given;
        boolean usable = false;
        try {
            wanted.forEach(
                    (partition, places) -> read(consumer, new TopicPartition(topic, partition), places, receiver));
            usable = true;
        } catch (OffsetOutOfRangeException e) {
            throw new StoreException(
                    "records of kafka topic %s are there no more, retention has deleted them: %s"
                            .formatted(topic, e.offsetOutOfRangePartitions()),
                    e);
        } catch (InterruptException e) { // the load was cancelled
            Thread.interrupted();
        } catch (KafkaException e) {
            throw new StoreException("cannot read kafka topic %s: %s".formatted(topic, e.getMessage()), e);
        } finally {
            if (usable && !closed) {
                free.addLast(consumer);
            } else {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
        }
    }

    /** Reads what is wanted of one partition in the order of the offsets, each with the places that want it. */
    private void read(
            Consumer<byte[], byte[]> consumer,
            TopicPartition partition,
            SortedMap<Long, List<Integer>> wanted,
            Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        consumer.assign(List.of(partition));
        consumer.seek(partition, wanted.firstKey());
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            long before = consumer.position(partition);
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                missing(partition, wanted.headMap(record.offset()), receiver);
                List<Integer> places = wanted.remove(record.offset());
                if (places != null) {
                    places.forEach(place -> receiver.value(place, record));
                }
            }
            long position = consumer.position(partition);
            missing(partition, wanted.headMap(position), receiver);
            wanted.values().removeIf(places -> places.stream().noneMatch(receiver::wants));
            if (wanted.isEmpty()) {
                return;
            }
            if (wanted.firstKey() > position + NEAR) {
                consumer.seek(partition, wanted.firstKey());
            }
            long now = System.nanoTime();
            if (position > before) {
                deadline = now + patience.toNanos();
            } else if (now > deadline) {
                throw new StoreException(
                        "%s gave no records from offset %d on for %s".formatted(partition, position, patience));
            }
        }
    }

    /** Passed without a record: tells those who want it. */
    private static void missing(
            TopicPartition partition,
            SortedMap<Long, List<Integer>> passed,
            Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        passed.forEach((offset, places) -> places.forEach(place -> receiver.failure(
                place,
                new FormatException(("offset %d of %s has no record: it was compacted, or ends a transaction; "
                                + "an error policy can skip it")
                        .formatted(offset, partition)))));
        passed.clear();
    }

    void close() {
        closed = true;
        for (Consumer<byte[], byte[]> each = free.pollLast(); each != null; each = free.pollLast()) {
            each.close();
        }
    }
}
