package io.penstock.pack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Indexing;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

class PackingTest {

    private static List<PackedRow> rows(Dataset<PackedRow> rows) {
        return Objects.requireNonNull(rows.stream(Sampler.sequential())
                .map(sample -> sample.value())
                .collectList()
                .block());
    }

    private static int[] ints(Tensor tensor) {
        return IntStream.range(0, (int) tensor.shape().elements())
                .map(i -> (int) tensor.longAt(i))
                .toArray();
    }

    @Property(tries = 200)
    void rows_ofAnyLengths_haveEveryTokenOnceInItsPlace(
            @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 0, max = 70) Integer> drawn,
            @ForAll @IntRange(min = 1, max = 40) int size,
            @ForAll TooLong tooLong,
            @ForAll long seed) {
        int longest = tooLong == TooLong.FAIL ? size : 70;
        int[] lengths =
                drawn.stream().mapToInt(length -> Math.min(length, longest)).toArray();
        if (Arrays.stream(lengths).allMatch(length -> length == 0)) {
            return;
        }
        Packing<Tensor> packing = Packing.of(size).tooLong(tooLong).seed(seed);
        boolean[][] seen = new boolean[lengths.length][70];

        List<PackedRow> rows = rows(packing.over(new Texts(lengths), lengths));

        for (PackedRow row : rows) {
            int[] tokens = ints(row.tokens());
            int[] segments = ints(row.segments());
            int[] positions = ints(row.positions());
            assertThat(tokens).hasSize(size);
            assertThat(segments[0]).as("no row is empty").isEqualTo(1);
            for (int i = 0; i < size; i++) {
                boolean token = segments[i] > 0;
                assertThat(row.lossMask().longAt(i)).isEqualTo(token ? 1 : 0);
                if (!token) {
                    assertThat(new int[] {tokens[i], positions[i]}).containsOnly(0);
                    continue;
                }
                int sequence = tokens[i] / Texts.EACH;
                int at = tokens[i] % Texts.EACH;
                assertThat(positions[i]).isEqualTo(at);
                assertThat(seen[sequence][at]).isFalse();
                seen[sequence][at] = true;
                if (i > 0 && segments[i] == segments[i - 1]) {
                    assertThat(tokens[i]).isEqualTo(tokens[i - 1] + 1);
                } else {
                    assertThat(segments[i]).isEqualTo(i == 0 ? 1 : segments[i - 1] + 1);
                }
            }
        }
        for (int sequence = 0; sequence < lengths.length; sequence++) {
            int kept = tooLong == TooLong.CUT ? Math.min(size, lengths[sequence]) : lengths[sequence];
            for (int at = 0; at < 70; at++) {
                assertThat(seen[sequence][at]).isEqualTo(at < kept);
            }
        }
    }

    @Test
    void plan_ofTheSameLengthsAndSeed_isTheSameAndOfAnotherSeedAnother() {
        int[] lengths = Texts.lengths(20_000, 2_048, 1);
        PackPlan plan = Packing.of(2_048).seed(7).plan(lengths);
        PackPlan again = Packing.of(2_048).seed(7).plan(lengths);
        PackPlan other = Packing.of(2_048).seed(8).plan(lengths);
        int[] changed = lengths.clone();
        changed[19_999]++;

        assertThat(again.fingerprint()).isEqualTo(plan.fingerprint());
        assertThat(IntStream.range(0, (int) plan.size()))
                .allSatisfy(row -> assertThat(again.members(row)).isEqualTo(plan.members(row)));
        assertThat(other.members(0)).isNotEqualTo(plan.members(0));
        assertThat(other.fingerprint()).isNotEqualTo(plan.fingerprint());
        assertThat(Packing.of(2_048).seed(7).plan(changed).fingerprint()).isNotEqualTo(plan.fingerprint());
        assertThat(plan.tokens())
                .isEqualTo(Arrays.stream(lengths).asLongStream().sum());
        assertThat(plan.fill()).isGreaterThan(0.99);
        assertThat(plan).hasToString("%,d rows of 2,048 tokens from 20,000 sequences".formatted(plan.size()));
    }

    @Test
    void plan_ofRowsMuchLongerThanAWindow_leavesNoRowOfEachWindowOpen() {
        int[] lengths = Texts.lengths(50_000, 400, 2);

        assertThat(Packing.of(1 << 20).plan(lengths).size())
                .isEqualTo(Arrays.stream(lengths).asLongStream().sum() / (1 << 20) + 1);
    }

    @Test
    void plan_isGolden() {
        PackPlan plan = Packing.of(10).seed(42).plan(new int[] {7, 3, 5, 5, 10, 2, 1, 0, 6});

        assertThat(IntStream.range(0, (int) plan.size())
                        .mapToObj(row -> Arrays.toString(plan.members(row)))
                        .toList())
                .containsExactly("[4]", "[0, 1]", "[6, 8, 5]", "[2, 3]");
    }

    @Test
    void rows_streamedByAnyWorld_areTheSameInTheSameOrder() {
        int[] lengths = Texts.lengths(500, 64, 3);
        Dataset<PackedRow> packed = Packing.of(64).over(new Texts(lengths), lengths);
        Sampler sampler = Sampler.shuffled(5).epochs(2);
        List<Tensor> whole = tokens(packed, sampler);

        for (int world : new int[] {2, 3, 7}) {
            List<List<Tensor>> ranks = IntStream.range(0, world)
                    .mapToObj(rank ->
                            tokens(packed, sampler.remainder(Remainder.KEEP).shard(Shard.of(rank, world))))
                    .toList();
            List<Tensor> woven = new ArrayList<>();
            long rows = packed.size();
            long[] taken = new long[world];
            for (long draw = 0; draw < 2 * rows; draw++) {
                int rank = (int) (draw % rows % world);
                woven.add(ranks.get(rank).get((int) taken[rank]++));
            }
            assertThat(woven).isEqualTo(whole);
        }
    }

    private static List<Tensor> tokens(Dataset<PackedRow> rows, Sampler sampler) {
        return Objects.requireNonNull(rows.stream(sampler)
                .map(sample -> sample.value().tokens())
                .collectList()
                .block());
    }

    @Test
    void run_stoppedAHundredTimesAtChangingWorlds_repeatsAndSkipsNothing() {
        int[] lengths = Texts.lengths(3_000, 64, 4);
        Dataset<PackedRow> packed = Packing.of(64).over(new Texts(lengths), lengths);
        Sampler sampler = Sampler.shuffled(6).epochs(3).remainder(Remainder.KEEP);
        Random random = new Random(9);
        List<Tensor> whole = tokens(packed, sampler);
        List<Tensor> delivered = new ArrayList<>();
        Position at = Position.START;
        int stops = 0;

        while (at.epoch() < 3) {
            int world = 1 + random.nextInt(5);
            long left = packed.size() - at.offset();
            int steps = stops < 100 ? 1 + random.nextInt(12) : Integer.MAX_VALUE;
            long turns = Math.min(steps, left / world); // of all ranks, within this epoch
            if (turns == 0) {
                world = 1;
                turns = 1;
            }
            List<List<Tensor>> ranks = new ArrayList<>();
            Position next = at;
            for (int rank = 0; rank < world; rank++) {
                List<Tensor> values = new ArrayList<>();
                Draw last = Objects.requireNonNull(packed.stream(
                                        sampler.resumeAt(at).shard(Shard.of(rank, world)))
                                .take(turns)
                                .doOnNext(sample -> values.add(sample.value().tokens()))
                                .blockLast())
                        .draw();
                ranks.add(values);
                if (rank == 0) {
                    next = last.next(); // the smallest, where ranks end an epoch apart
                }
            }
            for (int step = 0; step < turns; step++) {
                for (List<Tensor> rank : ranks) {
                    delivered.add(rank.get(step));
                }
            }
            at = next;
            stops++;
        }

        assertThat(stops).isGreaterThan(100);
        assertThat(delivered).isEqualTo(whole);
    }

    record Chat(Tensor tokens, Tensor counted) {}

    @Test
    void lossMask_ofSamples_isCarriedOn() {
        Dataset<Chat> chats = new Texts(3, 2).map("chat", tokens -> {
            int[] counted = new int[(int) tokens.shape().elements()];
            counted[counted.length - 1] = 1;
            return new Chat(tokens, Tensor.ofInts(counted));
        });

        PackedRow row = rows(Packing.of(6, Chat::tokens).lossMask(Chat::counted).over(chats, new int[] {3, 2}))
                .get(0);

        assertThat(ints(row.lossMask())).isIn(new int[] {0, 0, 1, 0, 1, 0}, new int[] {0, 1, 0, 0, 1, 0});
        assertThat(row.lossMask().dtype()).isEqualTo(DType.I32);
        assertThat(Schema.of(PackedRow.class).names()).containsExactly("tokens", "segments", "positions", "lossMask");
    }

    @Test
    void rows_beforeAnyDemand_loadNothing() {
        Texts texts = new Texts(3, 2);

        StepVerifier.create(Packing.of(6).over(texts, new int[] {3, 2}).stream(Sampler.sequential()), 0)
                .expectSubscription()
                .then(() -> assertThat(texts.loads.get(0)).isZero())
                .thenRequest(1)
                .expectNextCount(1)
                .expectComplete()
                .verify();
    }

    @Test
    void lengths_ofADataset_areFoundInOnePass() {
        Texts texts = new Texts(3, 0, 8);

        assertThat(texts.counts("length", Packing::length, Indexing.inMemory()).block())
                .containsExactly(3, 0, 8);
        assertThat(texts.loads).hasToString("[1, 1, 1]");
    }

    @Test
    void wrongUse_isRefused() {
        Packing<Tensor> ten = Packing.of(10);
        int[] planned = {3, 4};

        assertThatThrownBy(() -> Packing.of(0)).hasMessage("a row must have at least 1 token, was 0");
        assertThatThrownBy(() -> ten.plan(new int[0]))
                .hasMessage("there is no sequence to plan with; is the dataset empty?");
        assertThatThrownBy(() -> ten.plan(new int[] {0, 0}))
                .hasMessage("all 2 sequences are empty; is the length function right?");
        assertThatThrownBy(() -> ten.plan(new int[] {1, -1}))
                .hasMessage("a length must not be negative: sequence 1 has -1");
        assertThatThrownBy(() -> ten.plan(new int[] {10, 11}))
                .hasMessage("sequence 1 has 11 tokens, a row has 10; take longer rows, or tooLong(CUT) or "
                        + "tooLong(SPLIT)");
        assertThatThrownBy(() -> ten.over(new Texts(3), planned))
                .hasMessage("the plan is over 2 sequences, the dataset has 1; take the lengths of this dataset");
        assertThatThrownBy(() -> rows(ten.over(new Texts(3, 5), planned)))
                .hasMessageContaining("sequence 1 has 5 tokens, and had 4 when the rows were planned; take the lengths")
                .hasMessageContaining("stage \"pack 10\" failed");
        assertThatThrownBy(() -> rows(Packing.of(10, (Tensor t) -> t.reshape(Shape.of(1, -1L + t.byteSize() / 4 + 1)))
                        .over(new Texts(planned), planned)))
                .hasMessageContaining("tokens must be whole numbers along one axis, sequence ");
        assertThatThrownBy(() -> rows(Packing.of(10, PackingTest::unlike).over(new Texts(planned), planned)))
                .hasMessageContaining("cannot pack tokens of two types into a row: sequence ")
                .hasMessageContaining("map to one dtype");
        assertThatThrownBy(() -> rows(ten.lossMask(t -> Tensor.scalar(1)).over(new Texts(planned), planned)))
                .hasMessageContaining("a loss mask must have a value a token, sequence ");
    }

    private static Tensor unlike(Tensor tokens) {
        int count = (int) tokens.shape().elements();
        return count == 3 ? tokens : Tensor.of(DType.I64, Shape.of(count), ByteBuffer.allocate(8 * count));
    }
}
