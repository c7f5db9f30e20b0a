package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Sample;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Samples that come out of the order of their draws would make {@code next()} skip or repeat some: an error instead. */
class DrawsOutOfOrderTest {

    private static final Sampler THREE_EPOCHS = Sampler.shuffled(42).epochs(3);

    private static Flux<Sample<Points.Point>> points(Sampler sampler) {
        return Points.immediate(40).stream(sampler);
    }

    private static Mono<Sample<Points.Point>> delayed(Sample<Points.Point> sample) {
        return Mono.delay(Duration.ofMillis(sample.draw().index() % 3)).thenReturn(sample);
    }

    private static void assertRefused(Flux<Batch> batches) {
        List<Seen> before = refused(batches);
        for (int i = 1; i < before.size(); i++) {
            assertThat(before.get(i).next()).isGreaterThan(before.get(i - 1).next());
        }
    }

    /** The batches before the refusal. */
    private static List<Seen> refused(Flux<Batch> batches) {
        List<Seen> before = new ArrayList<>();

        StepVerifier.create(batches.map(Seen::of).doOnNext(before::add), 0)
                .thenRequest(Long.MAX_VALUE)
                .thenConsumeWhile(seen -> true)
                .expectErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("out of order")
                        .hasMessageContaining("concatMap or flatMapSequential"))
                .verify();
        return before;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 64})
    void flatMap_thatReorders_isAnError(int n) {
        assertRefused(
                points(THREE_EPOCHS).flatMap(DrawsOutOfOrderTest::delayed, 16).transform(Batches.of(n, Points.SCHEMA)));
    }

    @Test
    void merge_ofRanks_isAnError() {
        assertRefused(Flux.merge(points(THREE_EPOCHS.shard(Shard.of(0, 2))), points(THREE_EPOCHS.shard(Shard.of(1, 2))))
                .transform(Batches.of(4, Points.SCHEMA)));
    }

    @Test
    void repeat_isAnError() {
        assertRefused(points(Sampler.shuffled(1)).repeat(2).transform(Batches.of(4, Points.SCHEMA)));
    }

    @Test
    void buckets_reordered_areAnError() {
        List<Seen> before = refused(points(THREE_EPOCHS)
                .flatMap(DrawsOutOfOrderTest::delayed, 16)
                .transform(Batches.of(4, Points.SCHEMA).bucketByLength(point -> point.id() % 5, 2)));

        // several batches may come before the first sample that is still held back
        assertThat(before).extracting(Seen::next).isSorted();
    }

    @Test
    void error_namesBothDrawsAndTheWayOut() {
        List<Sample<Points.Point>> samples =
                points(Sampler.sequential()).collectList().block();

        StepVerifier.create(
                        Flux.just(samples.get(0), samples.get(2), samples.get(1))
                                .transform(Batches.of(2, Points.SCHEMA))
                                .map(Seen::of),
                        0)
                .thenRequest(9)
                .expectNextMatches(seen -> seen.valid().equals(List.of(0L, 2L)))
                .expectErrorMessage("cannot batch sample 1: its draw is out of order: it leads to "
                        + "Position[epoch=0, offset=2], and the draw of sample 2 before it to Position[epoch=0, offset=3]; "
                        + "use concatMap or flatMapSequential instead of flatMap, epochs(n) instead of repeat, "
                        + "and batch each stream before merging several")
                .verify();
    }

    @Test
    void whatKeepsTheOrder_isTaken() {
        Sampler padded = THREE_EPOCHS.shard(Shard.of(2, 3));
        List<Flux<Sample<Points.Point>>> ordered = List.of(
                points(padded).concatMap(DrawsOutOfOrderTest::delayed),
                points(padded).flatMapSequential(DrawsOutOfOrderTest::delayed),
                points(padded).filter(sample -> sample.draw().index() % 3 == 0),
                Points.immediate(40).skipping(Set.of(1L, 2L, 30L)).stream(padded)
                        .filter(Sample::isPresent));

        for (Flux<Sample<Points.Point>> samples : ordered) {
            long delivered = Seen.all(samples.transform(Batches.of(4, Points.SCHEMA))).stream()
                    .mapToLong(Seen::size)
                    .sum();

            assertThat(delivered)
                    .isEqualTo(samples.filter(Sample::isPresent).count().block());
        }
    }
}
