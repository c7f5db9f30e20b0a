package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.internal.Arguments;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Puts four images of a batch into one: around a point that is drawn, in the middle half of each side, lie the own
 * image and three others. Objects keep their scale: each quarter shows the corner of its image that would touch the
 * point. In one batch each image is in each quarter once, at most.
 *
 * <p>Boxes are moved, clipped to their quarter, and dropped where less of them is visible than a share.
 *
 * <p>Shapes: images {@code [n, h, w]}, {@code [n, h, w, c]} or {@code [n, c, h, w]} of any dtype and one size are kept. Boxes
 * {@code f32[n, m, 4]} become {@code f32[n, m', 4]}, their counts, as of {@code padShapes}, with them. Rows that are padding take
 * no part; fields that are not named stay. Immutable.
 * @see <a href="https://arxiv.org/abs/2004.10934">Bochkovskiy et al., YOLOv4: Optimal speed and accuracy of object
 *     detection</a>
 */
public final class Mosaic implements BatchTransform {

    private static final int QUARTERS = 4;

    private final double probability;
    private final List<String> images;
    private final List<String> boxes;
    private final double minVisible;

    private Mosaic(double probability, List<String> images, List<String> boxes, double minVisible) {
        this.probability = MixDice.probability(probability);
        this.images = images;
        this.boxes = boxes;
        this.minVisible = minVisible;
    }

    /**
     * Which images one is put together from.
     *
     * @param rows of the batch: at the top left, where the own image lies, at the top right, bottom left, bottom right
     * @param down where they meet, as a share of the height; 1 where the image stays whole
     * @param right as a share of the width
     */
    public record Tiles(List<Integer> rows, double down, double right) {}

    /**
     * Puts images together, and what has a number for each pixel with them.
     * @param probability of each image to become one of four
     * @param images  the fields of pictures, masks, depths
     * @throws IllegalArgumentException unless the probability is in [0, 1] and there is a field
     */
    public static Mosaic of(double probability, String... images) {
        Arguments.refuse(images.length == 0, "a mosaic needs a field of images");
        return new Mosaic(probability, List.of(images), List.of(), 0);
    }

    /**
     * With boxes in pixels.
     * @param minVisible of a box less of whose area is left is dropped
     * @param corners    the field of x1, y1, x2, y2
     * @param beside     fields that have a row for each box, such as its class
     */
    public Mosaic boxes(double minVisible, String corners, String... beside) {
        return new Mosaic(
                probability, images, MixDice.fields(List.of(corners), beside), MixDice.probability(minVisible));
    }

    /** What is drawn for each row of a batch. */
    public List<Tiles> draw(int rows, RandomGenerator random) {
        List<int[]> partners = Stream.generate(() -> MixDice.partners(rows, random))
                .limit(QUARTERS - 1)
                .toList();
        List<Tiles> drawn = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            boolean mixed = random.nextDouble() < probability;
            double down = 0.25 + random.nextDouble() / 2;
            double right = 0.25 + random.nextDouble() / 2;
            List<Integer> of = List.of(row, partners.get(0)[row], partners.get(1)[row], partners.get(2)[row]);
            drawn.add(new Tiles(mixed ? of : List.of(row, row, row, row), mixed ? down : 1, mixed ? right : 1));
        }
        return drawn;
    }

    @Override
    public Map<String, Tensor> apply(Batch batch, RandomGenerator random, IntFunction<ByteBuffer> memory) {
        List<Tiles> drawn = draw(batch.size(), random);
        List<PixelField> grids = PixelField.of(batch, images, memory);
        BoxRows rows = new BoxRows(batch, boxes);
        int height = grids.get(0).height();
        int width = grids.get(0).width();
        for (int row = 0; row < drawn.size(); row++) {
            Tiles tiles = drawn.get(row);
            int y = (int) Math.rint(tiles.down() * height);
            int x = (int) Math.rint(tiles.right() * width);
            List<BoxRows.Box> placed = new ArrayList<>();
            for (int quarter = 0; quarter < QUARTERS; quarter++) {
                int from = tiles.rows().get(quarter);
                int down = quarter < 2 ? y - height : y;
                int right = quarter % 2 == 0 ? x - width : x;
                int top = Math.max(0, down); // of the part of the moved image that is in the picture
                int left = Math.max(0, right);
                int bottom = Math.min(height, down + height);
                int end = Math.min(width, right + width);
                for (PixelField grid : grids) {
                    for (int at = top; at < bottom; at++) {
                        grid.copy(from, at - down, left - right, row, at, left, end - left);
                    }
                }
                for (BoxRows.Box box : rows.of(from)) {
                    BoxRows.Box inside = box.moved(right, down).clipped(left, top, end, bottom);
                    if (inside.area() > 0 && inside.area() >= minVisible * box.area()) {
                        placed.add(inside);
                    }
                }
            }
            rows.add(placed);
        }
        return rows.values(grids, memory);
    }

    @Override
    public String toString() {
        return "mosaic " + probability;
    }
}
