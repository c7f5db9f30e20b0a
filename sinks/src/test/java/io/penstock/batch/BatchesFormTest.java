package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.stream.Sample;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Fields that an engine takes in another layout or dtype than samples have. */
class BatchesFormTest {

    private static final Schema<Photo> PHOTOS = Schema.of(Photo.class);
    private static final Schema<Tensor> PIXELS = Schema.tensor("pixels");

    record Photo(Tensor pixels, int label) {}

    private static <T> Flux<Sample<T>> samples(List<T> values) {
        return Flux.range(0, values.size())
                .map(i -> Sample.of(new Draw(0, 0, i, new Position(0, i + 1)), values.get(i)));
    }

    private static Tensor random(DType dtype, Random random, long... dims) {
        Shape shape = Shape.of(dims);
        byte[] bytes = new byte[(int) shape.elements() * dtype.bytes()];
        random.nextBytes(bytes);
        ByteBuffer memory = random.nextBoolean()
                ? ByteBuffer.wrap(bytes)
                : ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        return Tensor.of(dtype, shape, memory);
    }

    private static Tensor only(Flux<Batch> batches, String field) {
        return batches.map(batch -> {
                    try (batch) {
                        return batch.tensor(field).copy();
                    }
                })
                .blockFirst();
    }

    /** Each image has its values where the definition says, whatever lies around them. */
    private static void assertTransposed(Tensor batch, List<Tensor> rows) {
        Shape all = batch.shape();
        int axis = all.rank() - 3;
        int images = axis == 1 ? 1 : (int) all.dim(1);
        int channels = (int) all.dim(axis);
        int height = (int) all.dim(axis + 1);
        int width = (int) all.dim(axis + 2);
        for (int row = 0; row < rows.size(); row++) {
            Shape own = rows.get(row).shape();
            int first = own.rank() - 3;
            for (int i = 0; i < own.elements(); i++) {
                int c = i % (int) own.dim(first + 2);
                int x = i / (int) own.dim(first + 2) % (int) own.dim(first + 1);
                int y = i / (int) (own.dim(first + 2) * own.dim(first + 1)) % (int) own.dim(first);
                int image = i / (int) (own.dim(first + 2) * own.dim(first + 1) * own.dim(first));
                int at = (((row * images + image) * channels + c) * height + y) * width + x;
                assertThat(batch.longAt(at)).isEqualTo(rows.get(row).longAt(i));
            }
        }
    }

    @Property(tries = 200)
    void channelsFirst_imagesOfAnySizeAndDtype_haveEachChannelInAPlane(
            @ForAll DType dtype,
            @ForAll @IntRange(max = 9) int height,
            @ForAll @IntRange(min = 1, max = 90) int width,
            @ForAll @IntRange(min = 1, max = 70) int channels,
            @ForAll boolean video,
            @ForAll long seed) {
        Random random = new Random(seed);
        long[] dims = video ? new long[] {2, height, width, channels} : new long[] {height, width, channels};
        List<Tensor> images =
                IntStream.range(0, 3).mapToObj(i -> random(dtype, random, dims)).toList();

        Tensor batch = only(samples(images).transform(Batches.of(3, PIXELS).channelsFirst("pixels")), "pixels");

        assertThat(batch.dtype()).isEqualTo(dtype);
        assertThat(batch.shape())
                .isEqualTo(video ? Shape.of(3, 2, channels, height, width) : Shape.of(3, channels, height, width));
        assertTransposed(batch, images);
    }

    @Property(tries = 100)
    void channelsFirst_paddedImages_lieInTheCornerOfTheirPlanes(@ForAll long seed, @ForAll boolean video) {
        Random random = new Random(seed);
        List<Tensor> images = IntStream.range(0, 4)
                .mapToObj(i -> {
                    long h = 1L + random.nextInt(5);
                    long w = 1L + random.nextInt(5);
                    long c = 1L + random.nextInt(3);
                    return video
                            ? random(DType.I32, random, 1 + random.nextInt(2), h, w, c)
                            : random(DType.I32, random, h, w, c);
                })
                .toList();
        Batches<Tensor> batches = Batches.of(4, PIXELS).padShapes().channelsFirst("pixels");

        Tensor batch = only(samples(images).transform(batches), "pixels");

        assertTransposed(batch, images);
        long values = IntStream.range(0, (int) batch.shape().elements())
                .filter(i -> batch.longAt(i) != 0)
                .count();
        assertThat(values)
                .isLessThanOrEqualTo(images.stream()
                        .mapToLong(image -> image.shape().elements())
                        .sum());
    }

    @Test
    void asLongs_labelsAndTokens_areWidened() {
        List<Photo> photos =
                List.of(new Photo(Tensor.ofInts(new int[] {7, -1}), -3), new Photo(Tensor.ofInts(new int[] {2}), 5));
        Batches<Photo> batches =
                Batches.of(3, PHOTOS).padShapes().remainder(Remainder.PAD).asLongs("label", "pixels");

        assertThat(only(samples(photos).transform(batches), "label")).isEqualTo(Tensor.ofLongs(new long[] {-3, 5, 0}));
        assertThat(only(samples(photos).transform(batches), "pixels"))
                .isEqualTo(Tensor.ofLongs(new long[] {7, -1, 2, 0, 0, 0}, 3, 2));
        Batches<Photo> stacked = Batches.of(1, PHOTOS).asLongs("label");
        assertThat(only(samples(photos).transform(stacked), "label")).isEqualTo(Tensor.ofLongs(new long[] {-3}));
    }

    @Test
    void form_thatAFieldCannotHave_isRefusedByName() {
        Flux<Sample<Photo>> flat = samples(List.of(new Photo(Tensor.ofFloats(new float[4], 2, 2), 1)));

        assertThatThrownBy(() -> Batches.of(2, PHOTOS).channelsFirst("image"))
                .hasMessage("there is no field \"image\" to batch as channels first; there are [pixels, label]");
        assertThatThrownBy(() -> Batches.of(2, PHOTOS).asLongs("pixels").channelsFirst("pixels"))
                .hasMessage("field \"pixels\" is batched as longs or as channels first, not both");
        assertThatThrownBy(() -> only(flat.transform(Batches.of(1, PHOTOS).channelsFirst("pixels")), "pixels"))
                .hasMessage("cannot batch field \"pixels\" as channels first: that takes [h, w, c] or [t, h, w, c],"
                        + " sample 0 is f32[2, 2]; leave the field as it is, or map it");
        assertThatThrownBy(() -> only(flat.transform(Batches.of(1, PHOTOS).asLongs("pixels")), "pixels"))
                .hasMessageContaining("that takes integers of up to 32 bits, or i64, sample 0 is f32[2, 2]");
    }
}
