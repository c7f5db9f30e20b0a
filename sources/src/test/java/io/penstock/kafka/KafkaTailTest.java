package io.penstock.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Samples;
import io.penstock.stream.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Disposable;
import reactor.test.StepVerifier;

/** Records of topics of a real broker as they come. */
class KafkaTailTest {

    private static final int RECORDS = 2_000;
    private static final int PARTITIONS = 4;
    private static final int BROKER_KILLS = Integer.getInteger("penstock.broker.kills", 2);
    private static final int KILLS = Integer.getInteger("penstock.kills", 10);

    @SuppressWarnings("NullAway.Init")
    private static Broker broker;

    @SuppressWarnings("NullAway.Init")
    private static String numbers;

    @BeforeAll
    static void fill() throws Exception {
        broker = Broker.shared();
        numbers = fill(broker);
    }

    private static String fill(Broker server) throws Exception {
        String topic = server.create("numbers", PARTITIONS, Map.of());
        send(server, topic, PARTITIONS, 0, RECORDS);
        return topic;
    }

    private static void send(Broker server, String topic, int partitions, int from, int to) {
        try (Producer<byte[], byte[]> producer = server.producer()) {
            for (int i = from; i < to; i++) {
                byte[] value = ByteBuffer.allocate(4).putInt(i).array();
                Broker.send(producer, topic, i % partitions, value);
            }
        }
    }

    private static KafkaTail tail(String group, Object... more) {
        Map<String, Object> settings = broker.settings(more);
        settings.put("group.id", group(group));
        return KafkaTail.of(numbers, settings);
    }

    /** One of this attempt, with nothing committed. */
    private static String group(String name) {
        return name + " of " + numbers;
    }

    private static int number(ConsumerRecord<byte[], byte[]> record) {
        return ByteBuffer.wrap(record.value()).getInt();
    }

    private static List<Integer> all(int records) {
        return IntStream.range(0, records).boxed().toList();
    }

    @Test
    void records_withoutDemand_stayAtTheBroker_andKeepTheirOrder() {
        Queue<Integer> seen = new ConcurrentLinkedQueue<>();

        StepVerifier.create(
                        tail("demand", "max.poll.records", 10).records().doOnNext(record -> seen.add(number(record))),
                        0)
                .expectSubscription()
                .expectNoEvent(Duration.ofMillis(200))
                .thenRequest(7)
                .expectNextCount(7)
                .expectNoEvent(Duration.ofMillis(200))
                .thenRequest(RECORDS - 7)
                .expectNextCount(RECORDS - 7)
                .thenCancel()
                .verify();

        assertThat(seen).containsExactlyInAnyOrderElementsOf(all(RECORDS));
        for (int partition = 0; partition < PARTITIONS; partition++) {
            int of = partition;
            assertThat(seen.stream().filter(i -> i % PARTITIONS == of).toList()).isSorted();
        }
    }

    @Test
    void committed_recordsDoNotComeAgain_andTheOthersDo() {
        KafkaTail first = tail("commits");
        KafkaOffsets consumed = KafkaOffsets.none();
        Set<Integer> committed = new TreeSet<>();
        first.records()
                .take(500)
                .doOnNext(record -> {
                    if (committed.size() < 300) {
                        committed.add(number(record));
                        first.commit(consumed.and(KafkaOffsets.behind(record)));
                    }
                })
                .blockLast();

        Set<Integer> rest = tail("commits")
                .records()
                .take(RECORDS - 300)
                .map(KafkaTailTest::number)
                .collect(Collectors.toSet())
                .block();

        assertThat(rest).hasSize(RECORDS - 300).doesNotContainAnyElementsOf(committed);
    }

    @Test
    void randomNumbers_ofARecord_areTheSameWheneverItComes() {
        Map<Integer, Long> once = dice("dice 1");
        Map<Integer, Long> again = dice("dice 2");

        assertThat(once).hasSize(RECORDS).isEqualTo(again);
        assertThat(Set.copyOf(once.values())).hasSize(RECORDS);
    }

    private static Map<Integer, Long> dice(String group) {
        return tail(group)
                .records()
                .take(RECORDS)
                .transform(Samples.numbered(42, KafkaTail::number))
                .map(sample -> Map.entry(
                        number(sample.value()), sample.draw().random("dice").nextLong()))
                .collectMap(Map.Entry::getKey, Map.Entry::getValue)
                .block();
    }

    @Test
    void poison_isLeftOut_andToldWithItsNumber() {
        Queue<Long> poison = new ConcurrentLinkedQueue<>();

        List<Integer> rest = tail("poison")
                .records()
                .take(RECORDS)
                .transform(Samples.numbered(42, KafkaTail::number))
                .transform(Samples.map("parse", record -> {
                    if (number(record) % 500 == 7) {
                        throw new IllegalArgumentException("poison");
                    }
                    return number(record);
                }))
                .transform(Samples.onError(
                        ErrorPolicy.skip().budget(4).quarantine(failure -> poison.add(failure.index()))))
                .filter(Sample::isPresent)
                .map(Sample::value)
                .collectList()
                .block();

        assertThat(rest).hasSize(RECORDS - 4);
        assertThat(poison)
                .allMatch(number -> KafkaTail.partition(number) == 7 % PARTITIONS)
                .extracting(KafkaTail::offset)
                .containsExactlyInAnyOrder(1L, 126L, 251L, 376L);
    }

    @Test
    void partitions_thatMoveToAnotherConsumer_loseNothing() {
        Set<Integer> seen = new ConcurrentSkipListSet<>();
        Disposable first = consume(tail("moves", "max.poll.records", 5), seen);
        Disposable second = consume(tail("moves", "max.poll.records", 5), seen);

        while (seen.size() < RECORDS / 2) {
            Thread.onSpinWait();
        }
        first.dispose();
        while (seen.size() < RECORDS) {
            Thread.onSpinWait();
        }
        second.dispose();

        assertThat(seen).containsExactlyElementsOf(all(RECORDS));
    }

    private static Disposable consume(KafkaTail tail, Set<Integer> seen) {
        KafkaOffsets consumed = KafkaOffsets.none();
        return tail.records().subscribe(record -> {
            seen.add(number(record));
            tail.commit(consumed.and(KafkaOffsets.behind(record)));
        });
    }

    /** A reader of a group, and what it has seen: by number, what augmentation drew. */
    private record Reader(Disposable running, Map<Integer, Long> seen) {

        static Reader start(String topic, Map<Integer, Long> all) throws Exception {
            Map<Integer, Long> before = broker.committed(topic);
            Map<Integer, Long> seen = new ConcurrentHashMap<>();
            KafkaTail tail = KafkaTail.of(
                    topic, broker.settings("group.id", topic, "max.poll.records", 20, "heartbeat.interval.ms", 100));
            KafkaOffsets consumed = KafkaOffsets.none();
            Disposable running = tail.records()
                    .transform(Samples.numbered(42, KafkaTail::number))
                    .limitRate(16)
                    .delayElements(Duration.ofMillis(1))
                    .subscribe(sample -> {
                        ConsumerRecord<byte[], byte[]> record = sample.value();
                        assertThat(record.offset()).isGreaterThanOrEqualTo(before.getOrDefault(record.partition(), 0L));
                        long dice = sample.draw().random("dice").nextLong();
                        assertThat(all.putIfAbsent(number(record), dice)).isIn(null, dice);
                        seen.put(number(record), dice);
                        tail.commit(consumed.and(KafkaOffsets.behind(record)));
                    });
            return new Reader(running, seen);
        }
    }

    @Tag("endurance")
    @Test
    void readers_oneToFive_thatComeAndGo_loseNothing_norRepeatWhatWasCommitted() throws Exception {
        int records = 20_000;
        String topic = broker.create("moving", 10, Map.of());
        send(broker, topic, 10, 0, records);
        Map<Integer, Long> all = new ConcurrentHashMap<>();
        Deque<Reader> readers = new ArrayDeque<>();
        for (int wanted : new int[] {1, 2, 3, 4, 5, 3, 1, 4, 2, 5}) {
            while (readers.size() > wanted) {
                readers.remove().running().dispose();
            }
            while (readers.size() < wanted) {
                readers.add(Reader.start(topic, all));
                Reader last = readers.getLast();
                while (last.seen().isEmpty() && all.size() < records) {
                    assertThat(readers).noneMatch(reader -> reader.running().isDisposed());
                    Thread.sleep(10);
                }
            }
        }
        while (all.size() < records
                || broker.committed(topic).values().stream()
                                .mapToLong(next -> next)
                                .sum()
                        < records) {
            assertThat(readers).noneMatch(reader -> reader.running().isDisposed());
            Thread.sleep(100);
        }
        readers.forEach(reader -> reader.running().dispose());

        assertThat(all.keySet()).containsExactlyInAnyOrderElementsOf(all(records));
    }

    @Tag("endurance")
    @Test
    void broker_killedAndStartedAgain_losesNothing(@TempDir Path folder) throws Exception {
        try (Broker killed = Broker.start(folder)) {
            String topic = fill(killed);
            Set<Integer> seen = new ConcurrentSkipListSet<>();
            Disposable consumer = consume(KafkaTail.of(topic, killed.settings("group.id", "kills")), seen);
            for (int kill = 1; kill <= BROKER_KILLS; kill++) {
                int sent = RECORDS + kill * 100;
                killed.kill();
                killed.start();
                send(killed, topic, PARTITIONS, sent - 100, sent);
                while (seen.size() < sent) {
                    Thread.sleep(10);
                }
            }
            consumer.dispose();

            assertThat(seen).containsExactlyElementsOf(all(RECORDS + 100 * BROKER_KILLS));
        }
    }

    /** Processes of one group, killed at any moment. Each says of every record what its augmentation drew. */
    @Tag("endurance")
    @Test
    void reader_killedAtAnyMoment_goesOnBehindWhatItCommitted(@TempDir Path folder) throws Exception {
        Random random = new Random(3);
        Map<Integer, Long> drawn = new HashMap<>();
        for (int run = 0; run < KILLS || drawn.size() < RECORDS; run++) {
            Map<Integer, Long> committed = broker.committed(group("killed"));
            Path file = folder.resolve("run-" + run);
            Process reader = broker.java(
                    KafkaReader.class.getName(),
                    broker.settings().get("bootstrap.servers").toString(),
                    numbers,
                    group("killed"),
                    file.toString());
            long left = RECORDS
                    - committed.values().stream().mapToLong(next -> next).sum();
            long lines = Math.min(left, random.nextInt(2 * RECORDS / KILLS));
            while (lines(file).size() < lines && reader.isAlive()) {
                Thread.sleep(5);
            }
            reader.destroyForcibly().waitFor();

            Map<Integer, Long> next = new HashMap<>(committed);
            for (String line : lines(file)) {
                String[] words = line.split(" ", -1);
                int partition = Integer.parseInt(words[0]);
                assertThat(Long.parseLong(words[1])).isEqualTo(next.getOrDefault(partition, 0L));
                next.put(partition, Long.parseLong(words[1]) + 1);
                Long before = drawn.put(Integer.parseInt(words[2]), Long.parseLong(words[3]));
                assertThat(before).isIn(null, Long.parseLong(words[3]));
            }
        }

        assertThat(drawn.keySet()).containsExactlyInAnyOrderElementsOf(all(RECORDS));
    }

    /** The whole lines of a file, which a process that was killed may have left with half a line. */
    private static List<String> lines(Path file) throws IOException {
        String text = Files.exists(file) ? Files.readString(file) : "";
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    }

    @Test
    void settings_thatContradict_areRefusedAtOnce() {
        assertThatThrownBy(() -> KafkaTail.of(numbers, broker.settings()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group.id");

        KafkaTail once = tail("once");
        once.records().take(1).blockLast();
        StepVerifier.create(once.records()).verifyErrorMessage("a KafkaTail is subscribed to once: make another one");
    }
}
