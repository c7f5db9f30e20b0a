package io.penstock.write.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import io.penstock.kafka.Broker;
import io.penstock.memory.MemoryDataset;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Samples;
import io.penstock.stream.Sample;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Samples in topics of a real broker. */
class KafkaWriterTest {

    private static final int SIZE = 1_000;
    private static final int EACH = 64;

    private static final MemoryDataset<Integer> NUMBERS =
            MemoryDataset.of("numbers", IntStream.range(0, SIZE).boxed().toList());

    @SuppressWarnings("NullAway.Init")
    private static Broker broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Broker.shared();
    }

    private static String topic(String name, int partitions) throws Exception {
        return broker.create(name, partitions, Map.of());
    }

    private static KafkaWriter<Integer> writer(String topic, String job) {
        return KafkaWriter.<Integer>of(
                        topic,
                        broker.settings("transactional.id", job),
                        number -> Integer.toString(number).getBytes(StandardCharsets.UTF_8))
                .samplesEach(EACH);
    }

    private static Flux<Sample<Integer>> shuffled(Position from) {
        return NUMBERS.stream(Sampler.shuffled(7).resumeAt(from));
    }

    /** What readers of committed records see, partition by partition. */
    static List<Integer> read(Broker at, String topic, int partitions) {
        return IntStream.range(0, partitions)
                .boxed()
                .flatMap(partition -> at.read(topic, partition).stream())
                .map(value -> Integer.valueOf(new String(value, StandardCharsets.UTF_8)))
                .toList();
    }

    private static List<Integer> inOrder() {
        return shuffled(Position.START).map(Sample::value).collectList().block();
    }

    @Test
    void samples_areWrittenOnce_inTheirOrder_andTheirDrawsToldBehindIt() throws Exception {
        String topic = topic("whole", 1);

        List<List<Draw>> told = shuffled(Position.START)
                .transform(writer(topic, topic).into(0))
                .collectList()
                .block();
        shuffled(Position.START).transform(writer(topic, topic).into(0)).blockLast(); // started again when all is there

        assertThat(read(broker, topic, 1)).isEqualTo(inOrder());
        assertThat(told.stream().flatMap(List::stream).mapToLong(Draw::index))
                .containsExactlyElementsOf(shuffled(Position.START)
                        .map(sample -> sample.draw().index())
                        .toIterable());
        assertThat(writer(topic, topic).position(0).block()).isEqualTo(new Position(1, 0));
    }

    @Test
    void readers_seeAllSamples_onceTheWriterHasCompleted() throws Exception {
        String topic = topic("visible", 1);
        for (int run = 1; run <= 20; run++) {
            shuffled(Position.START)
                    .take(run)
                    .transform(writer(topic, topic).into(0))
                    .blockLast();

            assertThat(broker.end(topic, 0, "read_committed")).isEqualTo(broker.end(topic, 0, "read_uncommitted"));
        }
    }

    @Test
    void cancelledAtAnyPoint_andStartedAgain_writesEachSampleOnce() throws Exception {
        String topic = topic("cancelled", 1);
        for (int run = 0; run < 4; run++) {
            Position from = writer(topic, topic).position(0).block();
            AtomicLong seen = new AtomicLong();
            long stop = 100 + 70L * run;
            // cancels while samples of the next transaction are being written
            shuffled(run % 2 == 0 ? from : Position.START)
                    .takeUntil(sample -> seen.incrementAndGet() == 2 * stop)
                    .transform(writer(topic, topic).into(0))
                    .takeUntil(draws -> seen.get() >= stop)
                    .blockLast();
        }
        shuffled(Position.START).transform(writer(topic, topic).into(0)).blockLast();

        assertThat(read(broker, topic, 1)).isEqualTo(inOrder());
    }

    @Test
    void failure_endsAsError_abortsItsTransaction_andTheNextRunGoesOn() throws Exception {
        String topic = topic("failed", 1);
        AtomicLong made = new AtomicLong();
        KafkaWriter<Integer> failing = KafkaWriter.<Integer>of(
                        topic, broker.settings("transactional.id", topic), number -> {
                            if (made.incrementAndGet() == 100) {
                                throw new IllegalStateException("made to fail");
                            }
                            return Integer.toString(number).getBytes(StandardCharsets.UTF_8);
                        })
                .samplesEach(EACH);

        StepVerifier.create(shuffled(Position.START).transform(failing.into(0)))
                .expectNextCount(1)
                .verifyErrorMessage("made to fail");
        assertThat(read(broker, topic, 1)).isEqualTo(inOrder().subList(0, EACH));
        StepVerifier.create(shuffled(Position.START)
                        .take(200)
                        .concatWith(Flux.error(new IllegalStateException("the source")))
                        .transform(writer(topic, topic).into(0)))
                .thenConsumeWhile(draws -> true)
                .verifyErrorMessage("the source");
        Position from = writer(topic, topic).position(0).block();
        shuffled(from).transform(writer(topic, topic).into(0)).blockLast();

        assertThat(read(broker, topic, 1)).isEqualTo(inOrder());
    }

    @Test
    void ranks_writeAPartitionEach() throws Exception {
        String topic = topic("ranks", 3);
        for (int rank = 0; rank < 3; rank++) {
            NUMBERS.stream(Sampler.shuffled(7).shard(Shard.of(rank, 3)))
                    .transform(writer(topic, topic).into(rank))
                    .blockLast();
        }

        assertThat(read(broker, topic, 3)).containsExactlyInAnyOrderElementsOf(inOrder());
    }

    @Test
    void samplesWithoutAValue_areLeftOut() throws Exception {
        String topic = topic("skipped", 1);

        List<List<Draw>> told = NUMBERS
                .map("odd", number -> {
                    if (number % 2 == 0) {
                        throw new IllegalStateException("even");
                    }
                    return number;
                })
                .onError(ErrorPolicy.skip())
                .stream(Sampler.sequential())
                .transform(writer(topic, topic).into(0))
                .collectList()
                .block();

        assertThat(read(broker, topic, 1)).hasSize(SIZE / 2).allMatch(number -> number % 2 == 1);
        assertThat(told.stream().mapToInt(List::size).sum()).isEqualTo(SIZE);
    }

    @Test
    void withoutDemand_nothingIsAskedForNorWritten() throws Exception {
        String topic = topic("demand", 1);
        AtomicLong asked = new AtomicLong();

        StepVerifier.create(
                        Flux.range(0, SIZE)
                                .doOnRequest(asked::addAndGet)
                                .transform(Samples.numbered(1))
                                .transform(writer(topic, topic).into(0)),
                        0)
                .expectSubscription()
                .then(() -> assertThat(asked).hasValue(0))
                .thenRequest(2)
                .expectNextCount(2)
                .thenCancel()
                .verify();

        assertThat(read(broker, topic, 1)).hasSizeLessThanOrEqualTo(3 * EACH);
    }

    @Test
    void numbers_ofSeveralSequences_areWrittenOnce_thoughTheyComeAgain() throws Exception {
        String topic = topic("numbers", 2);
        List<Long> first = LongStream.range(0, 300).boxed().toList();
        List<Long> again = LongStream.range(150, 500).boxed().toList();
        for (List<Long> numbers : List.of(first, again)) {
            Flux.fromIterable(numbers)
                    .map(number -> (int) (long) number)
                    .transform(Samples.numbered(1, number -> number % 2 * 1_000_000L + number))
                    .transform(writer(topic, topic).byNumber(number -> (int) (number / 1_000_000)))
                    .blockLast();
        }

        assertThat(read(broker, topic, 2))
                .containsExactlyElementsOf(IntStream.concat(
                                IntStream.range(0, 250).map(i -> 2 * i),
                                IntStream.range(0, 250).map(i -> 2 * i + 1))
                        .boxed()
                        .toList());
    }

    @Test
    void secondWriter_takesThePartitionOver_andTheFirstFails() throws Exception {
        String topic = topic("taken", 1);

        StepVerifier.create(
                        shuffled(Position.START).transform(writer(topic, topic).into(0)), 1)
                .expectNextCount(1)
                .then(() -> shuffled(Position.START)
                        .transform(writer(topic, topic).into(0))
                        .blockLast())
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(draws -> true)
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessage(
                                "cannot write to partition 0 of kafka topic %s: another writer of job %s took it over",
                                topic, topic));

        assertThat(read(broker, topic, 1)).isEqualTo(inOrder());
    }

    @Test
    void topicsOfOtherJobs_partitionsThatAreNotThere_andSettings_areRefused() throws Exception {
        String topic = topic("other", 1);
        shuffled(Position.START).take(1).transform(writer(topic, topic).into(0)).blockLast();

        assertThatThrownBy(() -> shuffled(Position.START)
                        .transform(writer(topic, "mine").into(0))
                        .blockLast())
                .hasMessage(
                        "partition 0 of kafka topic %s has records of job %s, not of job mine; name another topic",
                        topic, topic);
        assertThatThrownBy(() -> writer(topic, topic).position(3).block())
                .hasMessage("cannot write to partition 3 of kafka topic %s: it has 1 partitions", topic);
        assertThatThrownBy(() -> KafkaWriter.of(topic, broker.settings(), value -> new byte[0]))
                .hasMessage("the setting transactional.id is missing: the job's name, the same at each start");
        assertThatThrownBy(() -> writer(topic, topic).samplesEach(0))
                .hasMessage("a transaction has at least 1 sample, was 0");
    }
}
