package io.penstock.augment;

import io.penstock.image.internal.Homography;
import io.penstock.image.internal.Nearest;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Dense;
import io.penstock.vision.KeyPoints;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The parts of one sample under one draw. For one thread. */
final class JointParts {

    private final Geometry geometry;
    private final PartRules rules;
    private final List<BoxMove> moves; // of the boxes, none where there are none
    private final int[] kept; // the rows of the boxes that are left
    private int @Nullable [] cells; // made where a part needs them

    /** @throws IllegalArgumentException if a box is not one: names it by its number */
    JointParts(List<Part> parts, Geometry geometry, PartRules rules) {
        this.geometry = geometry;
        this.rules = rules;
        List<Boxes> found = of(parts, Boxes.class);
        if (found.size() > 1) {
            throw new IllegalArgumentException("a sample has one list of boxes, this one has " + found.size());
        }
        this.moves = found.stream().flatMap(boxes -> moves(boxes).stream()).toList();
        this.kept =
                moves.stream().filter(BoxMove::kept).mapToInt(BoxMove::number).toArray();
    }

    /** The shape of the picture that the others lie over. */
    static Shape shape(List<Part> parts) {
        List<Pixels> pictures = of(parts, Pixels.class);
        if (pictures.isEmpty()) {
            throw new IllegalArgumentException("there is no picture among the parts: one of them must be Pixels");
        }
        return pictures.get(0).tensor().shape();
    }

    private static <P extends Part> List<P> of(List<Part> parts, Class<P> kind) {
        return parts.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private List<BoxMove> moves(Boxes boxes) {
        float[] corners = boxes.corners().toFloatArray();
        Homography forth = geometry.back().inverse();
        List<BoxMove> found = new ArrayList<>();
        for (int box = 0; box < boxes.size(); box++) {
            BoxMove.Box from =
                    new BoxMove.Box(corners[4 * box], corners[4 * box + 1], corners[4 * box + 2], corners[4 * box + 3]);
            if (!(from.x1() <= from.x2() && from.y1() <= from.y2() && Double.isFinite(from.area()))) {
                throw new IllegalArgumentException(
                        "box %d of %d must have x1 <= x2 and y1 <= y2, was %s".formatted(box, boxes.size(), from));
            }
            found.add(move(box, from, forth));
        }
        return found;
    }

    /** A warp takes what the crop left, so its visible share is a share of that. */
    private BoxMove move(int number, BoxMove.Box from, Homography forth) {
        BoxMove.Box inside = from.clipped(geometry.region()); // in pixels of the source, so that areas are exact
        double visible = from.area() > 0 ? inside.area() / from.area() : 0;
        Region whole = geometry.target().whole();
        double area = inside.area() * whole.pixels() / geometry.region().pixels();
        BoxMove.Box left = inside.moved(geometry::crop);
        if (geometry.isWarped() && area > 0) {
            BoxMove.Box warped = left.moved(forth::map);
            left = warped.clipped(whole);
            area = left.area();
            visible *= area / warped.area();
        }
        boolean stays = area > 0 && visible >= rules.minVisible() && area >= rules.minArea();
        return new BoxMove(number, from, left, visible, stays);
    }

    /** What the boxes became. */
    List<BoxMove> moves() {
        return moves;
    }

    List<Part> moved(List<Part> parts, UnaryOperator<Tensor> picture) {
        boolean boxed = !of(parts, Boxes.class).isEmpty();
        List<Part> moved = new ArrayList<>(parts.size());
        for (Part part : parts) {
            if (part instanceof Pixels pixels) {
                moved.add(new Pixels(picture.apply(fitting("a picture", pixels.tensor()))));
            } else if (part instanceof Mask mask) {
                moved.add(new Mask(nearest(fitting("a mask", mask.tensor()), rules.maskFill())));
            } else if (part instanceof Dense dense) {
                Tensor values = fitting("dense values", dense.tensor());
                moved.add(new Dense(rules.linear() ? geometry.linear(values) : nearest(values, 0)));
            } else if (part instanceof KeyPoints points) {
                moved.add(moved(points.tensor(), boxed));
            } else if (part instanceof Boxes boxes) {
                moved.add(new Boxes(corners(), rows(boxes.classes())));
            }
        }
        return moved;
    }

    private Tensor fitting(String what, Tensor tensor) {
        Image size = geometry.source();
        Shape shape = tensor.shape();
        if (shape.dim(0) != size.height() || shape.dim(1) != size.width()) {
            throw new IllegalArgumentException("%s of %s lies beside a picture of %s; bring both to one size first"
                    .formatted(what, tensor.type(), size));
        }
        return tensor;
    }

    private Tensor nearest(Tensor grid, long fill) {
        if (geometry.isCut()) {
            return geometry.cut(grid);
        }
        if (cells == null) {
            cells = geometry.cells();
        }
        return Nearest.take(
                grid, cells, geometry.target().height(), geometry.target().width(), fill);
    }

    private Tensor corners() {
        FloatBuffer corners = FloatBuffer.allocate(4 * kept.length);
        for (int box : kept) {
            BoxMove.Box to = moves.get(box).to();
            corners.put((float) to.x1())
                    .put((float) to.y1())
                    .put((float) to.x2())
                    .put((float) to.y2());
        }
        return Tensor.ofFloats(corners.array(), kept.length, 4);
    }

    /** Of rows beside the boxes, those whose boxes are left. */
    private Tensor rows(Tensor all) {
        if (kept.length == moves.size()) {
            return all;
        }
        long[] dims = all.shape().toArray();
        long each = all.shape().elements() / dims[0];
        Tensor rows = Nearest.take(all.reshape(Shape.of(dims[0], 1, each)), kept, kept.length, 1, 0);
        dims[0] = kept.length;
        return rows.reshape(Shape.of(dims));
    }

    /** @param boxed whether each row is beside a box */
    private KeyPoints moved(Tensor all, boolean boxed) {
        if (boxed && all.shape().dim(0) != moves.size()) {
            throw new IllegalArgumentException(
                    "key points must have a row for each of %d boxes, were %s".formatted(moves.size(), all.type()));
        }
        Tensor points = boxed ? rows(all) : all;
        float[] values = points.toFloatArray();
        Homography forth = geometry.back().inverse();
        double[] point = new double[2];
        for (int i = 0; i < values.length; i += 3) {
            if (values[i + 2] == 0) {
                continue;
            }
            point[0] = values[i];
            point[1] = values[i + 1];
            geometry.crop(point);
            boolean inside = geometry.isInside(point);
            if (geometry.isWarped()) {
                forth.map(point);
                inside &= geometry.isInside(point);
            }
            values[i] = Double.isNaN(point[0]) ? 0 : (float) point[0];
            values[i + 1] = Double.isNaN(point[1]) ? 0 : (float) point[1];
            values[i + 2] = inside ? values[i + 2] : 0;
        }
        return new KeyPoints(Tensor.ofFloats(values, points.shape().toArray()));
    }
}
