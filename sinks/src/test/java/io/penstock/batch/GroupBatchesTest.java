package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Group;
import io.penstock.pipeline.Grouping;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class GroupBatchesTest {

    private static final Schema<Text> TEXTS = Schema.of(Text.class);
    private static final int GROUPS = 23;

    record Text(long id, Tensor tokens) {}

    /** Text i has {@code i % 5 + 1} tokens, all of them i; the broken one fails. */
    private static Dataset<Text> texts(int broken) {
        return new MadeDataset<>("texts", GROUPS * (GROUPS + 1) / 2, index -> {
            int[] tokens = new int[(int) index % 5 + 1];
            Arrays.fill(tokens, (int) index);
            return index == broken
                    ? Mono.error(new IllegalStateException("broken"))
                    : Mono.just(new Text(index, Tensor.ofInts(tokens)));
        });
    }

    /** Group g has g + 1 texts. */
    private record Growing() implements Grouping {

        @Override
        public long size() {
            return GROUPS;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("growing");
        }

        @Override
        public long[] members(long group) {
            long first = group * (group + 1) / 2;
            return LongStream.rangeClosed(first, first + group).toArray();
        }
    }

    private static Dataset<Group<Text>> groups() {
        return texts(-1).group(new Growing());
    }

    private static List<Long> ids(Batch batch) {
        return LongStream.range(0, batch.size())
                .map(i -> batch.tensor("id").longAt((int) i))
                .boxed()
                .toList();
    }

    @Test
    void batch_ofEachGroup_hasItsRowsPadded() {
        Flux<List<Long>> batches = groups().stream(Sampler.sequential())
                .transform(Batches.ofGroups(TEXTS))
                .map(batch -> {
                    try (batch) {
                        int rows = batch.size();
                        long longest = batch.tensor("tokens").shape().dim(1);
                        assertThat(batch.tensor("tokens").shape()).isEqualTo(Shape.of(rows, longest));
                        assertThat(longest).isEqualTo(Math.min(5, longest(ids(batch))));
                        for (int row = 0; row < rows; row++) {
                            Tensor tokens = batch.tensor("tokens").row(row);
                            long id = batch.tensor("id").longAt(row);
                            assertThat(batch.tensor("tokens.length").longAt(row))
                                    .isEqualTo(id % 5 + 1);
                            for (int i = 0; i < longest; i++) {
                                assertThat(tokens.longAt(i)).isEqualTo(i <= id % 5 ? id : 0);
                            }
                        }
                        return ids(batch);
                    }
                });

        StepVerifier.create(batches, 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext(List.of(0L))
                .thenRequest(2)
                .expectNext(List.of(1L, 2L), List.of(3L, 4L, 5L))
                .thenRequest(Long.MAX_VALUE)
                .expectNextCount(GROUPS - 3)
                .expectComplete()
                .verify();
    }

    private static long longest(List<Long> ids) {
        return ids.stream().mapToLong(id -> id % 5 + 1).max().orElseThrow();
    }

    @Test
    void batches_ofRanks_areAsManyAndTheSameInAll() {
        Sampler sampler = Sampler.shuffled(3);
        List<List<Long>> whole = read(sampler, Long.MAX_VALUE).batches;

        for (int world : new int[] {1, 2, 3, 7}) {
            List<List<List<Long>>> ranks = IntStream.range(0, world)
                    .mapToObj(rank -> read(sampler.shard(Shard.of(rank, world)), Long.MAX_VALUE).batches)
                    .toList();

            assertThat(ranks).allSatisfy(rank -> assertThat(rank).hasSize((GROUPS + world - 1) / world));
            List<List<Long>> woven = new ArrayList<>();
            for (int i = 0; i < ranks.get(0).size() * world; i++) {
                woven.add(ranks.get(i % world).get(i / world));
            }
            assertThat(woven.subList(0, GROUPS)).isEqualTo(whole);
            assertThat(woven.subList(GROUPS, woven.size()))
                    .allSatisfy(padding -> assertThat(padding).isEmpty());
        }
    }

    private record Delivered(List<List<Long>> batches, Position next) {}

    private static Delivered read(Sampler sampler, long count) {
        List<List<Long>> batches = new ArrayList<>();
        Position[] next = {sampler.start()};
        groups().stream(sampler)
                .transform(Batches.ofGroups(TEXTS))
                .take(count)
                .doOnNext(batch -> {
                    try (batch) {
                        batches.add(ids(batch));
                        next[0] = batch.next();
                    }
                })
                .blockLast();
        return new Delivered(batches, next[0]);
    }

    @Test
    void run_stoppedAnywhere_goesOnExactly() {
        Random random = new Random(11);
        Sampler sampler = Sampler.shuffled(4).epochs(2);
        List<List<Long>> whole = read(sampler, Long.MAX_VALUE).batches;

        for (int i = 0; i < 100; i++) {
            Delivered first = read(sampler, 1 + random.nextInt(2 * GROUPS - 1));
            Delivered rest = read(sampler.resumeAt(first.next), Long.MAX_VALUE);

            List<List<Long>> both = new ArrayList<>(first.batches);
            both.addAll(rest.batches);
            assertThat(both).isEqualTo(whole);
        }
    }

    @Test
    void group_thatWasSkipped_isABatchWithoutARow() {
        List<Integer> sizes = Objects.requireNonNull(
                texts(4).group(new Growing()).onError(ErrorPolicy.skip()).stream(Sampler.sequential())
                        .transform(Batches.ofGroups(TEXTS))
                        .map(batch -> {
                            try (batch) {
                                return batch.size();
                            }
                        })
                        .take(4)
                        .collectList()
                        .block());

        assertThat(sizes).containsExactly(1, 2, 0, 4);
    }

    @Test
    void wrongUse_isRefused() {
        assertThatThrownBy(() -> Batches.ofGroups(TEXTS).remainder(Remainder.PAD))
                .hasMessage("batches of groups cannot be padded to a number of rows: each group has its own; keep the "
                        + "remainder");
        assertThatThrownBy(() -> Batches.ofGroups(TEXTS).bucketByLength("tokens", 3))
                .hasMessage("batches of groups have no buckets: their groups are planned by length");
        assertThatThrownBy(() -> Batches.ofGroups(TEXTS).bucketByLength(group -> 1, 3))
                .hasMessage("batches of groups have no buckets: their groups are planned by length");
    }
}
