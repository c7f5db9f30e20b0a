package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.internal.Mixing;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** How far a stream works ahead, in bytes and over the end of an epoch. */
class ReadAheadTest {

    private static final Execution WIDE = Execution.standard().inFlight(64);
    /** All on the test's thread. */
    private static final Execution HERE = WIDE.workers(Schedulers.immediate(), 1);

    private static ReadAhead<Tensor> tensors(long bytes) {
        return ReadAhead.ofBytes(bytes, Schema.tensor("value"));
    }

    private static List<Long> indices(List<Sample<Tensor>> samples) {
        return samples.stream().map(sample -> sample.draw().index()).toList();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 8, 80, 1_000, 1L << 40})
    void stream_underAnyBound_deliversTheSame(long bytes) {
        Sampler sampler = Sampler.shuffled(7).epochs(3).shard(Shard.of(1, 3)).remainder(Remainder.PAD);
        for (FakeDataset dataset :
                List.of(FakeDataset.immediate(100), FakeDataset.jittery(100), FakeDataset.blocking(100))) {
            List<Sample<Tensor>> bounded =
                    dataset.stream(sampler, WIDE, tensors(bytes)).collectList().block();
            Draws draws = sampler.draws(100);
            assertThat(indices(bounded))
                    .isEqualTo(IntStream.range(0, (int) draws.count())
                            .mapToObj(number -> draws.at(number).index())
                            .toList());
        }
    }

    @Test
    void samplesOfOneSize_areLoadedAheadWithinTheBound() {
        int bytes = 1_000;
        AtomicLong delivered = new AtomicLong();
        AtomicLong begun = new AtomicLong();
        AtomicLong mostAhead = new AtomicLong();
        FakeDataset dataset = FakeDataset.answering(
                400,
                index -> Mono.fromCallable(() -> Tensor.ofBytes(new byte[bytes], bytes))
                        .delaySubscription(Duration.ofNanos(Mixing.mix(index) >>> 44))
                        .doOnSubscribe(
                                s -> mostAhead.accumulateAndGet(begun.incrementAndGet() - delivered.get(), Math::max)));

        dataset.stream(Sampler.sequential(), WIDE, tensors(10 * bytes))
                .doOnNext(sample -> delivered.incrementAndGet())
                .blockLast();

        // the sample that is being delivered counts no more, and is counted above until after it was
        assertThat(mostAhead).hasValueBetween(5L, 11L);
    }

    @Test
    void stream_thatBegins_learnsTheSizeFromOneSample() {
        List<Sinks.One<Tensor>> answers =
                IntStream.range(0, 20).mapToObj(i -> Sinks.<Tensor>one()).toList();
        FakeDataset dataset =
                FakeDataset.answering(20, index -> answers.get((int) index).asMono());

        StepVerifier.create(dataset.stream(Sampler.sequential(), HERE, tensors(400)), 0)
                .expectSubscription()
                .then(() -> assertThat(dataset.totalLoads()).isZero())
                .thenRequest(20)
                .then(() -> assertThat(dataset.totalLoads()).isEqualTo(1))
                .then(() -> answer(answers, 0, 100))
                .expectNextCount(1)
                .then(() -> assertThat(dataset.totalLoads()).isEqualTo(1 + 2))
                .then(() -> answer(answers, 2, 100))
                // number 1 holds it back: 100 bytes are there, and three loads of the kind fit, that of number 1 among
                // them
                .then(() -> assertThat(dataset.totalLoads()).isEqualTo(1 + 1 + 3))
                .then(() -> answer(answers, 1, 100))
                .expectNextCount(2)
                .then(() -> assertThat(dataset.totalLoads()).isEqualTo(1 + 2 + 4))
                .thenCancel()
                .verify();
    }

    private static void answer(List<Sinks.One<Tensor>> answers, int index, int bytes) {
        answers.get(index).tryEmitValue(Tensor.ofBytes(new byte[bytes], bytes)).orThrow();
    }

    @Test
    void sample_thatIsLargerThanTheBound_isLoadedAlone() {
        FakeDataset dataset = FakeDataset.answering(
                30,
                index -> Mono.fromCallable(() -> Tensor.ofBytes(new byte[5_000], 5_000))
                        .subscribeOn(Schedulers.boundedElastic()));

        Long delivered = dataset.stream(Sampler.sequential().epochs(2), WIDE, tensors(1_000))
                .count()
                .block();

        assertThat(delivered).isEqualTo(60);
        assertThat(dataset.mostInFlight).hasValueLessThanOrEqualTo(2);
    }

    @Test
    void bound_thatIsPassedByALargerSample_isKeptFromThereOn() {
        int large = 10_000;
        AtomicLong held = new AtomicLong();
        List<Long> heldAtLarge = new ArrayList<>();
        FakeDataset dataset = FakeDataset.answering(300, index -> {
            int bytes = index < 100 ? 100 : large;
            return Mono.fromCallable(() -> {
                        held.addAndGet(bytes);
                        return Tensor.ofBytes(new byte[bytes], bytes);
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        });

        dataset.stream(Sampler.sequential(), WIDE, tensors(5L * large))
                .doOnNext(sample -> {
                    long bytes = sample.value().byteSize();
                    if (sample.draw().index() > 200) {
                        heldAtLarge.add(held.get());
                    }
                    held.addAndGet(-bytes);
                })
                .blockLast();

        assertThat(heldAtLarge).isNotEmpty().allMatch(bytes -> bytes <= 6L * large);
    }

    @Test
    void sizeFunction_thatThrows_endsTheStream() {
        ReadAhead<Tensor> broken = new ReadAhead<>(1_000, value -> {
            throw new IllegalStateException("no size");
        });

        for (FakeDataset dataset : List.of(FakeDataset.immediate(10), FakeDataset.blocking(10))) {
            StepVerifier.create(dataset.stream(Sampler.sequential(), WIDE, broken))
                    .thenConsumeWhile(sample -> true)
                    .verifyErrorMessage("no size");
        }
    }

    @Test
    void bound_ofNothing_isRefused() {
        assertThatThrownBy(() -> tensors(0)).hasMessage("read-ahead must be at least 1 byte, was 0");
    }

    @Test
    void epochsEnd_isNoStall_sinceTheNextEpochIsLoadedBeforeIt() {
        int size = 10;
        List<List<Sinks.One<Tensor>>> answers = List.of(new ArrayList<>(), new ArrayList<>());
        int[] asked = new int[size];
        FakeDataset dataset = FakeDataset.answering(size, index -> {
            Sinks.One<Tensor> answer = Sinks.one();
            answers.get(asked[(int) index]++).add(answer);
            return answer.asMono();
        });

        StepVerifier.create(dataset.stream(Sampler.sequential().epochs(2), HERE.inFlight(size)), 0)
                .thenRequest(2L * size)
                .then(() -> answers.get(0).subList(0, size - 1).forEach(ReadAheadTest::answer))
                .expectNextCount(size - 1)
                // one sample of the first epoch is still missing, and all of the second but one are on their way
                .then(() -> assertThat(answers.get(1)).hasSize(size - 1))
                .then(() -> answers.get(1).forEach(ReadAheadTest::answer))
                .then(() -> answer(answers.get(0).get(size - 1)))
                .expectNextCount(size)
                .thenCancel()
                .verify();
    }

    private static void answer(Sinks.One<Tensor> sink) {
        sink.tryEmitValue(Tensor.scalar(1)).orThrow();
    }
}
