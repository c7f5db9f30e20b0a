package io.penstock.kafka;

import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.pipeline.GroupLoader.Receiver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** Reads records by their offsets, with consumers of no group that are kept for the next read. */
final class TopicReads {

    private static final Duration POLL = Duration.ofSeconds(1);

    /** Records that are read and dropped rather than sought past: a seek drops what the client has fetched. */
    private static final long NEAR = 2_000;

    /** Kafka's own bound, for records far from each other: more of an answer would be dropped. */
    private static final int FETCH = 1 << 20;

    /** For records that lie together: the client asks for more only when it has none left, and then waits. */
    private static final int LARGE_FETCH = 4 << 20;

    private final String topic;
    private final Map<String, Object> settings;
    private final Duration patience;
    private final List<Reader> readers = new ArrayList<>();
    private boolean closed;

    /** A consumer, and where it goes on: a seek would drop what it has fetched. */
    private static final class Reader {
        final int fetchBytes;

        @Nullable Consumer<byte[], byte[]> consumer;

        final ReentrantLock lock = new ReentrantLock(true);
        List<ConsumerRecord<byte[], byte[]>> left = List.of();

        @Nullable TopicPartition at;

        long next;

        /** Where it will be when all has been read that it was asked for; its own of all readers' lock. */
        int partition = -1;

        long end;
        int asked;

        Reader(int fetchBytes) {
            this.fetchBytes = fetchBytes;
        }

        boolean goesOn(int wanted, long from) {
            return partition == wanted && end <= from && from <= end + NEAR;
        }

        void close() {
            if (consumer != null) {
                consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
        }
    }

    TopicReads(String topic, Map<String, Object> settings) {
        this.topic = topic;
        this.settings = settings;
        this.patience = KafkaSettings.patience(settings);
    }

    /** Reads what is wanted: by partition and offset, the places that want it. */
    void read(
            SortedMap<Integer, SortedMap<Long, List<Integer>>> wanted,
            Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        Reader reader = reader(wanted);
        boolean usable = false;
        reader.lock.lock();
        try {
            Consumer<byte[], byte[]> consumer = reader.consumer == null ? consumer(reader.fetchBytes) : reader.consumer;
            reader.consumer = consumer;
            wanted.forEach((partition, places) ->
                    read(reader, consumer, new TopicPartition(topic, partition), places, receiver));
            usable = true;
        } catch (InterruptException e) { // the load was cancelled
            Thread.interrupted();
        } catch (KafkaException e) {
            throw new StoreException("cannot read kafka topic %s: %s".formatted(topic, e.getMessage()), e);
        } finally {
            if (!usable) {
                reader.at = null; // those that wait for it seek
            }
            reader.lock.unlock();
            done(reader, usable);
        }
    }

    /** One that asks for this many bytes of a partition at a time, unless the user has given a number. */
    private Consumer<byte[], byte[]> consumer(int fetchBytes) {
        Map<String, Object> own = new HashMap<>(settings);
        own.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, fetchBytes);
        return KafkaSettings.consumer(own);
    }

    /** One that comes to the place by itself, which may be at work; else one that has nothing to do. */
    private Reader reader(SortedMap<Integer, SortedMap<Long, List<Integer>>> wanted) {
        int partition = wanted.firstKey();
        long from = Objects.requireNonNull(wanted.get(partition)).firstKey();
        int fetchBytes = wanted.values().stream().allMatch(TopicReads::lieTogether) ? LARGE_FETCH : FETCH;
        synchronized (readers) {
            List<Reader> alike = readers.stream()
                    .filter(reader -> reader.fetchBytes == fetchBytes)
                    .toList();
            Reader found = alike.stream()
                    .filter(reader -> reader.goesOn(partition, from))
                    .findFirst()
                    .or(() -> alike.stream().filter(reader -> reader.asked == 0).findFirst())
                    .orElse(null);
            if (found == null) {
                found = new Reader(fetchBytes);
                readers.add(found);
            }
            found.asked++;
            found.partition = wanted.lastKey();
            found.end = Objects.requireNonNull(wanted.get(found.partition)).lastKey() + 1;
            return found;
        }
    }

    private static boolean lieTogether(SortedMap<Long, ?> offsets) {
        return offsets.size() > 1 && offsets.lastKey() - offsets.firstKey() < 16L * offsets.size();
    }

    private void done(Reader reader, boolean usable) {
        boolean last;
        synchronized (readers) {
            reader.asked--;
            if (!usable || closed) {
                readers.remove(reader);
            }
            last = reader.asked == 0 && !readers.contains(reader);
        }
        if (last) {
            reader.close();
        }
    }

    /** Reads what is wanted of one partition in the order of the offsets, each with the places that want it. */
    private void read(
            Reader reader,
            Consumer<byte[], byte[]> consumer,
            TopicPartition partition,
            SortedMap<Long, List<Integer>> wanted,
            Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        long first = wanted.firstKey();
        if (!partition.equals(reader.at) || first < reader.next || first > reader.next + NEAR) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, first);
            reader.left = List.of();
            reader.at = partition;
            reader.next = first;
        }
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            long before = reader.next;
            List<ConsumerRecord<byte[], byte[]>> records =
                    reader.left.isEmpty() ? consumer.poll(POLL).records(partition) : reader.left;
            if (consumer.position(partition) < before) { // reset, since the partition ends before it
                throw new StoreException(
                        "%s has no offset %d any more: the topic was deleted and made anew; open it again"
                                .formatted(partition, before));
            }
            int taken = 0;
            for (; taken < records.size() && !wanted.isEmpty(); taken++) {
                ConsumerRecord<byte[], byte[]> record = records.get(taken);
                if (wanted.firstKey() < record.offset()) {
                    missing(partition, wanted.headMap(record.offset()), receiver);
                }
                List<Integer> places = wanted.remove(record.offset());
                if (places != null) {
                    places.forEach(place -> receiver.value(place, record));
                }
                reader.next = record.offset() + 1;
            }
            reader.left = records.subList(taken, records.size());
            if (reader.left.isEmpty()) {
                reader.next = consumer.position(partition);
                missing(partition, wanted.headMap(reader.next), receiver);
            }
            wanted.values().removeIf(places -> places.stream().noneMatch(receiver::wants));
            if (wanted.isEmpty()) {
                return;
            }
            if (wanted.firstKey() > reader.next + NEAR) {
                consumer.seek(partition, wanted.firstKey());
                reader.left = List.of();
                reader.next = wanted.firstKey();
            }
            long now = System.nanoTime();
            if (reader.next > before) {
                deadline = now + patience.toNanos();
            } else if (now > deadline) {
                throw new StoreException(
                        "%s gave no records from offset %d on for %s".formatted(partition, reader.next, patience));
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
                new FormatException(
                        ("offset %d of %s has no record: it was compacted or deleted, or ends a transaction; "
                                        + "an error policy can skip it")
                                .formatted(offset, partition)))));
        passed.clear();
    }

    void close() {
        List<Reader> idle;
        synchronized (readers) {
            closed = true;
            idle = readers.stream().filter(reader -> reader.asked == 0).toList();
            readers.removeAll(idle);
        }
        idle.forEach(Reader::close);
    }
}
