package io.penstock.kafka;

import io.penstock.cache.Fingerprint;
import io.penstock.cache.SampleKey;
import io.penstock.fault.FormatException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Arguments;
import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.OptionalLibrary;
import io.penstock.internal.PartNumbers;
import io.penstock.internal.Told;
import io.penstock.internal.index.Selection;
import io.penstock.kafka.TopicReads.Taker;
import io.penstock.kafka.TopicReads.Wanted;
import io.penstock.order.internal.Mixing;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.GroupLoader;
import io.penstock.pipeline.SampleId;
import io.penstock.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * The records of a topic between two offsets of each partition: what is there already can be shuffled, sharded, cached
 * and resumed as files can.
 *
 * <p>Index 0 is the first record of the lowest partition; partitions lie one behind the other. The ranges are fixed when
 * opening, and {@link #ranges} tells them: a run that is to be resumed after the topic has grown opens the same ranges.
 * Keys depend on the topic's id, the partition and the offset, so a cache serves longer ranges too, and nothing of
 * another topic of the same name. A topic that is deleted and made anew while it is open fails to be read within a second.
 *
 * <p><b>Offsets without a record</b>, of the marks that end transactions and of aborted or compacted records, are no
 * samples. Where one of the 512 offsets at an end of a partition's range has none, opening reads all of the topic to find
 * them, and keeps a bit for each offset. The fingerprint depends on them. One that is not found so, since only the middle
 * lacks records, and a record that is compacted or deleted later are a {@link FormatException}, which an error policy may
 * skip. Ranges that are opened again after they were compacted have fewer samples: a run is not resumed on them.
 *
 * <p><b>Speed.</b> A group of draws is read in the order of its offsets. A broker sends records in blocks, so single
 * records in random order cost a block each: shuffle in windows, or put a cache behind.
 *
 * <p><b>Memory</b>: of each consumer the answer to a request, 1 MiB, or 4 MiB where records lie together, unless
 * {@code max.partition.fetch.bytes} is set. <b>Threads</b>: at most {@value #READERS} of its own read, with consumers of no
 * group; one of the client asks for the topic's id.
 */
public final class KafkaTopic
        implements Dataset<ConsumerRecord<byte[], byte[]>>, AutoCloseable, GroupLoader<ConsumerRecord<byte[], byte[]>> {

    private static final int READERS = 4;
    private static final int GROUP = 512;

    private final String topic;
    private final TopicReads reads;
    private final Range[] ranges;
    private final PartNumbers numbers;
    private final Selection present;
    private final SampleKey[] keys;
    private final Fingerprint fingerprint;
    private final Scheduler readers = GuardedScheduler.ofThreads(READERS, "penstock-kafka-read");

    /** The offsets of a partition from one to another, which is not among them. */
    public record Range(int partition, long from, long to) {
        public Range {
            boolean none = partition < 0 || from < 0 || to < from;
            Arguments.refuse(none, "offsets %d to %d of partition %d are no range", from, to, partition);
        }

        long length() {
            return to - from;
        }
    }

    private KafkaTopic(String topic, TopicReads reads, List<Range> ranges, Selection present) {
        String id = reads.id.toString();
        this.topic = topic;
        this.reads = reads;
        this.ranges = ranges.toArray(Range[]::new);
        this.numbers = new PartNumbers(ranges.size(), part -> this.ranges[part].length());
        this.present = present;
        this.keys = ranges.stream()
                .map(range -> SampleKey.of("kafka", id, Integer.toString(range.partition)))
                .toArray(SampleKey[]::new);
        boolean whole = present.size() == numbers.size();
        this.fingerprint = Fingerprint.of("kafka", id, whole ? ranges.toString() : ranges + " " + hash(present));
    }

    private static long hash(Selection present) {
        return LongStream.range(0, present.size()).map(present::at).reduce(0, Mixing::fold);
    }

    /**
     * What a topic holds now. Blocks.
     * @param settings of Kafka's consumer, with {@code bootstrap.servers}
     * @throws StoreException if the brokers do not answer, or there is no such topic, or it is empty
     */
    public static KafkaTopic open(String topic, Map<String, ?> settings) {
        return open(topic, settings, List.of());
    }

    /**
     * These ranges of a topic, in the order of their partitions. Blocks.
     * @throws IllegalArgumentException if two are of one partition
     * @throws StoreException if the brokers do not answer, or a range is not there
     */
    public static KafkaTopic open(String topic, Map<String, ?> settings, List<Range> ranges) {
        OptionalLibrary.KAFKA.require(KafkaTopic.class);
        Map<String, Object> own = KafkaSettings.of(settings);
        own.remove(ConsumerConfig.GROUP_ID_CONFIG);
        own.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest"); // passes over what retention has deleted
        own.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 1); // what comes is not wanted
        try (Consumer<byte[], byte[]> consumer = KafkaSettings.consumer(own)) {
            SortedMap<Integer, Range> held = held(consumer, topic);
            SortedMap<Integer, Range> chosen = ranges.isEmpty() ? held : within(held, ranges, topic);
            return open(topic, new TopicReads(topic, own), List.copyOf(chosen.values()));
        } catch (StoreException | IllegalArgumentException e) {
            throw e;
        } catch (RuntimeException e) { // not KafkaException, which a class path without the client lacks
            throw new StoreException(
                    "cannot open kafka topic %s at %s: %s"
                            .formatted(topic, own.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG), e.getMessage()),
                    e);
        }
    }

    private static KafkaTopic open(String topic, TopicReads reads, List<Range> ranges) {
        try {
            Selection present = reads.present(ranges);
            if (present.size() == 0) {
                throw new StoreException("kafka topic %s has no records in %s".formatted(topic, ranges));
            }
            return new KafkaTopic(topic, reads, ranges, present);
        } catch (RuntimeException e) {
            reads.close();
            throw e;
        }
    }

    private static SortedMap<Integer, Range> held(Consumer<byte[], byte[]> consumer, String topic) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(each -> new TopicPartition(topic, each.partition()))
                .toList();
        Map<TopicPartition, Long> first = consumer.beginningOffsets(partitions);
        SortedMap<Integer, Range> held = new TreeMap<>();
        consumer.endOffsets(partitions).forEach((each, end) -> {
            long from = Objects.requireNonNull(first.get(each), "an offset");
            if (from < end) {
                held.put(each.partition(), new Range(each.partition(), from, end));
            }
        });
        if (held.isEmpty()) {
            throw new StoreException(
                    "kafka topic %s has no records in its %d partitions".formatted(topic, partitions.size()));
        }
        return held;
    }

    private static SortedMap<Integer, Range> within(Map<Integer, Range> held, List<Range> wanted, String topic) {
        SortedMap<Integer, Range> sorted = new TreeMap<>();
        for (Range range : wanted) {
            Range has = held.get(range.partition);
            boolean again = sorted.put(range.partition, range) != null;
            Arguments.refuse(again, "two ranges of partition %d", range.partition);
            if (has == null || range.from < has.from || range.to > has.to) {
                throw new StoreException("kafka topic %s does not hold offsets %d to %d of partition %d; it has %s"
                        .formatted(topic, range.from, range.to, range.partition, has == null ? "none" : has));
            }
        }
        return sorted;
    }

    /** The records' values, {@code u8[n]}. One without a value is a {@link FormatException}. */
    public Dataset<Tensor> values() {
        return map("value", record -> {
            if (record.value() == null) {
                throw new FormatException(
                        "the record has no value: it deletes what has its key; an error policy can skip it");
            }
            return Tensor.ofBytes(record.value());
        });
    }

    /** What it reads, for {@link #open(String, Map, List)}. */
    public List<Range> ranges() {
        return List.of(ranges);
    }

    @Override
    public long size() {
        return present.size();
    }

    @Override
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    private long offset(long place, int part) {
        return ranges[part].from + numbers.within(place, part);
    }

    @Override
    public SampleId id(long index) {
        long place = present.at(index);
        int part = numbers.part(place);
        long offset = offset(place, part);
        return SampleId.of(
                keys[part].with(offset),
                () -> "%s/%d@%d".formatted(topic, ranges[part].partition, offset),
                () -> List.of("topic " + topic, "topic id " + reads.id));
    }

    @Override
    public int groupSize() {
        return GROUP;
    }

    @Override
    public Mono<ConsumerRecord<byte[], byte[]>> get(long index) {
        return Told.<ConsumerRecord<byte[], byte[]>>mono(told -> read(
                        new long[] {index},
                        place -> true,
                        (wanted, record) -> told.tell(record, record == null ? missing(wanted) : null)))
                .subscribeOn(readers);
    }

    @Override
    public Mono<Void> getAll(long[] indices, Receiver<ConsumerRecord<byte[], byte[]>> receiver) {
        return Mono.<Void>fromRunnable(() -> read(indices, receiver::wants, (wanted, record) -> {
                    if (record == null) {
                        receiver.failure(wanted.place(), missing(wanted));
                    } else {
                        receiver.value(wanted.place(), record);
                    }
                }))
                .subscribeOn(readers);
    }

    private FormatException missing(Wanted wanted) {
        return new FormatException(
                ("offset %d of %s-%d has no record: it was compacted or deleted, or ends a transaction; "
                                + "an error policy can skip it")
                        .formatted(wanted.offset(), topic, wanted.partition()));
    }

    private void read(long[] indices, IntPredicate wants, Taker taker) {
        SortedMap<Integer, ArrayDeque<Wanted>> wanted = IntStream.range(0, indices.length)
                .mapToObj(place -> wanted(place, present.at(indices[place])))
                .sorted(Comparator.comparingLong(Wanted::offset))
                .collect(Collectors.groupingBy(
                        Wanted::partition, TreeMap::new, Collectors.toCollection(ArrayDeque::new)));
        reads.read(wanted, wants, taker);
    }

    private Wanted wanted(int place, long number) {
        int part = numbers.part(number);
        return new Wanted(place, ranges[part].partition, offset(number, part));
    }

    /** Ends reads under way, and closes its consumers then. Does not wait for them. */
    @Override
    public void close() {
        readers.dispose();
        readers.disposeGracefully().doOnTerminate(reads::close).subscribe();
    }

    @Override
    public String toString() {
        String offsets = Arrays.stream(ranges)
                .map(range -> "%d:%d..%d".formatted(range.partition, range.from, range.to))
                .collect(Collectors.joining(","));
        return "kafka topic %s %s".formatted(topic, offsets);
    }
}
