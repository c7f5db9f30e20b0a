package io.penstock.batch.mix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.batch.Batch;
import io.penstock.batch.Batches;
import io.penstock.batch.MadeDataset;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.DType;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Mosaic and copy-paste of pictures whose pixels say which picture and place they are of. */
class MixedScenesTest {

    private static final int HEIGHT = 20;
    private static final int WIDTH = 28;
    private static final int BATCH = 8;
    private static final int SCENES = 30;
    private static final double MIN_VISIBLE = 0.3;

    record Things(Tensor corners, Tensor classes) {}

    record Scene(Tensor pixels, Tensor mask, Things boxes, int label) {}

    /** Scene i: pixels (i, y, x), boxes of whole pixels, and a mask of their classes and 1 but for every fourth column. */
    private static Scene scene(int number) {
        SplittableRandom random = new SplittableRandom(number);
        byte[] pixels = new byte[HEIGHT * WIDTH * 3];
        byte[] mask = new byte[HEIGHT * WIDTH];
        for (int i = 0; i < mask.length; i++) {
            pixels[3 * i] = (byte) number;
            pixels[3 * i + 1] = (byte) (i / WIDTH);
            pixels[3 * i + 2] = (byte) (i % WIDTH);
        }
        int boxes = number % 5; // some scenes have none
        float[] corners = new float[4 * boxes];
        int[] classes = new int[boxes];
        for (int box = 0; box < boxes; box++) {
            int x = random.nextInt(WIDTH - 2);
            int y = random.nextInt(HEIGHT - 2);
            int right = x + 1 + random.nextInt(WIDTH - x);
            int bottom = y + 1 + random.nextInt(HEIGHT - y);
            right = Math.min(right, WIDTH);
            bottom = Math.min(bottom, HEIGHT);
            classes[box] = 5 * number + box; // tells the box
            corners[4 * box] = x;
            corners[4 * box + 1] = y;
            corners[4 * box + 2] = right;
            corners[4 * box + 3] = bottom;
            for (int i = 0; i < mask.length; i++) {
                if (i % WIDTH >= x && i % WIDTH < right && i / WIDTH >= y && i / WIDTH < bottom && i % 4 != 0) {
                    mask[i] = (byte) (classes[box] + 1);
                }
            }
        }
        return new Scene(
                Tensor.ofBytes(pixels, HEIGHT, WIDTH, 3),
                Tensor.ofBytes(mask, HEIGHT, WIDTH),
                new Things(Tensor.ofFloats(corners, boxes, 4), Tensor.ofInts(classes)),
                number);
    }

    private static List<Batch> mixed(
            BatchTransform transform, int epochs, UnaryOperator<Batches<Scene>> form, int scenes) {
        Dataset<Scene> dataset = new MadeDataset<>("scenes", scenes, index -> Mono.just(scene((int) index)));
        Sampler sampler = Sampler.shuffled(11).epochs(epochs);
        return Objects.requireNonNull(dataset.stream(sampler)
                .transform(form.apply(Batches.of(BATCH, Schema.of(Scene.class)).remainder(Remainder.PAD)))
                .transform(MapBatch.of("mix", sampler, transform))
                .map(MixedScenesTest::copied)
                .collectList()
                .block());
    }

    private static Batch copied(Batch batch) {
        try (batch) {
            Map<String, Tensor> fields = new HashMap<>();
            batch.names().forEach(name -> fields.put(name, batch.tensor(name).copy()));
            return new Batch(fields, batch.size(), null, batch.epoch(), batch.next(), () -> {});
        }
    }

    /** Where a pixel of a row came from: scene, y and x. */
    private static int[] origin(Batch batch, int row, int at) {
        Tensor pixels = batch.tensor("pixels");
        int first = 3 * (row * HEIGHT * WIDTH + at);
        return new int[] {(int) pixels.longAt(first), (int) pixels.longAt(first + 1), (int) pixels.longAt(first + 2)};
    }

    private static List<List<Float>> boxes(Batch batch, int row) {
        Tensor corners = batch.tensor("boxes.corners");
        Tensor classes = batch.tensor("boxes.classes");
        int widest = (int) corners.shape().dim(1);
        long count = batch.tensor("boxes.corners.length").longAt(row);
        assertThat(batch.tensor("boxes.classes.length").longAt(row)).isEqualTo(count);
        assertThat(batch.tensor("boxes.corners.shape").longAt(2 * row)).isEqualTo(count);
        List<List<Float>> boxes = new ArrayList<>();
        for (int box = 0; box < widest; box++) {
            List<Float> values = new ArrayList<>();
            values.add((float) classes.longAt(row * widest + box));
            for (int i = 0; i < 4; i++) {
                values.add((float) corners.doubleAt(4 * (row * widest + box) + i));
            }
            if (box < count) {
                boxes.add(values);
            } else {
                assertThat(values).containsOnly(0f);
            }
        }
        return boxes;
    }

    private static boolean isInside(Tensor corners, int box, int y, int x) {
        return x >= corners.doubleAt(4 * box)
                && y >= corners.doubleAt(4 * box + 1)
                && x < corners.doubleAt(4 * box + 2)
                && y < corners.doubleAt(4 * box + 3);
    }

    private static double area(Tensor corners, int box) {
        return (corners.doubleAt(4 * box + 2) - corners.doubleAt(4 * box))
                * (corners.doubleAt(4 * box + 3) - corners.doubleAt(4 * box + 1));
    }

    private static void assertMaskIsWhereThePictureIs(Batch batch) {
        for (int row = 0; row < batch.size(); row++) {
            for (int at = 0; at < HEIGHT * WIDTH; at++) {
                int[] from = origin(batch, row, at);
                assertThat(batch.tensor("mask").longAt(row * HEIGHT * WIDTH + at))
                        .isEqualTo(scene(from[0]).mask().longAt(from[1] * WIDTH + from[2]));
            }
        }
    }

    @Test
    void mosaic_ofAnyScenes_hasMaskAndBoxesWhereThePicturesAre() {
        Mosaic mosaic = Mosaic.of(0.8, "pixels", "mask").boxes(MIN_VISIBLE, "boxes.corners", "boxes.classes");
        int whole = 0;
        int rows = 0;
        int tiles = 0;

        for (Batch batch : mixed(mosaic, 6, Batches::padShapes, SCENES)) {
            assertMaskIsWhereThePictureIs(batch);
            for (int row = 0; row < batch.size(); row++) {
                Map<List<Integer>, List<int[]>> placed = new HashMap<>(); // by the scene and how far it was moved
                for (int at = 0; at < HEIGHT * WIDTH; at++) {
                    int[] from = origin(batch, row, at);
                    placed.computeIfAbsent(
                                    List.of(from[0], at / WIDTH - from[1], at % WIDTH - from[2]),
                                    k -> new ArrayList<>())
                            .add(from);
                }
                Set<List<Float>> expected = new HashSet<>();
                placed.forEach((place, pixels) -> expected.addAll(visible(place, pixels)));
                assertThat(new HashSet<>(boxes(batch, row))).isEqualTo(expected);
                assertThat(boxes(batch, row)).hasSameSizeAs(expected);
                int[] corner = origin(batch, row, 0);
                assertThat((long) corner[0]).isEqualTo(batch.tensor("label").longAt(row)); // the own picture
                whole += placed.size() == 1 ? 1 : 0;
                tiles = Math.max(tiles, placed.size());
                rows++;
            }
        }

        assertThat(tiles).isEqualTo(4);
        assertThat(whole / (double) rows).isCloseTo(0.2, within(0.1)); // of 180, three deviations
    }

    /** The boxes of a scene as the pixels that came from it tell them. */
    private static Set<List<Float>> visible(List<Integer> place, List<int[]> pixels) {
        Set<List<Float>> visible = new HashSet<>();
        Things things = scene(place.get(0)).boxes();
        for (int box = 0; box < things.classes().shape().dim(0); box++) {
            int number = box;
            List<int[]> inside = pixels.stream()
                    .filter(from -> isInside(things.corners(), number, from[1], from[2]))
                    .toList();
            if (!inside.isEmpty() && inside.size() >= MIN_VISIBLE * area(things.corners(), box)) {
                int down = place.get(1);
                int right = place.get(2);
                visible.add(List.of(
                        (float) things.classes().longAt(box),
                        (float) inside.stream().mapToInt(from -> from[2]).min().orElseThrow() + right,
                        (float) inside.stream().mapToInt(from -> from[1]).min().orElseThrow() + down,
                        (float) inside.stream().mapToInt(from -> from[2]).max().orElseThrow() + right + 1,
                        (float) inside.stream().mapToInt(from -> from[1]).max().orElseThrow() + down + 1));
            }
        }
        return visible;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copyPaste_ofAnyScenes_pastesObjectsAndDropsWhatTheyCover(boolean masked) {
        CopyPaste boxesAlone = CopyPaste.of(0.5, MIN_VISIBLE, "pixels", "boxes.corners", "boxes.classes");
        int objects = 0;
        int taken = 0;
        int dropped = 0;

        for (Batch batch : mixed(masked ? boxesAlone.mask("mask") : boxesAlone, 6, Batches::padShapes, SCENES)) {
            for (int row = 0; row < batch.size(); row++) {
                int own = (int) batch.tensor("label").longAt(row);
                Set<Integer> pasted = new TreeSet<>();
                Set<Integer> others = new HashSet<>();
                for (int at = 0; at < HEIGHT * WIDTH; at++) {
                    int[] from = origin(batch, row, at);
                    assertThat(from[1] * WIDTH + from[2]).isEqualTo(at);
                    if (from[0] != own) {
                        pasted.add(at);
                        others.add(from[0]);
                    }
                }
                assertThat(others).hasSizeLessThanOrEqualTo(1);
                List<List<Float>> expected = left(own, pasted);
                dropped += (int) scene(own).boxes().classes().shape().elements() - expected.size();
                List<List<Float>> boxes = boxes(batch, row);
                assertThat(boxes.subList(0, expected.size())).isEqualTo(expected);
                Set<Integer> union = new TreeSet<>();
                for (List<Float> box : boxes.subList(expected.size(), boxes.size())) {
                    int scene = box.get(0).intValue() / 5;
                    assertThat(others).containsExactly(scene);
                    union.addAll(cells(scene, box.get(0).intValue() % 5, masked));
                    taken++;
                }
                assertThat(pasted).isEqualTo(union);
                objects += others.stream()
                        .mapToInt(scene ->
                                (int) scene(scene).boxes().classes().shape().elements())
                        .sum();
            }
            if (masked) {
                assertMaskIsWhereThePictureIs(batch);
            }
        }

        assertThat(dropped).isPositive();
        assertThat(taken / (double) objects).isBetween(0.45, 0.8); // of those rows that got one at least
    }

    private static List<List<Float>> left(int scene, Set<Integer> pasted) {
        Things things = scene(scene).boxes();
        List<List<Float>> left = new ArrayList<>();
        for (int box = 0; box < things.classes().shape().dim(0); box++) {
            Set<Integer> cells = cells(scene, box, false);
            int all = cells.size();
            cells.removeAll(pasted);
            if (!cells.isEmpty() && cells.size() >= MIN_VISIBLE * all) {
                List<Float> values = new ArrayList<>();
                values.add((float) things.classes().longAt(box));
                for (int i = 0; i < 4; i++) {
                    values.add((float) things.corners().doubleAt(4 * box + i));
                }
                left.add(values);
            }
        }
        return left;
    }

    private static Set<Integer> cells(int scene, int box, boolean masked) {
        Scene of = scene(scene);
        Set<Integer> cells = new TreeSet<>();
        for (int at = 0; at < HEIGHT * WIDTH; at++) {
            if (isInside(of.boxes().corners(), box, at / WIDTH, at % WIDTH)
                    && (!masked || of.mask().longAt(at) == of.boxes().classes().longAt(box) + 1)) {
                cells.add(at);
            }
        }
        return cells;
    }

    @Test
    void planes_ofPictures_areMovedAsTheirPixels() {
        Mosaic mosaic = Mosaic.of(1, "pixels", "mask");

        List<Batch> last = mixed(mosaic, 1, batches -> batches.padShapes(), SCENES);
        List<Batch> first = mixed(mosaic, 1, batches -> batches.padShapes().channelsFirst("pixels"), SCENES);

        for (int b = 0; b < last.size(); b++) {
            Tensor pixels = last.get(b).tensor("pixels");
            Tensor planes = first.get(b).tensor("pixels");
            assertThat(planes.shape()).isEqualTo(Shape.of(BATCH, 3, HEIGHT, WIDTH));
            for (int i = 0; i < pixels.shape().elements(); i++) {
                int cell = i / 3;
                int at = (cell / (HEIGHT * WIDTH) * 3 + i % 3) * HEIGHT * WIDTH + cell % (HEIGHT * WIDTH);
                assertThat(planes.longAt(at)).isEqualTo(pixels.longAt(i));
            }
        }
    }

    @Test
    void draws_ofABatch_areToldAgainFromItsPosition() {
        Mosaic mosaic = Mosaic.of(0.5, "pixels");
        Sampler sampler = Sampler.shuffled(11).epochs(1);
        MapBatch stage = MapBatch.of("mix", sampler, mosaic);

        for (Batch batch : mixed(mosaic, 1, Batches::padShapes, SCENES)) {
            List<Mosaic.Tiles> drawn = mosaic.draw(batch.size(), stage.random(batch.epoch(), batch.next()));
            for (int row = 0; row < batch.size(); row++) {
                int bottomRight = origin(batch, row, HEIGHT * WIDTH - 1)[0];
                int from =
                        drawn.get(row).down() == 1 ? row : drawn.get(row).rows().get(3);
                assertThat(bottomRight).isEqualTo((int) batch.tensor("label").longAt(from));
            }
        }
    }

    @Test
    void wrongUse_isRefused() {
        assertThatThrownBy(() -> Mosaic.of(1.5, "pixels")).hasMessage("a share must be in [0, 1], was 1.5");
        assertThatThrownBy(() -> Mosaic.of(1)).hasMessage("a mosaic needs a field of images");
        assertThatThrownBy(() -> mixed(Mosaic.of(1, "label"), 1, Batches::padShapes, SCENES))
                .hasMessageContaining("images are [n, h, w], [n, h, w, c] or [n, c, h, w], field \"label\" is i32[8]");
        assertThatThrownBy(() -> mixed(Mosaic.of(1, "pixels").boxes(0, "mask"), 1, Batches::padShapes, SCENES))
                .hasMessageContaining("boxes are f32[n, m, 4], field \"mask\" is u8[8, 20, 28]");
        Map<String, Tensor> oneBoxEach = Map.of(
                "pixels", Tensor.of(DType.U8, Shape.of(2, 4, 4), ByteBuffer.allocate(32)),
                "boxes", Tensor.ofFloats(new float[] {0, 0, 4, 4, 0, 0, 1, 1}, 2, 1, 4));
        Batch unpadded = new Batch(
                oneBoxEach,
                2,
                null,
                0,
                mixed(Mosaic.of(1, "pixels"), 1, Batches::padShapes, 8).get(0).next(),
                () -> {});
        assertThatThrownBy(() -> Mosaic.of(1, "pixels")
                        .boxes(0, "boxes")
                        .apply(unpadded, new SplittableRandom(4), ByteBuffer::allocate))
                .hasMessage(
                        "rows get different numbers of boxes, field \"boxes\" has no lengths; pad the batches with padShapes()");
    }
}
