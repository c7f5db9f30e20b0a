package io.penstock.write.kafka;

import io.penstock.kafka.KafkaOffsets;
import io.penstock.kafka.KafkaTail;
import io.penstock.pipeline.Samples;
import java.util.Map;

/** Copies a topic into another until it is killed, beside others that do the same. */
final class KafkaCopier {

    private KafkaCopier() {}

    /** Arguments: the broker, the topics, the copier's own name. */
    public static void main(String[] arguments) {
        while (true) {
            try {
                copy(arguments);
            } catch (RuntimeException e) {
                System.out.println(e); // another one has a partition of this one now
            }
        }
    }

    private static void copy(String... arguments) {
        KafkaTail tail = KafkaTail.of(
                arguments[1],
                Map.of(
                        "bootstrap.servers",
                        arguments[0],
                        "group.id",
                        arguments[2],
                        "group.instance.id",
                        arguments[3],
                        "max.poll.records",
                        20));
        KafkaWriter<byte[]> writer = KafkaWriter.<byte[]>of(
                        arguments[2],
                        Map.of("bootstrap.servers", arguments[0], "transactional.id", arguments[2]),
                        value -> value)
                .samplesEach(32);
        KafkaOffsets written = KafkaOffsets.none();
        tail.records()
                .transform(Samples.numbered(42, KafkaTail::number))
                .transform(Samples.map("value", record -> record.value()))
                .transform(writer.byNumber(KafkaTail::partition))
                .doOnNext(draws -> {
                    draws.forEach(draw -> written.and(KafkaOffsets.behind(draw.index())));
                    tail.commit(written);
                })
                .blockLast();
    }
}
