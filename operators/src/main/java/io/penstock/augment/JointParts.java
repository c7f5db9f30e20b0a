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
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The parts of one sample under one draw. For one thread. */
final class JointParts {

    private final Geometry geometry;
    private final PartRules rules;
    private final @Nullable MovedBoxes boxes;
    private int @Nullable [] cells; // made where a part needs them

    JointParts(List<Part> parts, Geometry geometry, PartRules rules) {
        this.geometry = geometry;
        this.rules = rules;
        List<Boxes> found = of(parts, Boxes.class);
        if (found.size() > 1) {
            throw new IllegalArgumentException("a sample has one list of boxes, this one has " + found.size());
        }
        this.boxes = found.isEmpty() ? null : new MovedBoxes(found.get(0), geometry, rules);
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

    List<BoxMove> moves() {
        return boxes == null ? List.of() : boxes.moves();
    }

    List<Part> moved(List<Part> parts, UnaryOperator<Tensor> picture) {
        List<Part> moved = new ArrayList<>(parts.size());
        for (Part part : parts) {
            moved.add(moved(part, picture));
        }
        return moved;
    }

    private Part moved(Part part, UnaryOperator<Tensor> picture) {
        if (part instanceof Pixels pixels) {
            return new Pixels(picture.apply(fitting("a picture", pixels.tensor())));
        }
        if (part instanceof Mask mask) {
            return new Mask(nearest(fitting("a mask", mask.tensor()), rules.maskFill()));
        }
        if (part instanceof Dense dense) {
            Tensor values = fitting("dense values", dense.tensor());
            return new Dense(rules.linear() ? geometry.linear(values) : nearest(values, 0));
        }
        if (part instanceof KeyPoints points) {
            return boxes == null ? moved(points) : moved(boxes.beside(points));
        }
        return boxes == null ? part : boxes.boxes();
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

    private KeyPoints moved(KeyPoints points) {
        float[] values = points.tensor().toFloatArray();
        Homography forth = geometry.forth();
        double[] point = new double[2];
        for (int i = 0; i < values.length; i += 3) {
            if (values[i + 2] == 0) {
                continue;
            }
            point[0] = values[i];
            point[1] = values[i + 1];
            geometry.crop(point);
            boolean inside = geometry.isInside(point);
            if (forth != null) {
                forth.map(point);
                inside &= geometry.isInside(point);
            }
            values[i] = Double.isNaN(point[0]) ? 0 : (float) point[0];
            values[i + 1] = Double.isNaN(point[1]) ? 0 : (float) point[1];
            values[i + 2] = inside ? values[i + 2] : 0;
        }
        return new KeyPoints(Tensor.ofFloats(values, points.tensor().shape().toArray()));
    }
}
