package io.penstock.augment;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.KeyPoints;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random augmentations of pictures whose pixels encode where they are. The picture itself says where each of its pixels
 * came from; mask, boxes and key points must agree with it. What areas are left is counted anew in whole numbers.
 */
class JointGeometryTest {

    private static final int OUTSIDE = 60_000;
    private static final int SHOWN = 200; // in the third channel, which is 0 where there is no picture

    @Test
    void parts_ofSomeRandomAugmentations_areWhereThePictureIs() {
        check(150, 1);
    }

    @Test
    @Tag("endurance")
    void parts_ofManyRandomAugmentations_areWhereThePictureIs() {
        check(100_000, 2);
    }

    private static void check(int times, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int time = 0; time < times; time++) {
            Case one = Case.of(random);
            List<Part> moved = one.augment.apply(one.parts(), one.drawn);
            String about = "seed %d, case %d: %s of %d × %d by %s"
                    .formatted(seed, time, one.augment, one.height, one.width, one.drawn);
            one.checkMask(((Pixels) moved.get(0)).tensor(), ((Mask) moved.get(1)).tensor(), about);
            one.checkBoxes(((Mask) moved.get(1)).tensor(), (Boxes) moved.get(2), about);
            one.checkPoints(
                    ((Mask) moved.get(1)).tensor(), ((KeyPoints) moved.get(3)).tensor(), (Boxes) moved.get(2), about);
        }
    }

    private record Case(
            Augment augment, Augment.Parameters drawn, int height, int width, Boxes boxes, double minVisible) {

        static Case of(SplittableRandom random) {
            int height = random.nextInt(8, 60);
            int width = random.nextInt(8, 60);
            double minVisible = random.nextInt(5) / 4.0;
            Augment augment = RandomAugments.geometry(random, height, width)
                    .boxes(minVisible, random.nextInt(20))
                    .maskFill(OUTSIDE);
            int count = random.nextInt(6);
            float[] corners = new float[4 * count];
            for (int box = 0; box < count; box++) {
                for (int axis = 0; axis < 2; axis++) {
                    int side = axis == 0 ? width : height;
                    int low = random.nextInt(side);
                    corners[4 * box + axis] = low;
                    corners[4 * box + axis + 2] = random.nextInt(low + 1, side + 1);
                }
            }
            int[] numbers = new int[count];
            for (int box = 0; box < count; box++) {
                numbers[box] = box;
            }
            Augment.Parameters drawn =
                    augment.draw(Shape.of(height, width, 3), TestImages.dice(random.nextLong(1L << 40)));
            return new Case(augment, drawn, height, width, Boxes.of(corners, numbers), minVisible);
        }

        /** One point in each box, at the middle of its first pixel. */
        List<Part> parts() {
            byte[] pixels = new byte[height * width * 3];
            short[] cells = new short[height * width];
            for (int y = 0, i = 0; y < height; y++) {
                for (int x = 0; x < width; x++, i++) {
                    pixels[3 * i] = (byte) (4 * x);
                    pixels[3 * i + 1] = (byte) (4 * y);
                    pixels[3 * i + 2] = (byte) SHOWN;
                    cells[i] = (short) i;
                }
            }
            ByteBuffer mask = ByteBuffer.allocate(2 * cells.length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
            mask.asShortBuffer().put(cells);
            float[] points = new float[3 * boxes.size()];
            for (int box = 0; box < boxes.size(); box++) {
                points[3 * box] = boxes.corners().floatAt(4 * box) + 0.5f;
                points[3 * box + 1] = boxes.corners().floatAt(4 * box + 1) + 0.5f;
                points[3 * box + 2] = 2;
            }
            return List.of(
                    new Pixels(Tensor.ofBytes(pixels, height, width, 3)),
                    new Mask(Tensor.of(DType.U16, Shape.of(height, width), mask)),
                    boxes,
                    new KeyPoints(Tensor.ofFloats(points, boxes.size(), 1, 3)));
        }

        /** How many pixels of the source a pixel of the result covers, at most. */
        double scale(Tensor mask) {
            Region region = drawn.region();
            return Math.max(
                    1,
                    Math.max(
                            (double) region.width() / mask.shape().dim(1),
                            (double) region.height() / mask.shape().dim(0)));
        }

        void checkMask(Tensor pixels, Tensor mask, String about) {
            double furthest = 0;
            boolean outside = false;
            for (int i = 0; i < mask.shape().elements(); i++) {
                int cell = (int) mask.longAt(i);
                if (cell == OUTSIDE) {
                    outside = true;
                } else if (cell >= height * width) {
                    assertThat(cell)
                            .as(about + ": a class that was not annotated")
                            .isLessThan(height * width);
                } else if (pixels.longAt(3 * i + 2) >= SHOWN - 1) { // at the border of a warp the picture fades
                    double right = pixels.longAt(3 * i) / 4.0 - cell % width;
                    double down = pixels.longAt(3 * i + 1) / 4.0 - Math.floorDiv(cell, width);
                    furthest = Math.max(furthest, Math.max(Math.abs(right), Math.abs(down)));
                }
            }
            // and what rounding to a quarter of a pixel takes
            assertThat(furthest).as(about).isLessThanOrEqualTo(scale(mask) + 0.25);
            if (drawn.region().fits(new Image(height, width, 3), 0) && !isWarped()) {
                assertThat(outside).as(about).isFalse();
            }
        }

        private boolean isWarped() {
            return !drawn.steps().isEmpty();
        }

        void checkBoxes(Tensor mask, Boxes moved, String about) {
            double scale = scale(mask);
            int w = (int) mask.shape().dim(1);
            int next = 0;
            for (int box = 0; box < boxes.size(); box++) {
                boolean kept = next < moved.size() && moved.classes().longAt(next) == box;
                assertThat(kept).as(about + ", box " + box).isEqualTo(isWarped() ? kept : stays(box, mask));
                if (!kept) {
                    continue;
                }
                if (augment.name().contains("reflect") && !drawn.region().fits(new Image(height, width, 3), 0)) {
                    next++;
                    continue; // mirrored pixels have no box
                }
                double[] seen = seen(mask, box, w);
                for (int side = 0; side < 4 && seen[0] <= seen[2]; side++) {
                    double at = moved.corners().floatAt(4 * next + side);
                    double off = side < 2 ? at - seen[side] : seen[side] - at;
                    assertThat(off)
                            .as(about + ", box " + box + " holds its pixels")
                            .isLessThanOrEqualTo(1);
                    if (!isWarped()) {
                        double cell = Math.max(
                                1,
                                Math.max(
                                        w / (double) drawn.region().width(),
                                        mask.shape().dim(0)
                                                / (double) drawn.region().height()));
                        assertThat(-off)
                                .as(about + ", box " + box + " is tight")
                                .isLessThanOrEqualTo(Math.max(cell, scale));
                    }
                }
                next++;
            }
            assertThat(next).as(about).isEqualTo(moved.size());
        }

        /** The smallest rectangle around the pixels of the result that came out of a box. */
        private double[] seen(Tensor mask, int box, int w) {
            double[] seen = {Integer.MAX_VALUE, Integer.MAX_VALUE, -1, -1};
            for (int i = 0; i < mask.shape().elements(); i++) {
                int cell = (int) mask.longAt(i);
                if (cell != OUTSIDE && contains(box, cell % width + 0.5, Math.floorDiv(cell, width) + 0.5)) {
                    seen[0] = Math.min(seen[0], i % w);
                    seen[1] = Math.min(seen[1], Math.floorDiv(i, w));
                    seen[2] = Math.max(seen[2], i % w + 1);
                    seen[3] = Math.max(seen[3], Math.floorDiv(i, w) + 1);
                }
            }
            return seen;
        }

        private boolean contains(int box, double x, double y) {
            Tensor corners = boxes.corners();
            return x >= corners.floatAt(4 * box)
                    && y >= corners.floatAt(4 * box + 1)
                    && x <= corners.floatAt(4 * box + 2)
                    && y <= corners.floatAt(4 * box + 3);
        }

        /** By whole numbers: minVisible is a number of quarters, areas are of whole pixels of the source. */
        private boolean stays(int box, Tensor mask) {
            Region region = drawn.region();
            long whole = 1;
            long left = 1;
            for (int axis = 0; axis < 2; axis++) {
                long low = (long) boxes.corners().floatAt(4 * box + axis);
                long high = (long) boxes.corners().floatAt(4 * box + axis + 2);
                long start = axis == 0 ? region.left() : region.top();
                long length = axis == 0 ? region.width() : region.height();
                whole *= high - low;
                left *= Math.max(0, Math.min(high, start + length) - Math.max(low, start));
            }
            long pixels = mask.shape().elements();
            long ofRegion = (long) region.width() * region.height();
            return left > 0 && left * 4 >= Math.round(minVisible * 4) * whole && left * pixels >= minArea() * ofRegion;
        }

        private long minArea() {
            String name = augment.name();
            int at = name.indexOf(":area=");
            return at < 0 ? 0 : Long.parseLong(name.substring(at + 6, name.indexOf(',', at)));
        }

        private int distance(int cell, int x, int y) {
            return Math.max(Math.abs(cell % width - x), Math.abs(cell / width - y));
        }

        void checkPoints(Tensor mask, Tensor points, Boxes moved, String about) {
            assertThat(points.shape().dim(0)).as(about).isEqualTo(moved.size());
            int w = (int) mask.shape().dim(1);
            int h = (int) mask.shape().dim(0);
            double near = scale(mask);
            for (int row = 0; row < moved.size(); row++) {
                int box = (int) moved.classes().longAt(row);
                int x = (int) boxes.corners().floatAt(4 * box);
                int y = (int) boxes.corners().floatAt(4 * box + 1);
                float toX = points.floatAt(3 * row);
                float toY = points.floatAt(3 * row + 1);
                if (points.floatAt(3 * row + 2) == 0) {
                    assertThat(toX >= 0 && toX < w && toY >= 0 && toY < h && !isWarped())
                            .as(about)
                            .isFalse();
                    continue;
                }
                int centre = (int) mask.longAt(((int) toY) * w + (int) toX);
                if (centre == OUTSIDE) {
                    continue; // at the border of a warp
                }
                int away = Integer.MAX_VALUE; // of the nearest pixel around, since a warp may shrink
                int spread = 0; // of these pixels in the source
                for (int i = 0; i < 9; i++) {
                    int column = Math.max(0, Math.min(w - 1, (int) toX - 1 + i % 3));
                    int line = Math.max(0, Math.min(h - 1, (int) toY - 1 + i / 3));
                    int cell = (int) mask.longAt(line * w + column);
                    if (cell != OUTSIDE && (isWarped() || i == 4)) {
                        spread = Math.max(spread, distance(cell, centre % width, centre / width));
                        away = Math.min(away, distance(cell, x, y));
                    }
                }
                int allowed = Math.max((int) Math.ceil(near), spread / 2 + 1);
                assertThat(away).as(about).isLessThanOrEqualTo(allowed);
            }
        }
    }
}
