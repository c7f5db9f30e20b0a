package io.penstock.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** The polling thread, over a consumer in memory. */
class KafkaPollingTest {

    private static final TopicPartition PARTITION = new TopicPartition("numbers", 0);

    /** Its first commit is refused, as by a broker that is busy. */
    private static final class Busy extends MockConsumer<byte[], byte[]> {

        private final AtomicInteger commits = new AtomicInteger();

        Busy() {
            super("earliest");
            schedulePollTask(() -> {
                rebalance(List.of(PARTITION));
                updateBeginningOffsets(Map.of(PARTITION, 0L));
                addRecord(new ConsumerRecord<>("numbers", 0, 0, new byte[0], new byte[0]));
            });
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
            if (commits.getAndIncrement() == 0) {
                callback.onComplete(offsets, new RetriableCommitFailedException("busy"));
            } else {
                super.commitAsync(offsets, callback);
            }
        }
    }

    @Test
    void commit_thatFailsForAWhile_isRepeatedWithoutAnother() {
        Busy consumer = new Busy();
        AtomicReference<KafkaPolling> polling = new AtomicReference<>();
        Disposable running = Flux.<ConsumerRecord<byte[], byte[]>>create(sink -> {
                    polling.set(new KafkaPolling("numbers", consumer, sink));
                    polling.get().start();
                })
                .subscribe(record -> polling.get().commit(Map.of(0, record.offset() + 1)));

        while (consumer.committed(Set.of(PARTITION)).get(PARTITION) == null) {
            Thread.onSpinWait();
        }
        running.dispose();

        assertThat(consumer.commits).hasValueGreaterThanOrEqualTo(2);
    }
}
