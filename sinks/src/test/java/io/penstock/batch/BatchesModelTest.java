package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import reactor.core.publisher.Flux;

/** Batches against a model that cuts a list of draws with a loop. */
class BatchesModelTest {

    /** Everything that decides what batches there are. */
    record Run(int size, int epochs, int worldSize, int n, int slots, Remainder remainder, Set<Long> broken) {

        Run remainder(Remainder other) {
            return new Run(size, epochs, worldSize, n, slots, other, broken);
        }

        Sampler sampler(int rank) {
            return Sampler.shuffled(5).epochs(epochs).shard(Shard.of(rank, worldSize));
        }

        List<Seen> actual(Sampler sampler) {
            return Points.immediate(size).skipping(broken).stream(sampler)
                    .transform(Batches.of(n, Points.SCHEMA).remainder(remainder).slots(slots))
                    .map(Seen::of)
                    .onErrorResume(e -> e.getMessage().startsWith("no batch:"), e -> Flux.empty()) // as the model has
                    .collectList()
                    .block();
        }

        List<Seen> expected(Sampler sampler) {
            List<Seen> batches = new ArrayList<>();
            List<Draw> drawn = new ArrayList<>();
            Draws draws = sampler.draws(size);
            for (long number = 0; number < draws.count(); number++) {
                Draw draw = draws.at(number);
                drawn.add(draw);
                if (drawn.size() == n || draw.endsEpoch()) {
                    if (drawn.size() == n || remainder != Remainder.DROP) {
                        batches.add(batch(drawn));
                    }
                    drawn.clear();
                }
            }
            return batches;
        }

        private Seen batch(List<Draw> drawn) {
            List<Long> ids = new ArrayList<>(drawn.stream()
                    .map(Draw::index)
                    .filter(id -> id >= 0 && !broken.contains(id))
                    .toList());
            int valid = ids.size();
            Draw last = drawn.get(drawn.size() - 1);
            boolean lastFull = remainder == Remainder.DROP && last.left() < n;
            Position next = lastFull ? new Position(last.epoch() + 1, 0) : last.next();
            if (remainder != Remainder.PAD) {
                return new Seen(ids, valid, List.of(), last.epoch(), next);
            }
            ids.addAll(Collections.nCopies(n - valid, 0L));
            List<Boolean> mask =
                    IntStream.range(0, n).mapToObj(row -> row < valid).toList();
            return new Seen(ids, valid, mask, last.epoch(), last.next());
        }
    }

    @Provide
    Arbitrary<Run> runs() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 40),
                        Arbitraries.integers().between(1, 4),
                        Arbitraries.integers().between(1, 5),
                        Arbitraries.integers().between(1, 12),
                        Arbitraries.integers().between(1, 4),
                        Arbitraries.of(Remainder.class),
                        Arbitraries.longs().between(0, 39).set().ofMaxSize(12))
                .as(Run::new);
    }

    @Property(tries = 300)
    void batches_ofAnyRun_areThoseOfTheModel(@ForAll("runs") Run run) {
        int batches = -1;
        for (int rank = 0; rank < run.worldSize; rank++) {
            Sampler sampler = run.sampler(rank);

            List<Seen> actual = run.actual(sampler);

            assertThat(actual).isEqualTo(run.expected(sampler));
            assertThat(batches == -1 || batches == actual.size()).isTrue(); // on every rank
            batches = actual.size();
        }
    }

    @Property(tries = 200)
    void resumingAnywhere_repeatsNothingAndSkipsNothing(
            @ForAll("runs") Run run,
            @ForAll("worlds") int otherWorld,
            @ForAll("worlds") int otherN,
            @ForAll("worlds") int stopAfter) {
        // what an epoch dropped is not drawn again, so only an epoch that has none is comparable
        boolean drops = run.remainder == Remainder.DROP && run.size % (run.n * run.worldSize) != 0;
        Run first = drops ? run.remainder(Remainder.PAD) : run;
        Set<Position> positions = new HashSet<>();
        List<Long> consumed = new ArrayList<>();
        for (int rank = 0; rank < first.worldSize; rank++) {
            List<Seen> batches = first.actual(first.sampler(rank));
            batches.stream().limit(stopAfter).forEach(seen -> consumed.addAll(seen.valid()));
            positions.add(
                    batches.isEmpty()
                            ? Position.START
                            : batches.get(Math.min(stopAfter, batches.size()) - 1)
                                    .next());
        }
        assertThat(positions).hasSize(1); // ranks stopped in step

        Run second = new Run(first.size, first.epochs, otherWorld, otherN, 3, Remainder.KEEP, first.broken);
        Position position = positions.iterator().next();
        for (int rank = 0; rank < otherWorld; rank++) {
            Sampler sampler = second.sampler(rank).resumeAt(position);
            second.actual(sampler).forEach(seen -> consumed.addAll(seen.valid()));
        }

        Collections.sort(consumed);
        assertThat(consumed)
                .isEqualTo(LongStream.range(0, first.size)
                        .filter(id -> !first.broken.contains(id))
                        .boxed()
                        .flatMap(id -> Collections.nCopies(first.epochs, id).stream())
                        .toList());
    }

    @Provide
    Arbitrary<Integer> worlds() {
        return Arbitraries.integers().between(1, 7);
    }
}
