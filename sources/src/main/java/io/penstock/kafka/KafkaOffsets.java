package io.penstock.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * For each partition the offset behind the last of its records that was consumed. <b>Threads</b>: {@link #and} changes
 * it, so one at a time.
 */
public final class KafkaOffsets {

    final Map<Integer, Long> next = new HashMap<>(2); // by partition

    private KafkaOffsets() {}

    /** Those of a run that has consumed nothing yet. */
    public static KafkaOffsets none() {
        return new KafkaOffsets();
    }

    /** Those behind one record. */
    public static KafkaOffsets behind(ConsumerRecord<?, ?> record) {
        return behind(KafkaTail.number(record));
    }

    /** Those behind the record of a number that {@link KafkaTail#number} gave. */
    public static KafkaOffsets behind(long number) {
        KafkaOffsets offsets = none();
        offsets.next.put(KafkaTail.partition(number), KafkaTail.offset(number) + 1);
        return offsets;
    }

    /** Adds what was consumed later; returns these offsets. */
    public KafkaOffsets and(KafkaOffsets later) {
        next.putAll(later.next);
        return this;
    }

    @Override
    public String toString() {
        return next.toString();
    }
}
