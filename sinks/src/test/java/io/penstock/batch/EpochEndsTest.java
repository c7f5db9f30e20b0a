package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.stream.Sample;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** The last batch of an epoch says so, once, whatever becomes of the remainder and of samples on the way. */
class EpochEndsTest {

    private record End(long epoch, boolean ends, Position next, List<Long> ids) {
        static End of(Batch batch) {
            try (batch) {
                List<Long> ids = LongStream.of(Points.ids(batch))
                        .boxed()
                        .limit(batch.size())
                        .toList();
                return new End(batch.epoch(), batch.endsEpoch(), batch.next(), ids);
            }
        }
    }

    private static List<End> ends(Flux<Sample<Points.Point>> samples, Batches<Points.Point> spec) {
        return samples.transform(spec)
                .map(End::of)
                .onErrorResume(e -> e.getMessage().startsWith("no batch:"), e -> Flux.empty())
                .collectList()
                .block();
    }

    /** Exactly the last batch of each epoch that has one ends it, and all others do not. */
    private static void assertEndsOnce(List<End> seen) {
        for (int i = 0; i < seen.size(); i++) {
            boolean last = i == seen.size() - 1
                    || seen.get(i + 1).epoch() > seen.get(i).epoch();
            assertThat(seen.get(i).ends()).as("batch %d of %s", i, seen).isEqualTo(last);
        }
    }

    @Property(tries = 300)
    void endsEpoch_anyRemainderRankAndResumption_isTrueOnceAnEpoch(
            @ForAll Remainder remainder,
            @ForAll @IntRange(min = 1, max = 40) int size,
            @ForAll @IntRange(min = 1, max = 4) int worldSize,
            @ForAll @IntRange(min = 1, max = 9) int n,
            @ForAll @IntRange(min = 1, max = 3) int slots,
            @ForAll @IntRange(max = 40) int offset) {
        Batches<Points.Point> spec =
                Batches.of(n, Points.SCHEMA).remainder(remainder).slots(slots);
        Sampler sampler = Sampler.shuffled(7).epochs(3).resumeAt(new Position(0, Math.min(offset, size - 1)));
        for (int rank = 0; rank < worldSize; rank++) {
            Sampler own = sampler.shard(Shard.of(rank, worldSize));

            List<End> seen = ends(Points.immediate(size).stream(own), spec);

            assertEndsOnce(seen);
            assertThat(seen).allMatch(end -> end.ends() == (end.next().epoch() > end.epoch()));
        }
    }

    @Property(tries = 300)
    void endsEpoch_behindAFilter_isTrueOnceAnEpoch(
            @ForAll Remainder remainder,
            @ForAll @IntRange(min = 12, max = 40) int size,
            @ForAll @IntRange(min = 1, max = 3) int worldSize,
            @ForAll @IntRange(min = 1, max = 9) int n,
            @ForAll @IntRange(min = 1, max = 3) int slots,
            @ForAll Set<@IntRange(max = 39) Integer> out) {
        Batches<Points.Point> spec =
                Batches.of(n, Points.SCHEMA).remainder(remainder).slots(slots);
        for (int rank = 0; rank < worldSize; rank++) {
            Sampler own = Sampler.shuffled(7).epochs(3).shard(Shard.of(rank, worldSize));
            Draws draws = own.draws(size);
            Set<Draw> kept = Set.of(draws.at(0), draws.at(2));
            Flux<Sample<Points.Point>> filtered = Points.immediate(size).stream(own)
                    .filter(sample -> kept.contains(sample.draw())
                            || !sample.draw().equals(draws.at(1)) // by which the filter shows
                                    && !out.contains((int) sample.draw().index()));

            assertEndsOnce(ends(filtered, spec));
        }
    }

    @ParameterizedTest
    @EnumSource(Remainder.class)
    void endsEpoch_lastDrawsFilteredOut_isSeen(Remainder remainder) {
        for (int n : new int[] {1, 2, 3, 4, 6}) {
            Flux<Sample<Points.Point>> filtered = Points.immediate(7).stream(
                            Sampler.sequential().epochs(3))
                    .filter(sample -> sample.draw().index() != 6);

            List<End> seen = ends(filtered, Batches.of(n, Points.SCHEMA).remainder(remainder));

            assertThat(seen.stream().filter(End::ends)).as("n = %d", n).hasSize(3);
            assertEndsOnce(seen);
        }
    }

    @Test
    void endsEpoch_everyOtherSampleFilteredAndShortBatchesDropped_isSeen() {
        Flux<Sample<Points.Point>> even = Points.immediate(20).stream(
                        Sampler.sequential().epochs(2))
                .filter(sample -> sample.draw().index() % 2 == 0);

        List<End> seen = ends(
                even, Batches.of(4, Points.SCHEMA).remainder(Remainder.DROP).slots(1));

        assertThat(seen)
                .containsExactly(
                        new End(0, false, new Position(0, 7), List.of(0L, 2L, 4L, 6L)),
                        new End(0, true, new Position(1, 0), List.of(8L, 10L, 12L, 14L)),
                        new End(1, false, new Position(1, 7), List.of(0L, 2L, 4L, 6L)),
                        new End(1, true, new Position(1, 15), List.of(8L, 10L, 12L, 14L)));
    }

    @ParameterizedTest
    @EnumSource(Remainder.class)
    void endsEpoch_bucketsByLength_isSeen(Remainder remainder) {
        for (int n : new int[] {1, 2, 3, 5}) {
            Batches<Points.Point> spec = Batches.of(n, Points.SCHEMA)
                    .bucketByLength(point -> point.id() % 7, 2, 4)
                    .remainder(remainder);
            Sampler sampler = Sampler.shuffled(3).epochs(3);

            assertEndsOnce(ends(Points.immediate(23).stream(sampler), spec));
            assertEndsOnce(ends(Points.immediate(23).skipping(Set.of(3L, 8L, 22L)).stream(sampler), spec));
            assertEndsOnce(ends(
                    Points.immediate(23).stream(sampler).filter(s -> s.draw().index() % 3 > 0), spec));
        }
    }

    @Test
    void heldBack_nextSampleNeverComes_isDeliveredWhenUpstreamFails() {
        Sinks.Many<Sample<Points.Point>> source = Sinks.many().unicast().onBackpressureBuffer();
        List<Sample<Points.Point>> samples =
                Points.immediate(6).stream(Sampler.sequential()).collectList().block();

        StepVerifier.create(
                        source.asFlux().transform(Batches.of(2, Points.SCHEMA)).map(End::of), 0)
                .thenRequest(9)
                .then(() -> List.of(0, 2, 3).forEach(i -> source.tryEmitNext(samples.get(i))))
                .expectNextMatches(end -> end.ids().equals(List.of(0L, 2L)))
                .then(() -> source.tryEmitNext(samples.get(4))) // its batch is complete, and a filter is known
                .then(() -> source.tryEmitError(new IllegalStateException("gone")))
                .expectNextMatches(end -> end.ids().equals(List.of(3L, 4L)) && !end.ends())
                .expectErrorMessage("gone")
                .verify();
    }

    @Test
    void upstreamThatIsCutOff_goesOnBehindItsLastSample() {
        List<End> seen = ends(Points.immediate(9).stream(Sampler.sequential()).take(3), Batches.of(2, Points.SCHEMA));

        assertThat(seen)
                .containsExactly(
                        new End(0, false, new Position(0, 2), List.of(0L, 1L)),
                        new End(0, true, new Position(0, 3), List.of(2L)));
    }
}
