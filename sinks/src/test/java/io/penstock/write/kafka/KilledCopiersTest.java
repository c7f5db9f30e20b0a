package io.penstock.write.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.kafka.Broker;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes that copy a topic, killed at any moment and started again. */
@Tag("endurance")
class KilledCopiersTest {

    private static final int RECORDS = 6_000;
    private static final int PARTITIONS = 4;
    private static final int COPIERS = 3;
    private static final int KILLS = Integer.getInteger("penstock.kills", 10);

    @Test
    void copy_ofATopic_hasEachRecordOnce_inItsOrder() throws Exception {
        Broker broker = Broker.shared();
        String origin = broker.create("origin", PARTITIONS, Map.of());
        String copy = broker.create("copy", PARTITIONS, Map.of());
        try (Producer<byte[], byte[]> producer = broker.producer()) {
            for (int i = 0; i < RECORDS; i++) {
                byte[] value = Integer.toString(i).getBytes(StandardCharsets.UTF_8);
                Broker.send(producer, origin, i / (RECORDS / PARTITIONS), value);
            }
        }

        Random random = new Random(5);
        Process[] copiers = new Process[COPIERS];
        for (int i = 0; i < COPIERS; i++) {
            copiers[i] = copier(broker, origin, copy, i);
        }
        for (int kill = 1; kill <= KILLS; kill++) {
            await(broker, copy, RECORDS * kill / (KILLS + 1) - random.nextInt(RECORDS / KILLS / 2));
            int killed = random.nextInt(COPIERS);
            copiers[killed].destroyForcibly().waitFor();
            copiers[killed] = copier(broker, origin, copy, killed);
        }
        await(broker, copy, RECORDS);
        for (Process copier : copiers) {
            copier.destroyForcibly().waitFor();
        }

        List<Integer> all = IntStream.range(0, RECORDS).boxed().toList();
        assertThat(KafkaWriterTest.read(broker, copy, PARTITIONS))
                .isEqualTo(all); // partition by partition, as they were filled
    }

    private static Process copier(Broker broker, String origin, String copy, int number) throws Exception {
        return broker.java(
                KafkaCopier.class.getName(),
                broker.settings().get("bootstrap.servers").toString(),
                origin,
                copy,
                "copier-" + number);
    }

    private static void await(Broker broker, String copy, int records) throws InterruptedException {
        while (KafkaWriterTest.read(broker, copy, PARTITIONS).size() < records) {
            Thread.sleep(20);
        }
    }
}
