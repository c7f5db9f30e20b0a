package io.penstock.kafka;

import io.penstock.fault.StoreException;
import io.penstock.internal.index.Bits;
import io.penstock.internal.index.Selection;
import io.penstock.kafka.KafkaTopic.Range;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * Finds the offsets that have a record. Those of marks that end transactions, of aborted records and of compacted ones
 * have none. The last offset of a transaction is a mark and compaction begins at the oldest records, so both ends of a
 * range are looked at; only where one lacks a record, all is read.
 */
record PresentOffsets(String topic, Consumer<ByteBuffer, ByteBuffer> consumer, Duration patience) {

    private static final int END = 512;
    private static final Duration POLL = Duration.ofSeconds(1);

    /** The places of records among the offsets of all ranges. */
    static Selection find(String topic, Map<String, Object> settings, List<Range> ranges) {
        try (Consumer<ByteBuffer, ByteBuffer> consumer =
                new KafkaConsumer<>(settings, new ByteBufferDeserializer(), new ByteBufferDeserializer())) {
            return new PresentOffsets(topic, consumer, KafkaSettings.patience(settings)).find(ranges);
        }
    }

    private Selection find(List<Range> ranges) {
        if (ranges.stream().allMatch(this::hasWholeEnds)) {
            return new Selection.Range(
                    0, ranges.stream().mapToLong(Range::length).sum());
        }
        Bits.Builder found = new Bits.Builder(false);
        ranges.forEach(range -> count(range, found::count));
        return found.build().compact();
    }

    private boolean hasWholeEnds(Range range) {
        int partition = range.partition();
        return isWhole(new Range(partition, range.from(), Math.min(range.to(), range.from() + END)))
                && isWhole(new Range(partition, Math.max(range.from(), range.to() - END), range.to()));
    }

    private boolean isWhole(Range range) {
        AtomicBoolean whole = new AtomicBoolean(true);
        count(range, count -> whole.compareAndSet(true, count == 1));
        return whole.get();
    }

    /** Tells of each offset in turn the number of its records, 0 or 1. */
    private void count(Range range, IntConsumer counts) {
        TopicPartition at = new TopicPartition(topic, range.partition());
        consumer.assign(List.of(at));
        consumer.seek(at, range.from());
        long next = range.from();
        long deadline = System.nanoTime() + patience.toNanos();
        while (next < range.to()) {
            long before = next;
            for (ConsumerRecord<ByteBuffer, ByteBuffer> record : consumer.poll(POLL)) {
                if (record.offset() < range.to()) {
                    next = missing(next, record.offset(), counts) + 1;
                    counts.accept(1);
                }
            }
            next = missing(next, Math.min(range.to(), consumer.position(at)), counts);
            if (next > before) {
                deadline = System.nanoTime() + patience.toNanos();
            } else if (System.nanoTime() > deadline) {
                throw new StoreException("%s gave no records from offset %d on for %s".formatted(at, next, patience));
            }
        }
    }

    private static long missing(long from, long to, IntConsumer counts) {
        for (long offset = from; offset < to; offset++) {
            counts.accept(0);
        }
        return Math.max(from, to);
    }
}
