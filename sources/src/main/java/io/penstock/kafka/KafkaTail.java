package io.penstock.kafka;

import io.penstock.internal.GuardedScheduler;
import io.penstock.internal.OptionalLibrary;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * The records of a topic as they come, for a group of consumers.
 * <pre>{@code
 *  KafkaTail tail = KafkaTail.of("frames", Map.of("bootstrap.servers", "127.0.0.1:9092", "group.id", "trainer"));
 *  Commits<KafkaOffsets> commits =
 *          Commits.at(KafkaOffsets.none(), 0, KafkaOffsets::and, (offsets, number) -> tail.commit(offsets));
 *
 *  tail.records()
 *      .transform(commits.offsets(KafkaOffsets::behind))
 *      .transform(Samples.numbered(42, KafkaTail::number))
 *      .transform(Samples.map("parse", Frame::parse))
 *      .transform(Samples.augment("flip", Frame::flip))
 *      .transform(Batches.of(256, schema))
 *      .transform(commits.onClose())
 * }</pre>
 *
 * <p><b>Delivery.</b> A record that was committed does not come again to the group, and none is lost. After a failure,
 * or when a partition moves to another consumer, the records come again that are not committed. Records of one partition
 * come in their order. {@link #number} makes the random numbers of a record the same each time it comes.
 *
 * <p><b>Backpressure.</b> The partitions are paused while no record is wanted; the consumer stays in its group. Ahead of
 * what is wanted are at most what the client fetches ({@code fetch.max.bytes}) and what one poll returns
 * ({@code max.poll.records}), and 1,024 records.
 *
 * <p><b>Settings</b> are those of Kafka's consumer. {@code isolation.level} is {@code read_committed} and
 * {@code auto.offset.reset} is {@code earliest} unless set; offsets are committed by {@link #commit} alone.
 *
 * <p><b>Threads.</b> A thread of its own polls. Records are delivered on a thread that may block.
 * <b>Errors</b>: what the client cannot mend by itself ends the flux. <b>Cancel</b>: commits what {@link #commit} was
 * given, and leaves the group.
 */
public final class KafkaTail {

    private static final int AHEAD = 1024;
    private static final int OFFSET_BITS = 48;

    private final String topic;
    private final Map<String, Object> settings;
    private final AtomicBoolean used = new AtomicBoolean();
    private volatile @Nullable KafkaPolling polling;

    private KafkaTail(String topic, Map<String, Object> settings) {
        this.topic = topic;
        this.settings = settings;
    }

    /**
     * A consumer of a topic, which joins its group once its records are subscribed to.
     * @param settings of Kafka's consumer, with {@code bootstrap.servers} and {@code group.id}
     * @throws IllegalArgumentException if one of these is missing, or {@code enable.auto.commit} is set
     */
    public static KafkaTail of(String topic, Map<String, ?> settings) {
        OptionalLibrary.KAFKA.require(KafkaTail.class);
        Map<String, Object> own = KafkaSettings.of(settings);
        KafkaSettings.require(own, ConsumerConfig.GROUP_ID_CONFIG, "a name that the consumers of one job share");
        return new KafkaTail(topic, own);
    }

    /** The records, without end. One subscription: a group's next consumer is another {@code KafkaTail}. */
    public Flux<ConsumerRecord<byte[], byte[]>> records() {
        return Flux.create(this::begin, FluxSink.OverflowStrategy.ERROR).publishOn(GuardedScheduler.ELASTIC, AHEAD);
    }

    private void begin(FluxSink<ConsumerRecord<byte[], byte[]>> sink) {
        if (!used.compareAndSet(false, true)) {
            sink.error(new IllegalStateException("a KafkaTail is subscribed to once: make another one"));
            return;
        }
        KafkaPolling started = new KafkaPolling(topic, KafkaSettings.consumer(settings), sink);
        polling = started;
        sink.onRequest(n -> started.wake());
        sink.onDispose(started::wake);
        started.start();
    }

    /**
     * Commits offsets soon, on the polling thread. Those of partitions that other consumers have by now are left out,
     * and those behind which the group has committed already. Does not block.
     */
    public void commit(KafkaOffsets offsets) {
        KafkaPolling now = polling;
        if (now == null) {
            throw new IllegalStateException("cannot commit %s: no record came yet".formatted(offsets));
        }
        now.commit(Map.copyOf(offsets.next));
    }

    /** The number of records that this consumer's partitions hold behind the last one polled, as far as it knows. */
    public long lag() {
        KafkaPolling now = polling;
        return now == null ? 0 : now.lag;
    }

    /**
     * A number that tells a record of its topic from all others: its partition and its offset.
     * @throws IllegalArgumentException if there are more than 32,767 partitions or 2<sup>48</sup> offsets
     */
    public static long number(ConsumerRecord<?, ?> record) {
        if (record.partition() > Short.MAX_VALUE || record.offset() >>> OFFSET_BITS != 0) {
            throw new IllegalArgumentException("cannot number offset %d of partition %d: out of range"
                    .formatted(record.offset(), record.partition()));
        }
        return (long) record.partition() << OFFSET_BITS | record.offset();
    }

    /** The partition of the record that {@link #number} has numbered so. */
    public static int partition(long number) {
        return (int) (number >>> OFFSET_BITS);
    }

    /** The offset of the record that {@link #number} has numbered so. */
    static long offset(long number) {
        return number & (1L << OFFSET_BITS) - 1;
    }

    @Override
    public String toString() {
        return "kafka topic " + topic;
    }
}
