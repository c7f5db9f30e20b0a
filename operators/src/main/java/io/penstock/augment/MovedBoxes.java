package io.penstock.augment;

import io.penstock.image.internal.Homography;
import io.penstock.image.internal.Nearest;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.KeyPoints;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the boxes of one sample became, and the rows that are left. */
final class MovedBoxes {

    private final List<BoxMove> moves = new ArrayList<>();
    private final List<Integer> kept = new ArrayList<>();
    private final Tensor classes;

    /** @throws IllegalArgumentException if a box is not one: names it by its number */
    MovedBoxes(Boxes boxes, Geometry geometry, PartRules rules) {
        this.classes = boxes.classes();
        float[] corners = boxes.corners().toFloatArray();
        Homography forth = geometry.forth();
        for (int box = 0; box < boxes.size(); box++) {
            BoxMove.Box from =
                    new BoxMove.Box(corners[4 * box], corners[4 * box + 1], corners[4 * box + 2], corners[4 * box + 3]);
            if (!(from.x1() <= from.x2() && from.y1() <= from.y2()) || !from.isFinite()) {
                throw new IllegalArgumentException(
                        "box %d of %d must have x1 <= x2 and y1 <= y2, was %s".formatted(box, boxes.size(), from));
            }
            BoxMove move = move(box, from, geometry, forth, rules);
            moves.add(move);
            if (move.kept()) {
                kept.add(box);
            }
        }
    }

    /** A warp takes what the crop left, so its visible share is a share of that. */
    private static BoxMove move(
            int number, BoxMove.Box from, Geometry geometry, @Nullable Homography forth, PartRules rules) {
        BoxMove.Box inside = from.clipped(geometry.region()); // in pixels of the source, so that areas are exact
        double visible = from.area() > 0 ? inside.area() / from.area() : 0;
        double area =
                inside.area() * geometry.target().pixels() / geometry.region().pixels();
        BoxMove.Box left = inside.moved(geometry::crop);
        if (forth != null && area > 0) {
            BoxMove.Box warped = left.moved(forth::map);
            left = warped.clipped(geometry.target().whole());
            area = left.area();
            visible *= area / warped.area();
        }
        boolean kept = area > 0 && visible >= rules.minVisible() && area >= rules.minArea();
        return new BoxMove(number, from, left, visible, kept);
    }

    List<BoxMove> moves() {
        return moves;
    }

    Boxes boxes() {
        float[] corners = new float[4 * kept.size()];
        for (int row = 0; row < kept.size(); row++) {
            BoxMove.Box to = moves.get(kept.get(row)).to();
            corners[4 * row] = (float) to.x1();
            corners[4 * row + 1] = (float) to.y1();
            corners[4 * row + 2] = (float) to.x2();
            corners[4 * row + 3] = (float) to.y2();
        }
        return new Boxes(Tensor.ofFloats(corners, kept.size(), 4), rows(classes));
    }

    /** The rows of points whose boxes are left. */
    KeyPoints beside(KeyPoints points) {
        if (points.tensor().shape().dim(0) != moves.size()) {
            throw new IllegalArgumentException("key points must have a row for each of %d boxes, were %s"
                    .formatted(moves.size(), points.tensor().type()));
        }
        return new KeyPoints(rows(points.tensor()));
    }

    private Tensor rows(Tensor all) {
        if (kept.size() == moves.size()) {
            return all;
        }
        long[] dims = all.shape().toArray();
        long each = all.shape().elements() / dims[0];
        int[] places = kept.stream().mapToInt(Integer::intValue).toArray();
        Tensor rows = Nearest.take(all.reshape(Shape.of(dims[0], 1, each)), places, places.length, 1, 0);
        dims[0] = places.length;
        return rows.reshape(Shape.of(dims));
    }
}
