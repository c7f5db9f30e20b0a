package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Pastes objects of another image of the batch into each image, at their places. Boxes say what an object is: with a mask,
 * those cells in the box that have the box's class and 1, as {@code coco:} and VOC number them; else the whole box.
 *
 * <p>Boxes that were there are dropped where pasted pixels leave less of them visible than a share. Behind them come the
 * pasted ones. A random permutation decides the other image.
 *
 * <p>Shapes: as of {@link Mosaic}; a mask is {@code [n, h, w]}. Rows that are padding take no part; fields that are not named
 * stay. Immutable.
 * @see <a href="https://arxiv.org/abs/2012.07177">Ghiasi et al., Simple copy-paste is a strong data augmentation
 *     method for instance segmentation</a>
 */
public final class CopyPaste implements BatchTransform {

    private final double probability;
    private final double minVisible;
    private final List<String> images; // pictures, then their mask if there is one
    private final List<String> boxes;

    private CopyPaste(double probability, double minVisible, List<String> images, List<String> boxes) {
        this.probability = MixDice.probability(probability);
        this.minVisible = MixDice.probability(minVisible);
        this.images = images;
        this.boxes = boxes;
    }

    /**
     * What is pasted into an image.
     *
     * @param row     of the batch that it is taken from
     * @param objects bit k is set if object k is taken, and k + 64, k + 128, …
     */
    public record Pasted(int row, long objects) {

        @Override
        public String toString() {
            return "of row %d objects %s".formatted(row, BitSet.valueOf(new long[] {objects}));
        }
    }

    /**
     * Pastes pictures, boxes and their classes.
     * @param probability of each object to be taken
     * @param minVisible  a box of whose pixels less is left is dropped
     * @param images  the field of pictures
     * @param corners the field of x1, y1, x2, y2
     * @param classes a whole number for each box
     * @param beside  further fields that have a row for each box
     * @throws IllegalArgumentException unless both shares are in [0, 1]
     */
    public static CopyPaste of(
            double probability, double minVisible, String images, String corners, String classes, String... beside) {
        List<String> boxes = MixDice.fields(List.of(corners, classes), beside);
        return new CopyPaste(probability, minVisible, List.of(images), boxes);
    }

    /**
     * With a mask of classes, which says which pixels of a box are its object, and others that go with the pixels.
     * @param others fields with a number for each pixel, such as a depth
     */
    public CopyPaste mask(String classes, String... others) {
        List<String> all = MixDice.fields(List.of(images.get(0), classes), others);
        return new CopyPaste(probability, minVisible, all, boxes);
    }

    /** What is drawn for each row of a batch. */
    public List<Pasted> draw(int rows, RandomGenerator random) {
        int[] partners = MixDice.partners(rows, random);
        List<Pasted> drawn = new ArrayList<>();
        for (int row = 0; row < rows; row++) {
            long objects = 0;
            for (int i = 0; i < Long.SIZE; i++) {
                objects |= (random.nextDouble() < probability ? 1L : 0) << i;
            }
            drawn.add(new Pasted(partners[row], partners[row] == row ? 0 : objects));
        }
        return drawn;
    }

    @Override
    public Map<String, Tensor> apply(Batch batch, RandomGenerator random, IntFunction<ByteBuffer> memory) {
        List<Pasted> drawn = draw(batch.size(), random);
        List<PixelField> grids = PixelField.of(batch, images, memory);
        PixelField mask = grids.size() > 1 ? grids.get(1) : null;
        BoxRows rows = new BoxRows(batch, boxes);
        for (int row = 0; row < drawn.size(); row++) {
            Pasted pasted = drawn.get(row);
            Cells cells = new Cells(grids.get(0).height(), grids.get(0).width(), new BitSet());
            List<BoxRows.Box> taken = rows.of(pasted.row());
            taken.removeIf(box -> (pasted.objects >>> box.number() & 1) == 0 // a shift is by the last six bits
                    || !cells.add(box, mask, rows));
            for (PixelField grid : grids) {
                cells.copy(grid, pasted.row(), row);
            }
            List<BoxRows.Box> placed = rows.of(row);
            placed.removeIf(box -> !cells.leave(box, minVisible));
            placed.addAll(taken);
            rows.add(placed);
        }
        return rows.values(grids, memory);
    }

    /** The cells of an image that are pasted over. */
    private record Cells(int height, int width, BitSet pasted) {

        /** Adds the cells of an object; false if it has none. */
        boolean add(BoxRows.Box box, @Nullable PixelField mask, BoxRows rows) {
            BitSet own = new BitSet();
            long wanted = mask == null ? 0 : rows.classOf(box) + 1;
            for (int y = start(box.y1(), height); y < start(box.y2(), height); y++) {
                for (int x = start(box.x1(), width); x < start(box.x2(), width); x++) {
                    own.set(y * width + x, mask == null || mask.at(box.row(), y, x) == wanted);
                }
            }
            pasted.or(own);
            return !own.isEmpty();
        }

        /** The first cell whose middle is not before this place. */
        private static int start(float place, int length) {
            return (int) Math.min(length, Math.max(0, Math.ceil(place - 0.5)));
        }

        void copy(PixelField grid, int from, int to) {
            for (int at = pasted.nextSetBit(0); at >= 0; ) {
                int end = Math.min(pasted.nextClearBit(at), (at / width + 1) * width);
                grid.copy(from, at / width, at % width, to, at / width, at % width, end - at);
                at = pasted.nextSetBit(end);
            }
        }

        /** Whether enough of a box is left to be seen. */
        boolean leave(BoxRows.Box box, double minVisible) {
            int left = start(box.x1(), width);
            int right = start(box.x2(), width);
            int covered = 0;
            int all = 0;
            for (int y = start(box.y1(), height); y < start(box.y2(), height); y++) {
                covered += pasted.get(y * width + left, y * width + right).cardinality();
                all += right - left;
            }
            return covered == 0 || covered < all && all - covered >= minVisible * all;
        }
    }

    @Override
    public String toString() {
        return "copy-paste " + probability;
    }
}
