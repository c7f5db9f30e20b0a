package io.penstock.kafka;

import io.penstock.internal.Thrown;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.FluxSink;

/**
 * The thread that one consumer belongs to: polls while records are wanted, commits between polls.
 *
 * <p>Kafka's consumer is for one thread, and has to poll to stay in its group. So it polls also while nothing is wanted,
 * with all its partitions paused; other threads wake it up when that changes.
 */
final class KafkaPolling extends Thread implements ConsumerRebalanceListener {

    private static final Duration PATIENCE = Duration.ofSeconds(1);
    private static final Duration BETWEEN_COMMITS = Duration.ofMillis(100);

    private final String topic;
    private final Consumer<byte[], byte[]> consumer;
    private final FluxSink<ConsumerRecord<byte[], byte[]>> sink;
    private final Queue<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private volatile Map<Integer, Long> toCommit = Map.of();
    private long sentAt = System.nanoTime();
    private @Nullable Exception refused;
    private volatile boolean idle;
    volatile long lag;

    KafkaPolling(String topic, Consumer<byte[], byte[]> consumer, FluxSink<ConsumerRecord<byte[], byte[]>> sink) {
        super("penstock-kafka-" + topic);
        this.topic = topic;
        this.consumer = consumer;
        this.sink = sink;
        setDaemon(true);
    }

    void commit(Map<Integer, Long> offsets) {
        toCommit = offsets;
    }

    /** Records are wanted, or the flux is cancelled. */
    void wake() {
        if (idle) {
            consumer.wakeup();
        }
    }

    @Override
    public void run() {
        try (consumer) {
            consumer.subscribe(List.of(topic), this);
            while (!sink.isCancelled()) {
                commitSoon();
                deliver();
                poll();
            }
            commitNow(consumer.assignment());
        } catch (Throwable e) {
            sink.error(Thrown.signal(e));
        }
    }

    private void deliver() {
        while (!waiting.isEmpty() && sink.requestedFromDownstream() > 0) {
            sink.next(waiting.remove());
        }
    }

    private void poll() {
        idle = true; // from here on others wake it up; what they changed before is seen below
        try {
            boolean wanted = sink.requestedFromDownstream() > 0;
            if (wanted && waiting.isEmpty()) {
                consumer.resume(consumer.paused());
            } else {
                consumer.pause(consumer.assignment());
            }
            boolean goOn = wanted && !waiting.isEmpty() || sink.isCancelled();
            consumer.poll(goOn ? Duration.ZERO : PATIENCE).forEach(waiting::add);
        } catch (WakeupException e) {
            // what it was for is looked at next
        } finally {
            idle = false;
        }
        lag = consumer.assignment().stream()
                .mapToLong(partition -> consumer.currentLag(partition).orElse(0))
                .sum();
    }

    /** Offsets that are not committed yet, of the partitions among these that this consumer has. */
    private Map<TopicPartition, OffsetAndMetadata> uncommitted(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        toCommit.forEach((partition, next) -> {
            TopicPartition at = new TopicPartition(topic, partition);
            if (partitions.contains(at) && next > committed.getOrDefault(at, 0L)) {
                offsets.put(at, new OffsetAndMetadata(next));
            }
        });
        return offsets;
    }

    private void commitSoon() throws Exception {
        if (refused != null) {
            throw refused;
        }
        long now = System.nanoTime();
        Map<TopicPartition, OffsetAndMetadata> offsets = uncommitted(consumer.assignment());
        if (!offsets.isEmpty() && now - sentAt > BETWEEN_COMMITS.toNanos()) {
            sentAt = now;
            consumer.commitAsync(offsets, (done, failed) -> {
                if (failed == null) {
                    offsets.forEach((partition, next) -> committed.merge(partition, next.offset(), Math::max));
                } else if (!(failed instanceof RetriableException || failed instanceof CommitFailedException)) {
                    refused = failed; // the others pass: it is sent once more
                }
            });
        }
    }

    /** Commits what this consumer will not read on from. */
    private void commitNow(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> offsets = uncommitted(partitions);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            unwoken(() -> {
                consumer.commitSync(offsets);
                return offsets;
            });
        } catch (RebalanceInProgressException | CommitFailedException e) {
            // another consumer has the partitions, and reads on from what was committed before
        }
    }

    /** Repeats a call that was woken up: that was for the poll, which looks at everything anyway. */
    private static <T> T unwoken(Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (WakeupException e) {
                // once more
            }
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        unwoken(() -> consumer.committed(Set.copyOf(partitions))).forEach((partition, next) -> {
            if (next != null) {
                committed.put(partition, next.offset());
            }
        });
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        commitNow(partitions);
        onPartitionsLost(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        waiting.removeIf(record -> partitions.contains(new TopicPartition(topic, record.partition())));
    }
}
