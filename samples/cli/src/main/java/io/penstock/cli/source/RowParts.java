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
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The fields of a row that augmentation moves, which their names tell. */
public final class RowParts {

    public static final String PIXELS = "pixels";
    private static final String CLASSES = "classes";
    private static final String CROWD = "crowd";

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
        Map<String, Tensor> moved = new HashMap<>();
        for (Part part : parts) {
            if (part instanceof Pixels pixels) {
                moved.put(PIXELS, pixels.tensor());
            } else if (part instanceof Mask mask) {
                moved.put("mask", mask.tensor());
            } else if (part instanceof Dense dense) {
                moved.put("depth", dense.tensor());
            } else if (part instanceof KeyPoints points) {
                moved.put("keypoints", points.tensor());
            } else if (part instanceof Boxes boxes) {
                moved.put("boxes", boxes.corners());
                moved.put(CLASSES, boxes.classes());
            }
        }
        return with(row, moved);
    }

    private static Row with(Row row, Map<String, Tensor> others) {
        List<Tensor> values = row.names().stream()
                .map(name -> others.getOrDefault(name, row.tensor(name)))
                .toList();
        return new Row(row.names(), values);
    }

    /** The same row without the marks of the boxes that were dropped. */
    public static Row kept(Row row, Supplier<List<BoxMove>> moves) {
        if (!row.names().contains(CROWD)) {
            return row;
        }
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        moves.get().stream()
                .filter(BoxMove::kept)
                .forEach(move -> kept.write((int) row.tensor(CROWD).longAt(move.number())));
        return with(row, Map.of(CROWD, Tensor.ofBytes(kept.toByteArray())));
    }
}
