package io.penstock.cli.source;

import io.penstock.augment.BoxMove;
import io.penstock.table.Row;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Boxes;
import io.penstock.vision.Dense;
import io.penstock.vision.KeyPoints;
import io.penstock.vision.Mask;
import io.penstock.vision.Part;
import io.penstock.vision.Pixels;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The fields of a row that augmentation moves, which their names tell. */
public final class RowParts {

    public static final String PIXELS = "pixels";
    private static final String CLASSES = "classes";

    private RowParts() {}

    /** In the order of the fields. Boxes without classes get the class 0. */
    public static List<Part> of(Row row) {
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < row.names().size(); i++) {
            Tensor value = row.values().get(i);
            switch (row.names().get(i)) {
                case PIXELS -> parts.add(new Pixels(value));
                case "mask" -> parts.add(new Mask(value));
                case "depth" -> parts.add(new Dense(value));
                case "boxes" -> parts.add(new Boxes(value, classes(row, value)));
                case "keypoints" -> parts.add(new KeyPoints(value));
                default -> {} // stays as it is
            }
        }
        return parts;
    }

    private static Tensor classes(Row row, Tensor boxes) {
        return row.names().contains(CLASSES)
                ? row.tensor(CLASSES)
                : Tensor.ofInts(new int[(int) boxes.shape().dim(0)]);
    }

    /** The same row with these parts in the place of its own. */
    public static Row with(Row row, List<Part> parts) {
        List<Tensor> values = new ArrayList<>(row.values());
        for (Part part : parts) {
            if (part instanceof Pixels pixels) {
                set(row, values, PIXELS, pixels.tensor());
            } else if (part instanceof Mask mask) {
                set(row, values, "mask", mask.tensor());
            } else if (part instanceof Dense dense) {
                set(row, values, "depth", dense.tensor());
            } else if (part instanceof KeyPoints points) {
                set(row, values, "keypoints", points.tensor());
            } else if (part instanceof Boxes boxes) {
                set(row, values, "boxes", boxes.corners());
                set(row, values, CLASSES, boxes.classes());
            }
        }
        return new Row(row.names(), values);
    }

    /** The same row without the marks of the boxes that were dropped. */
    public static Row kept(Row row, Supplier<List<BoxMove>> moves) {
        int at = row.names().indexOf("crowd");
        if (at < 0) {
            return row;
        }
        Tensor marks = row.values().get(at);
        int[] left = moves.get().stream()
                .filter(BoxMove::kept)
                .mapToInt(BoxMove::number)
                .toArray();
        byte[] kept = new byte[left.length];
        for (int i = 0; i < left.length; i++) {
            kept[i] = (byte) marks.longAt(left[i]);
        }
        List<Tensor> values = new ArrayList<>(row.values());
        values.set(at, Tensor.ofBytes(kept));
        return new Row(row.names(), values);
    }

    private static void set(Row row, List<Tensor> values, String name, Tensor value) {
        int at = row.names().indexOf(name);
        if (at >= 0) {
            values.set(at, value);
        }
    }
}
