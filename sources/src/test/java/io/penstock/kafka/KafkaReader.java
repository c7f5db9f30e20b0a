package io.penstock.kafka;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import io.penstock.pipeline.Samples;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Reads a topic until it is killed, and appends to a file what it read: partition, offset, value, random number. */
final class KafkaReader {

    private static final int BATCH = 16;

    private KafkaReader() {}

    /** Arguments: the broker, the topic, the group, the file. */
    public static void main(String[] arguments) {
        Path file = Path.of(arguments[3]);
        KafkaTail tail = KafkaTail.of(
                arguments[1],
                Map.of(
                        "bootstrap.servers",
                        arguments[0],
                        "group.id",
                        arguments[2],
                        "group.instance.id",
                        "reader",
                        "max.poll.records",
                        50));
        KafkaOffsets consumed = KafkaOffsets.none();
        tail.records()
                .transform(Samples.numbered(42, KafkaTail::number))
                .buffer(BATCH)
                .doOnNext(batch -> {
                    append(file, batch);
                    batch.forEach(sample -> consumed.and(KafkaOffsets.behind(sample.value())));
                    tail.commit(consumed);
                })
                .blockLast();
    }

    private static void append(Path file, List<Sample<ConsumerRecord<byte[], byte[]>>> batch) {
        StringBuilder lines = new StringBuilder();
        for (Sample<ConsumerRecord<byte[], byte[]>> sample : batch) {
            ConsumerRecord<byte[], byte[]> record = sample.value();
            lines.append("%d %d %d %d%n"
                    .formatted(
                            record.partition(),
                            record.offset(),
                            ByteBuffer.wrap(record.value()).getInt(),
                            sample.draw().random("dice").nextLong()));
        }
        try {
            Files.writeString(file, lines, CREATE, APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
