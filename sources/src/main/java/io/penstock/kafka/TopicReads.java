package io.penstock.kafka;

import io.penstock.fault.StoreException;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Selection;
import io.penstock.kafka.KafkaTopic.Range;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Reads records by their offsets, with consumers of no group that are kept for the next read. They do not tell when the
 * topic is deleted and another one of its name is made, so the brokers are asked for its id once a second.
 */
final class TopicReads {

    private static final Duration POLL = Duration.ofSeconds(1);
    private static final long BETWEEN_QUESTIONS = Duration.ofSeconds(1).toNanos();

    /** Records that are read and dropped rather than sought past: a seek drops what the client has fetched. */
    private static final long NEAR = 2_000;

    private static final int END = 512;
    private static final int AT_ONCE = 4096;

    /** Kafka's own bound, for records far from each other: more of an answer would be dropped. */
    private static final int FETCH = 1 << 20;

    /** For records that lie together: the client asks for more only when it has none left, and then waits. */
    private static final int LARGE_FETCH = 4 << 20;

    private final String topic;
    private final Map<String, Object> settings;
    private final Duration patience;
    private final Admin admin;
    final Uuid id;
    private final List<Reader> readers = new ArrayList<>();
    private volatile long askedAt = System.nanoTime();

    /** A consumer, and where it goes on: a seek would drop what it has fetched. */
    private final class Reader {
        final int fetchBytes;

        private @Nullable Consumer<byte[], byte[]> consumer;

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

        /** Asks for this many bytes of a partition at a time, unless the user has given a number. */
        Consumer<byte[], byte[]> consumer() {
            if (consumer == null) {
                Map<String, Object> own = new HashMap<>(settings);
                own.putIfAbsent(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, fetchBytes);
                consumer = KafkaSettings.consumer(own);
            }
            return consumer;
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

    /** Of the topic of this name that there is now. */
    TopicReads(String topic, Map<String, Object> settings) {
        this.topic = topic;
        this.settings = settings;
        Object millis = settings.getOrDefault(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, 60_000);
        this.patience = Duration.ofMillis(Long.parseLong(millis.toString()));
        this.admin = Admin.create(settings);
        try {
            this.id = idNow();
        } catch (KafkaException e) {
            admin.close();
            throw e;
        }
    }

    private Uuid idNow() {
        try {
            var found = admin.describeTopics(List.of(topic)).allTopicNames().get();
            return Objects.requireNonNull(found.get(topic)).topicId();
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ExecutionException e) {
            throw new KafkaException(Objects.requireNonNullElse(e.getCause(), e).getMessage(), e);
        }
    }

    /** Else records of another topic would be cached by the keys of this one's. */
    private void requireSame() {
        long now = System.nanoTime();
        if (now - askedAt > BETWEEN_QUESTIONS) {
            if (!idNow().equals(id)) {
                throw madeAnew();
            }
            askedAt = now;
        }
    }

    private StoreException madeAnew() {
        return new StoreException(
                "kafka topic %s was deleted and made anew since it was opened; open it again".formatted(topic));
    }

    /** An offset that is wanted at a place, and perhaps at others too. */
    record Wanted(int place, int partition, long offset) {}

    /** Takes what was wanted, and its record; null if it has none. */
    interface Taker {
        void take(Wanted wanted, @Nullable ConsumerRecord<byte[], byte[]> record);
    }

    /**
     * Reads what is wanted of each partition, in the order of the offsets, and removes it there. Ends early if it is
     * interrupted.
     * @param wants whether a place is still waited for
     */
    void read(SortedMap<Integer, ArrayDeque<Wanted>> wanted, IntPredicate wants, Taker taker) {
        Reader reader = reader(wanted);
        reader.lock.lock();
        try {
            requireSame();
            wanted.forEach((partition, some) -> read(reader, new TopicPartition(topic, partition), some, wants, taker));
        } catch (InterruptException e) { // the load was cancelled
            Thread.interrupted();
        } catch (KafkaException e) {
            throw new StoreException("cannot read kafka topic %s: %s".formatted(topic, e.getMessage()), e);
        } finally {
            reader.lock.unlock();
            synchronized (readers) {
                reader.asked--;
            }
        }
    }

    /** One that comes to the place by itself, which may be at work; else one that has nothing to do. */
    private Reader reader(SortedMap<Integer, ArrayDeque<Wanted>> wanted) {
        int partition = wanted.firstKey();
        long from = Objects.requireNonNull(wanted.get(partition)).element().offset;
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
            found.end = Objects.requireNonNull(wanted.get(found.partition)).getLast().offset + 1;
            return found;
        }
    }

    private static boolean lieTogether(Deque<Wanted> wanted) {
        return wanted.size() > 1 && wanted.getLast().offset - wanted.element().offset < 16L * wanted.size();
    }

    private void read(Reader reader, TopicPartition partition, Deque<Wanted> wanted, IntPredicate wants, Taker taker) {
        Consumer<byte[], byte[]> consumer = reader.consumer();
        TopicPartition at = reader.at;
        reader.at = null; // the next read seeks, unless this one ends well
        long deadline = System.nanoTime() + patience.toNanos();
        while (!wanted.isEmpty()) {
            long first = wanted.element().offset;
            if (!partition.equals(at) || first < reader.next || first > reader.next + NEAR) {
                consumer.assign(List.of(partition));
                consumer.seek(partition, first);
                reader.left = List.of();
                at = partition;
                reader.next = first;
            }
            long before = reader.next;
            List<ConsumerRecord<byte[], byte[]>> records =
                    reader.left.isEmpty() ? consumer.poll(POLL).records(partition) : reader.left;
            if (consumer.position(partition) < before) { // reset, since the partition ends before it
                throw madeAnew();
            }
            int taken = 0;
            for (; taken < records.size() && !wanted.isEmpty(); taken++) {
                ConsumerRecord<byte[], byte[]> record = records.get(taken);
                missing(wanted, record.offset(), taker);
                while (!wanted.isEmpty() && wanted.element().offset == record.offset()) {
                    taker.take(wanted.remove(), record);
                }
            }
            reader.left = records.subList(taken, records.size());
            reader.next = reader.left.isEmpty()
                    ? consumer.position(partition)
                    : reader.left.get(0).offset();
            missing(wanted, reader.next, taker);
            wanted.removeIf(each -> !wants.test(each.place));
            long now = System.nanoTime();
            if (reader.next > before) {
                deadline = now + patience.toNanos();
            } else if (now > deadline && !wanted.isEmpty()) {
                throw new StoreException(
                        "%s gave no records from offset %d on for %s".formatted(partition, reader.next, patience));
            }
        }
        reader.at = at;
    }

    /** Tells those who want what was passed without a record. */
    private static void missing(Deque<Wanted> wanted, long passed, Taker taker) {
        while (!wanted.isEmpty() && wanted.element().offset < passed) {
            taker.take(wanted.remove(), null);
        }
    }

    /**
     * The places of records among the offsets of ranges. Those of marks that end transactions, of aborted records and of
     * compacted ones have none. The last offset of a transaction is a mark and compaction begins at the oldest records, so
     * both ends of a range are looked at; only where one lacks a record, all is read.
     */
    Selection present(List<Range> ranges) {
        List<Range> ends = ranges.stream()
                .flatMap(range -> Stream.of(
                        new Range(range.partition(), range.from(), Math.min(range.to(), range.from() + END)),
                        new Range(range.partition(), Math.max(range.from(), range.to() - END), range.to())))
                .toList();
        return found(ends).size() == length(ends)
                ? new Selection.Range(0, length(ranges))
                : found(ranges).compact();
    }

    private static long length(List<Range> ranges) {
        return ranges.stream().mapToLong(Range::length).sum();
    }

    private Bits found(List<Range> ranges) {
        Bits.Builder found = new Bits.Builder(false);
        for (Range range : ranges) {
            for (long from = range.from(); from < range.to(); from += AT_ONCE) {
                ArrayDeque<Wanted> wanted = LongStream.range(from, Math.min(range.to(), from + AT_ONCE))
                        .mapToObj(offset -> new Wanted(0, range.partition(), offset))
                        .collect(Collectors.toCollection(ArrayDeque::new));
                read(
                        new TreeMap<>(Map.of(range.partition(), wanted)),
                        place -> true,
                        (told, record) -> found.count(record == null ? 0 : 1));
                if (!wanted.isEmpty()) {
                    Thread.currentThread().interrupt(); // as it was
                    throw new StoreException("interrupted while looking for records in " + range);
                }
            }
        }
        return found.build();
    }

    /** To be called once no read is under way. */
    void close() {
        readers.forEach(Reader::close);
        admin.close(Duration.ZERO);
    }
}
