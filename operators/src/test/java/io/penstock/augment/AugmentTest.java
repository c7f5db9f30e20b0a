package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.pipeline.RandomTransform;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class AugmentTest {

    private static final Augment ALL =
            Augment.crop(6, 6).flip().jitter(0.4, 0.4, 0.4, 0.1).erase(0.5).normalise(Normalise.imageNet());

    @Test
    void cropAndFlip_ofFixedDraws_keepTheirBytes() {
        Tensor image = TestImages.image(3, 3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        Augment augment = Augment.crop(2, 2).flip();

        List<Tensor> first = IntStream.range(0, 4)
                .mapToObj(i -> augment.apply(image, TestImages.dice(i)))
                .toList();

        assertThat(first)
                .containsExactly(
                        TestImages.image(2, 2, 1, 5, 6, 8, 9),
                        TestImages.image(2, 2, 1, 6, 5, 9, 8),
                        TestImages.image(2, 2, 1, 3, 2, 6, 5),
                        TestImages.image(2, 2, 1, 6, 5, 9, 8));
    }

    @Property
    void chain_ofAnyParts_isThePartsOneAfterAnother(
            @ForAll @IntRange(max = 2) int geometry,
            @ForAll boolean flips,
            @ForAll boolean jitters,
            @ForAll boolean erases,
            @ForAll boolean normalises,
            @ForAll @IntRange(min = 1, max = 30) int height,
            @ForAll @IntRange(min = 1, max = 30) int width,
            @ForAll @IntRange(max = 1000) int seed) {
        int channels = new int[] {1, 3, 4}[seed % 3];
        Tensor image = TestImages.noise(DType.U8, height, width, channels, seed);
        RandomCrop crop = RandomCrop.of(height, Math.max(1, width / 2)).padding(1);
        RandomResizedCrop resizedCrop = RandomResizedCrop.of(9, 17);
        HorizontalFlip flip = HorizontalFlip.of(0.5);
        ColourJitter jitter = ColourJitter.of(0.8, 0.8, 0.8, 0.5);
        RandomErasing erasing = RandomErasing.of(0.5).noise();
        Normalise normalise = Normalise.of(new double[] {0.45}, new double[] {0.2});

        Augment chain =
                geometry == 0 ? Augment.whole() : geometry == 1 ? Augment.crop(crop) : Augment.crop(resizedCrop);
        chain = flips ? chain.flip(flip) : chain;
        chain = jitters ? chain.jitter(jitter) : chain;
        chain = erases ? chain.erase(erasing) : chain;
        chain = normalises ? chain.normalise(normalise) : chain;
        RandomTransform<Tensor> parts = geometry == 0 ? (value, random) -> value : geometry == 1 ? crop : resizedCrop;
        parts = flips ? parts.then(flip) : parts;
        parts = jitters ? parts.then(jitter) : parts;
        parts = erases ? parts.then(erasing) : parts;
        parts = normalises ? parts.then(normalise) : parts;

        assertThat(chain.apply(image, TestImages.dice(seed))).isEqualTo(parts.apply(image, TestImages.dice(seed)));
    }

    @Test
    void parameters_drawnOnce_giveTheSameImageAgain() {
        Tensor image = TestImages.noise(DType.U8, 12, 12, 3, 0);

        Augment.Parameters drawn = ALL.draw(image.shape(), TestImages.dice(7));

        assertThat(ALL.draw(image.shape(), TestImages.dice(7))).isEqualTo(drawn);
        assertThat(ALL.apply(image, drawn)).isEqualTo(ALL.apply(image, TestImages.dice(7)));
    }

    @Test
    void sameDraw_onManyThreads_givesTheSameBytes() {
        Tensor image = TestImages.noise(DType.U8, 12, 12, 3, 1);
        List<Tensor> alone = IntStream.range(0, 500)
                .mapToObj(i -> ALL.apply(image, TestImages.dice(i % 50)))
                .toList();

        List<Tensor> together = IntStream.range(0, 500)
                .parallel()
                .mapToObj(i -> ALL.apply(image, TestImages.dice(i % 50)))
                .toList();

        assertThat(together).isEqualTo(alone);
        assertThat(alone.stream().distinct()).hasSize(50);
    }

    @Test
    void pipeline_augmented_givesTheValueOfItsDraw() {
        Pipeline<Tensor> images = new Ramps().augment(ALL.name(), ALL);
        Draw draw = new Draw(42, 1, 3, Position.START);

        Tensor loaded = images.load(draw).block();
        Tensor nextEpoch = images.load(new Draw(42, 2, 3, Position.START)).block();

        Tensor image = Ramps.image(3);
        assertThat(loaded).isEqualTo(ALL.apply(image, draw.random(ALL.name()))).isNotEqualTo(nextEpoch);
    }

    private record Ramps() implements Dataset<Tensor> {
        @Override
        public long size() {
            return 8;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("ramps");
        }

        @Override
        public Mono<Tensor> get(long index) {
            return Mono.just(image(index));
        }

        static Tensor image(long index) {
            return TestImages.noise(DType.U8, 9, 9, 3, index);
        }
    }

    @Test
    void ownFunction_afterAChain_goesOnWithTheSameDice() {
        Tensor image = TestImages.image(1, 2, 1, 10, 20);
        RandomTransform<Tensor> darken =
                (value, random) -> random.nextLong() < 0 ? TestImages.image(1, 2, 1, 0, 0) : value;

        List<Tensor> results = IntStream.range(0, 64)
                .mapToObj(i -> Augment.whole().flip().then(darken).apply(image, TestImages.dice(i)))
                .distinct()
                .toList();

        assertThat(results)
                .containsExactlyInAnyOrder(image, TestImages.image(1, 2, 1, 20, 10), TestImages.image(1, 2, 1, 0, 0));
    }

    @Test
    void apply_ofAWholeChain_allocatesOneArray() {
        var threads = ManagementFactory.getPlatformMXBean(com.sun.management.ThreadMXBean.class);
        Assumptions.assumeTrue(threads.isThreadAllocatedMemorySupported(), "this Java does not count allocations");
        Tensor image = TestImages.noise(DType.U8, 224, 224, 3, 0);
        Augment augment =
                Augment.crop(200, 200).flip().jitter(0.4, 0.4, 0.4, 0.1).normalise(Normalise.imageNet());
        augment.apply(image, TestImages.dice(0));

        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 10; i++) {
            augment.apply(image, TestImages.dice(i));
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / 10;

        int output = 200 * 200 * 3 * Float.BYTES;
        assertThat(each).isBetween((long) output, output + 16_384L);
    }

    @Test
    void chain_ofNothing_returnsTheImageItself() {
        Tensor image = TestImages.counting(2, 2, 3);

        assertThat(Augment.whole().apply(image, TestImages.dice(0))).isSameAs(image);
        assertThat(Augment.whole().name()).isEqualTo("whole");
    }

    @Test
    void name_saysEveryParameterInOrder() {
        assertThat(Augment.whole()
                        .normalise(Normalise.imageNet())
                        .erase(0.25)
                        .flip()
                        .name())
                .isEqualTo("flip=0.5,erase=0.25,normalise=0.485/0.456/0.406:0.229/0.224/0.225");
        assertThat(ALL.toString()).startsWith("crop=6,flip=0.5,jitter=0.4:0.4:0.4:0.1,erase=0.5,");
    }

    @Test
    void apply_ofWrongImage_saysWhatIsWanted() {
        assertThatThrownBy(() -> ALL.apply(TestImages.counting(5, 5, 3), TestImages.dice(0)))
                .hasMessage("cannot crop 6 × 6 out of 5 × 5; resize to at least that or pad");
        assertThatThrownBy(() -> ALL.apply(TestImages.noise(DType.F32, 9, 9, 3, 0), TestImages.dice(0)))
                .hasMessageStartingWith("cannot jitter f32[9, 9, 3]");
        assertThatThrownBy(() -> Augment.whole().flip().draw(Shape.of(0, 3, 3), TestImages.dice(0)))
                .hasMessageStartingWith("cannot augment a tensor of shape [0, 3, 3]");
    }
}
