package io.penstock.batch.mix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.batch.MadeDataset;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class MapBatchTest {

    private static final int CLASSES = 4;
    private static final int SIDE = 6;
    private static final MixUp MIX_UP = MixUp.of(0.4, "pixels", "label", CLASSES);
    private static final CutMix CUT_MIX = CutMix.of(1, "pixels", "label", CLASSES);

    record Photo(Tensor pixels, int label) {}

    /** Image i has the value i in all its pixels, and the class i % 4. */
    private static Dataset<Photo> photos(int count, boolean floats) {
        return new MadeDataset<>(
                "photos", count, index -> Mono.just(new Photo(image(index, floats), (int) index % CLASSES)));
    }

    private static Tensor image(long index, boolean floats) {
        int pixels = SIDE * SIDE * 3;
        if (floats) {
            float[] values = new float[pixels];
            Arrays.fill(values, (float) index);
            return Tensor.ofFloats(values, SIDE, SIDE, 3);
        }
        byte[] values = new byte[pixels];
        Arrays.fill(values, (byte) index);
        return Tensor.ofBytes(values, SIDE, SIDE, 3);
    }

    /** A batch, copied. */
    private record Copied(List<Double> pixels, List<Double> labels, int size, Position next) {

        static Copied of(Batch batch) {
            try (batch) {
                return new Copied(
                        values(batch.tensor("pixels")), values(batch.tensor("label")), batch.size(), batch.next());
            }
        }

        private static List<Double> values(Tensor tensor) {
            return IntStream.range(0, (int) tensor.shape().elements())
                    .mapToObj(tensor::doubleAt)
                    .toList();
        }

        /** The value of a channel of a pixel. */
        double at(int row, int y, int x) {
            return pixels.get((row * SIDE * SIDE + y * SIDE + x) * 3);
        }

        double label(int row, int c) {
            return labels.get(row * CLASSES + c);
        }
    }

    private static Flux<Copied> stream(Dataset<Photo> photos, Sampler sampler, int batch, BatchTransform transform) {
        return photos.stream(sampler, Execution.standard().inFlight(1 + batch % 5))
                .transform(Batches.of(batch, Schema.of(Photo.class)).remainder(Remainder.PAD))
                .transform(MapBatch.of("mix", sampler, transform))
                .map(Copied::of);
    }

    private static List<Copied> read(Dataset<Photo> photos, Sampler sampler, int batch, BatchTransform transform) {
        return Objects.requireNonNull(
                stream(photos, sampler, batch, transform).collectList().block());
    }

    @Test
    void mixUp_ofEachBatch_blendsImagesAndLabelsInTheSameShares() {
        for (boolean floats : new boolean[] {false, true}) {
            List<Copied> mixed = read(photos(20, floats), Sampler.sequential(), 8, MIX_UP);

            for (int b = 0; b < mixed.size(); b++) {
                Copied batch = mixed.get(b);
                for (int row = 0; row < batch.size; row++) {
                    int own = b * 8 + row;
                    double value = batch.at(row, 0, 0);
                    double keep = batch.label(row, own % CLASSES);
                    assertThat(IntStream.range(0, CLASSES)
                                    .mapToDouble(c -> batch.label(batch.size - 1, c))
                                    .sum())
                            .isCloseTo(1, within(1e-6));
                    // own * keep + other * (1 - keep), with another whole number of the batch
                    double other = keep > 0.9999 ? own : (value - own * keep) / (1 - keep);
                    if (floats && keep < 0.99 && keep > 0.01) {
                        assertThat(other)
                                .isCloseTo(Math.rint(other), within(0.01))
                                .isBetween(b * 8 - 0.5, b * 8 + 7.5);
                    }
                    assertThat(value).isBetween(b * 8.0, b * 8 + 7.0);
                }
                for (int row = batch.size; row < 8; row++) {
                    assertThat(batch.at(row, 3, 3)).isZero();
                    assertThat(IntStream.range(row * CLASSES, (row + 1) * CLASSES)
                                    .mapToObj(batch.labels::get))
                            .containsOnly(0.0);
                }
            }
        }
    }

    @Test
    void cutMix_ofEachBatch_pastesOneRectangleAndSharesLabelsByArea() {
        List<Copied> mixed = read(photos(32, false), Sampler.sequential().epochs(20), 8, CUT_MIX);
        int cut = 0;

        for (int b = 0; b < mixed.size(); b++) {
            Copied batch = mixed.get(b);
            Set<Set<Integer>> rectangles = new HashSet<>();
            for (int row = 0; row < batch.size; row++) {
                int own = b % 4 * 8 + row;
                Set<Integer> pasted = new TreeSet<>();
                Set<Integer> others = new HashSet<>();
                for (int i = 0; i < SIDE * SIDE; i++) {
                    int value = (int) batch.at(row, i / SIDE, i % SIDE);
                    if (value != own) {
                        pasted.add(i);
                        others.add(value);
                    }
                }
                assertThat(others).hasSizeLessThanOrEqualTo(1);
                if (!pasted.isEmpty()) {
                    cut++;
                    rectangles.add(pasted);
                    assertThat(pasted).isEqualTo(around(pasted));
                    int other = others.iterator().next();
                    double share = other % CLASSES == own % CLASSES ? 0 : pasted.size() / (double) (SIDE * SIDE);
                    assertThat(batch.label(row, own % CLASSES)).isCloseTo(1 - share, within(1e-6));
                }
            }
            assertThat(rectangles).hasSizeLessThanOrEqualTo(1);
        }
        assertThat(cut).isGreaterThan(300);
    }

    @Test
    void cutMix_ofChannelsFirst_pastesWhatItPastesOfChannelsLast() {
        for (int seed = 0; seed < 50; seed++) {
            Map<String, Tensor> last = cut(seed, false);
            Map<String, Tensor> first = cut(seed, true);

            assertThat(first.get("label")).isEqualTo(last.get("label"));
            Tensor pixels = Objects.requireNonNull(last.get("pixels"));
            assertThat(first.get("pixels")).isEqualTo(planes(pixels.toByteArray()));
        }
    }

    private static Map<String, Tensor> cut(int seed, boolean planes) {
        byte[] values = new byte[8 * SIDE * SIDE * 3];
        new SplittableRandom(5).nextBytes(values);
        Tensor pixels = planes ? planes(values) : Tensor.ofBytes(values, 8, SIDE, SIDE, 3);
        Map<String, Tensor> fields = Map.of("pixels", pixels, "label", Tensor.ofInts(new int[8]));
        try (Batch batch = new Batch(fields, 8, null, 0, new Position(0, 8), () -> {})) {
            return CUT_MIX.apply(
                    batch,
                    new SplittableRandom(seed),
                    bytes -> ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN));
        }
    }

    /** The channels of {@code [8, h, w, 3]}, each for itself. */
    private static Tensor planes(byte[] pixels) {
        byte[] planes = new byte[pixels.length];
        for (int i = 0; i < planes.length; i++) {
            int row = i / (3 * SIDE * SIDE);
            int channel = i / (SIDE * SIDE) % 3;
            planes[i] = pixels[(row * SIDE * SIDE + i % (SIDE * SIDE)) * 3 + channel];
        }
        return Tensor.ofBytes(planes, 8, 3, SIDE, SIDE);
    }

    /** All pixels of the smallest rectangle around some. */
    private static Set<Integer> around(Set<Integer> pixels) {
        int top = pixels.stream().mapToInt(i -> i / SIDE).min().orElseThrow();
        int bottom = pixels.stream().mapToInt(i -> i / SIDE).max().orElseThrow();
        int left = pixels.stream().mapToInt(i -> i % SIDE).min().orElseThrow();
        int right = pixels.stream().mapToInt(i -> i % SIDE).max().orElseThrow();
        return IntStream.range(0, SIDE * SIDE)
                .filter(i -> i / SIDE >= top && i / SIDE <= bottom && i % SIDE >= left && i % SIDE <= right)
                .boxed()
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void result_ofAnyRunAndAnyResume_isTheSame() {
        Dataset<Photo> photos = photos(50, true);
        Sampler sampler = Sampler.shuffled(3).epochs(2);
        BatchTransform either = BatchTransform.oneOf(MIX_UP, CUT_MIX);
        List<Copied> whole = read(photos, sampler, 8, either);

        assertThat(read(photos, sampler, 8, either)).isEqualTo(whole);
        for (int stop = 1; stop < whole.size(); stop++) {
            List<Copied> both = new ArrayList<>(Objects.requireNonNull(
                    stream(photos, sampler, 8, either).take(stop).collectList().block()));
            Position next = both.get(stop - 1).next;
            both.addAll(read(photos, sampler.resumeAt(next), 8, either));
            assertThat(both).isEqualTo(whole);
        }
        assertThat(read(photos, sampler.seed(4), 8, either)).isNotEqualTo(whole);
    }

    @Test
    void dice_ofEpochsRanksBatchesAndStages_differ() {
        Set<Long> seen = new HashSet<>();
        for (String stage : List.of("a", "b")) {
            for (int rank = 0; rank < 2; rank++) {
                Sampler sampler = Sampler.shuffled(1).epochs(2).shard(Shard.of(rank, 2));
                photos(40, false).stream(sampler)
                        .transform(Batches.of(5, Schema.of(Photo.class)))
                        .transform(MapBatch.of(stage, sampler, (batch, random, memory) -> {
                            seen.add(random.nextLong());
                            return Map.of();
                        }))
                        .doOnNext(Batch::close)
                        .blockLast();
            }
        }

        assertThat(seen).hasSize(2 * 2 * 2 * 4);
    }

    @Test
    void memory_ofClosedBatches_isUsedAgain() {
        Sampler sampler = Sampler.sequential();
        AtomicInteger marks = new AtomicInteger();

        photos(100, false).stream(sampler)
                .transform(Batches.of(5, Schema.of(Photo.class)))
                .transform(MapBatch.of("own", sampler, (batch, random, memory) -> {
                    ByteBuffer buffer = memory.apply(64);
                    if (buffer.getInt(0) != 7) {
                        marks.incrementAndGet();
                    }
                    buffer.putInt(0, 7);
                    return Map.of("label", Tensor.ofInts(new int[5]));
                }))
                .doOnNext(batch -> {
                    assertThat(batch.tensor("label")).isEqualTo(Tensor.ofInts(new int[5]));
                    batch.close();
                    assertThatThrownBy(() -> batch.tensor("pixels")).isInstanceOf(IllegalStateException.class);
                })
                .blockLast();

        assertThat(marks).hasValue(1);
    }

    @Test
    void batches_areAskedForAsTheConsumerAsks() {
        StepVerifier.create(stream(photos(40, true), Sampler.sequential(), 8, MIX_UP), 0)
                .expectSubscription()
                .thenRequest(2)
                .expectNextCount(2)
                .thenRequest(3)
                .expectNextCount(3)
                .expectComplete()
                .verify();
    }

    @Test
    void beta_ofAnyAlpha_hasItsMeanAndVariance() {
        for (double alpha : new double[] {0.01, 0.2, 1, 4, 100}) {
            RandomGenerator random = new SplittableRandom(5);
            double[] drawn = IntStream.range(0, 20_000)
                    .mapToDouble(i -> MixDice.beta(alpha, random))
                    .toArray();

            double mean = Arrays.stream(drawn).average().orElseThrow();
            double variance = Arrays.stream(drawn)
                    .map(x -> (x - mean) * (x - mean))
                    .average()
                    .orElseThrow();
            double expected = 1 / (4 * (2 * alpha + 1));
            assertThat(Arrays.stream(drawn)).allMatch(x -> x >= 0 && x <= 1);
            assertThat(mean).isCloseTo(0.5, within(0.012));
            assertThat(variance).isCloseTo(expected, within(expected * 0.05));
        }
    }

    @Test
    void wrongUse_isRefusedAndTheBatchClosed() {
        Sampler sampler = Sampler.sequential();

        assertThatThrownBy(() -> MixUp.of(0, "pixels", "label", 4)).hasMessage("alpha must be in (0, 1000], was 0.0");
        assertThatThrownBy(() -> CutMix.of(1, "pixels", "label", 0))
                .hasMessage("there must be at least 1 class, was 0");
        assertThatThrownBy(() -> BatchTransform.oneOf()).hasMessage("there is no transform to choose from");
        assertThatThrownBy(() -> MapBatch.of(" ", sampler, MIX_UP))
                .hasMessage("a stage needs a name: its dice depend on it");
        assertThatThrownBy(() -> read(photos(8, true), sampler, 4, MixUp.of(1, "pixels", "label", 3)))
                .hasMessage(
                        "stage \"mix\" failed on the batch of epoch 0, next Position[epoch=0, offset=4]: label of row"
                                + " 3 in field \"label\" must be in [0, 3), was 3");
        assertThatThrownBy(() -> read(photos(8, true), sampler, 4, MixUp.of(1, "photo", "label", 4)))
                .hasMessageContaining("batch has no field \"photo\"");
        assertThatThrownBy(() -> read(photos(8, true), sampler, 4, MixUp.of(1, "pixels", "pixels", 4)))
                .hasMessageContaining("labels in field \"pixels\" must be a whole number a row, or f32[n, 4]");
        assertThatThrownBy(() -> read(photos(8, true), sampler, 4, CutMix.of(1, "label", "label", 4)))
                .hasMessageContaining("images are [n, h, w], [n, h, w, c] or [n, c, h, w], field \"label\" is i32[4]");
    }
}
