package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

class BatchesPaddingTest {

    private static final Schema<Tensor> TOKENS = Schema.tensor("tokens");
    private static final Schema<Text> TEXTS = Schema.of(Text.class);

    record Text(long id, Tensor tokens) {

        /** A text of the given number of tokens, all of them the number. */
        static Text of(long id, int length) {
            int[] tokens = new int[length];
            Arrays.fill(tokens, (int) id + 1);
            return new Text(id, Tensor.ofInts(tokens));
        }
    }

    private static <T> Sample<T> sample(long index, T value) {
        return Sample.of(new Draw(0, 0, index, new Position(0, index + 1)), value);
    }

    private static Flux<Sample<Text>> texts(int... lengths) {
        return Flux.range(0, lengths.length).map(i -> sample(i, Text.of(i, lengths[i])));
    }

    private static String ints(Tensor tensor) {
        return tensor.type()
                + IntStream.range(0, tensor.byteSize() / 4)
                        .mapToObj(tensor::longAt)
                        .toList()
                        .toString();
    }

    private static List<String> read(Flux<Batch> batches, String... fields) {
        return batches.map(batch -> {
                    try (batch) {
                        List<String> read = new ArrayList<>();
                        for (String field : fields) {
                            read.add(ints(batch.tensor(field)));
                        }
                        return String.join(" ", read);
                    }
                })
                .collectList()
                .block();
    }

    @Test
    void padShapes_rowsOfOtherLengths_getZerosBehindAndTheirLengths() {
        Flux<Batch> batches =
                texts(2, 0, 3, 1, 1).transform(Batches.of(3, TEXTS).padShapes());

        assertThat(read(batches, "tokens", "tokens.length"))
                .containsExactly(
                        "i32[3, 3][1, 1, 0, 0, 0, 0, 3, 3, 3] i32[3][2, 0, 3]", "i32[2, 1][4, 5] i32[2][1, 1]");
    }

    @Test
    void padShapes_names_areTheFieldsThenTheirLengths() {
        Flux<Batch> batches = Flux.just(sample(0, Tensor.ofInts(new int[6], 2, 3)))
                .transform(Batches.of(1, TOKENS).padShapes());

        assertThat(batches.map(Batch::names).blockLast()).containsExactly("tokens", "tokens.length", "tokens.shape");
        assertThat(texts(1).transform(Batches.of(1, TEXTS).padShapes())
                        .map(Batch::names)
                        .blockLast())
                .containsExactly("id", "tokens", "tokens.length"); // a scalar has no length
    }

    @Test
    void padShapes_padRemainder_hasZeroLengthsToo() {
        Flux<Batch> batches =
                texts(1, 2, 1).transform(Batches.of(2, TEXTS).padShapes().remainder(Remainder.PAD));

        assertThat(read(batches, "tokens", "tokens.length"))
                .containsExactly("i32[2, 2][1, 0, 2, 2] i32[2][1, 2]", "i32[2, 1][3, 0] i32[2][1, 0]");
    }

    /** Every element where it belongs, zeros elsewhere, whatever was in the slot before. */
    @Property(tries = 200)
    void padShapes_anyShapes_keepEveryElement(
            @ForAll @IntRange(min = 1, max = 4) int n, @ForAll @IntRange(max = 3) int rank, @ForAll long dice) {
        Random random = new Random(dice);
        List<Tensor> rows = new ArrayList<>();
        for (int row = 0; row < 3 * n; row++) {
            long[] dims = random.longs(rank, 0, 4).toArray();
            ByteBuffer data = ByteBuffer.allocate((int) Shape.of(dims).elements() * 2);
            random.nextBytes(data.array());
            rows.add(Tensor.of(DType.I16, Shape.of(dims), data));
        }
        AtomicInteger at = new AtomicInteger();

        Flux.range(0, rows.size())
                .map(i -> sample(i, rows.get(i)))
                .transform(Batches.of(n, TOKENS).padShapes().slots(1))
                .doOnNext(batch -> {
                    try (batch) {
                        for (int row = 0; row < n; row++) {
                            expect(batch, row, rows.get(at.getAndIncrement()));
                        }
                    }
                })
                .blockLast();

        assertThat(at).hasValue(3 * n);
    }

    private static void expect(Batch batch, int row, Tensor tensor) {
        Tensor padded = batch.tensor("tokens").row(row);
        long[] at = new long[tensor.shape().rank()];
        for (int element = 0; element < padded.shape().elements(); element++) {
            long rest = element;
            int source = 0;
            boolean inside = true;
            for (int axis = at.length - 1; axis >= 0; axis--) {
                at[axis] = rest % padded.shape().dim(axis);
                rest /= padded.shape().dim(axis);
                inside &= at[axis] < tensor.shape().dim(axis);
            }
            for (int axis = 0; axis < at.length; axis++) {
                source = (int) (source * tensor.shape().dim(axis) + at[axis]);
            }
            assertThat(padded.longAt(element)).isEqualTo(inside ? tensor.longAt(source) : 0);
        }
        if (at.length > 0) {
            assertThat(batch.tensor("tokens.length").longAt(row))
                    .isEqualTo(tensor.shape().dim(0));
        }
        for (int axis = 0; axis < at.length && at.length > 1; axis++) {
            assertThat(batch.tensor("tokens.shape").row(row).longAt(axis))
                    .isEqualTo(tensor.shape().dim(axis));
        }
    }

    @Test
    void padShapes_otherDtypeOrAxes_isStillAnError() {
        Flux<Sample<Tensor>> mixed = Flux.just(sample(3, Tensor.scalar(1)), sample(5, Tensor.ofInts(new int[2])));

        StepVerifier.create(mixed.transform(Batches.of(2, TOKENS).padShapes()), 0)
                .thenRequest(1)
                .expectErrorMessage("cannot batch field \"tokens\": sample 3 is i32[], sample 5 is i32[2]; "
                        + "map to one number of axes before batching")
                .verify();
    }

    @Test
    void padShapes_fieldNamedAsACompanion_isRefused() {
        record Odd() {}
        Schema<Odd> odd = new Schema<>() {
            @Override
            public List<String> names() {
                return List.of("x", "x.length");
            }

            @Override
            public List<Tensor> flatten(Odd value) {
                return List.of(Tensor.scalar(1), Tensor.scalar(2));
            }

            @Override
            public Odd unflatten(List<Tensor> tensors) {
                return new Odd();
            }
        };

        assertThatThrownBy(() -> Batches.of(1, odd).padShapes())
                .hasMessage("padding adds \"x.length\" and \"x.shape\", but there is a field of that name; "
                        + "rename it: [x, x.length]");
    }

    @Test
    void padShapes_growingBatches_reallocateSeldomAndNeverShrink() {
        List<Integer> allocated = new ArrayList<>();
        Flux.range(1, 400)
                .map(i -> sample(i, Tensor.ofInts(new int[i <= 200 ? i : 400 - i])))
                .transform(Batches.of(2, TOKENS).padShapes().slots(1).allocator(bytes -> {
                    allocated.add(bytes);
                    return ByteBuffer.allocate(bytes);
                }))
                .doOnNext(Batch::close)
                .blockLast();

        assertThat(allocated).hasSizeLessThan(24).isSorted();
        assertThat(allocated.get(0)).isEqualTo(2 * 2 * 4);
    }

    private static String ids(Batch batch) {
        try (batch) {
            return Arrays.toString(Points.ids(batch)) + batch.next().offset();
        }
    }

    private static List<String> bucketed(Batches<Text> spec, int... lengths) {
        return texts(lengths)
                .transform(spec)
                .map(BatchesPaddingTest::ids)
                .collectList()
                .block();
    }

    @Test
    void buckets_batchSamplesOfSimilarLength() {
        Batches<Text> byValue = Batches.of(2, TEXTS)
                .bucketByLength(text -> text.tokens().shape().dim(0), 3, 6);
        Batches<Text> byField = Batches.of(2, TEXTS).bucketByLength("tokens", 3, 6);
        int[] lengths = {1, 5, 2, 9, 3, 6, 2, 4};
        // buckets:      0  1  0  2  1  2  0  1

        for (Batches<Text> spec : List.of(byValue, byField)) {
            assertThat(bucketed(spec, lengths)).containsExactly("[0, 2]1", "[1, 4]3", "[3, 5]6", "[6]7", "[7]8");
            assertThat(bucketed(spec.remainder(Remainder.DROP), lengths))
                    .containsExactly("[0, 2]1", "[1, 4]3", "[3, 5]6");
            assertThat(bucketed(spec.remainder(Remainder.PAD), lengths))
                    .containsExactly("[0, 2]1", "[1, 4]3", "[3, 5]6", "[6, 0]7", "[7, 0]8");
        }
    }

    @Test
    void buckets_firstSampleOfTheStreamWaiting_isNotSkippedByResuming() {
        Batches<Text> spec = Batches.of(2, TEXTS).bucketByLength("tokens", 5);

        assertThat(bucketed(spec, 9, 1, 1, 1, 1, 9)).containsExactly("[1, 2]0", "[3, 4]0", "[0, 5]6");
    }

    @Test
    void buckets_scalarField_isAnError() {
        StepVerifier.create(texts(1).transform(Batches.of(2, TEXTS).bucketByLength("id", 5)), 0)
                .thenRequest(1)
                .expectErrorMessage("cannot bucket by \"id\": a scalar has no length")
                .verify();
    }

    /** Resuming at any bucketed batch brings every sample that was not delivered, and starts no later than it must. */
    @Property(tries = 100)
    void buckets_resumingAnywhere_skipsNothing(
            @ForAll @IntRange(min = 1, max = 30) int size,
            @ForAll @IntRange(min = 1, max = 5) int n,
            @ForAll @IntRange(min = 1, max = 4) int slots,
            @ForAll @IntRange(min = 1, max = 20) int stopAfter) {
        Points points = Points.immediate(size);
        Sampler sampler = Sampler.shuffled(3).epochs(2);
        Batches<Points.Point> spec =
                Batches.of(n, Points.SCHEMA).slots(slots).bucketByLength(point -> point.id() % 7, 2, 4);

        List<Seen> seen = Seen.all(points.stream(sampler).transform(spec));
        List<Seen> before = seen.subList(0, Math.min(stopAfter, seen.size()));
        Seen last = before.get(before.size() - 1);
        List<Seen> after = Seen.all(points.stream(sampler.resumeAt(last.next())).transform(spec));

        List<Long> ids = new ArrayList<>();
        before.stream().filter(batch -> batch.epoch() == last.epoch()).forEach(batch -> ids.addAll(batch.valid()));
        after.stream().filter(batch -> batch.epoch() == last.epoch()).forEach(batch -> ids.addAll(batch.valid()));
        assertThat(ids)
                .containsAll(IntStream.range(0, size).mapToObj(Long::valueOf).toList());
        Draws draws = sampler.draws(size);
        long end = last.next().epoch() * size + last.next().offset();
        List<Long> delivered = new ArrayList<>();
        before.forEach(batch -> delivered.addAll(batch.valid()));
        for (long number = 0; number < end; number++) {
            delivered.remove(draws.at(number).index()); // each of these was delivered before, so none is missing
        }
        assertThat(delivered.size())
                .isEqualTo(before.stream().mapToInt(Seen::size).sum() - end);
    }
}
