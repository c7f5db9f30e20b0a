package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The boxes of a batch, padded with counts, and lists of other ones to take their place. For one thread. */
final class BoxRows {

    private static final String LENGTH = ".length";

    private final Batch batch;
    private final List<String> fields;
    private final float[] corners;
    private final int widest;
    private final List<List<Box>> placed = new ArrayList<>();

    /** A box that a row gets: which one it was, and where it lies now. */
    record Box(int row, int number, float x1, float y1, float x2, float y2) {

        Box moved(int right, int down) {
            return new Box(row, number, x1 + right, y1 + down, x2 + right, y2 + down);
        }

        Box clipped(int left, int top, int right, int bottom) {
            float x = Math.min(right, Math.max(left, x1));
            float y = Math.min(bottom, Math.max(top, y1));
            return new Box(row, number, x, y, Math.min(right, Math.max(left, x2)), Math.min(bottom, Math.max(top, y2)));
        }

        double area() {
            return ((double) x2 - x1) * ((double) y2 - y1);
        }
    }

    /** @param fields the corners {@code f32[n, m, 4]}, then those that have a row for each box; none for no boxes */
    BoxRows(Batch batch, List<String> fields) {
        this.batch = batch;
        this.fields = fields;
        Tensor first = fields.isEmpty() ? Tensor.ofFloats(new float[0], 0, 0, 4) : batch.tensor(fields.get(0));
        Shape form = first.shape();
        if (first.dtype() != DType.F32 || form.rank() != 3 || form.dim(2) != 4) {
            throw new IllegalArgumentException(
                    "boxes are f32[n, m, 4], field \"%s\" is %s".formatted(fields.get(0), first.type()));
        }
        this.corners = first.toFloatArray();
        this.widest = (int) form.dim(1);
        for (String field : fields) {
            Tensor tensor = batch.tensor(field);
            if (tensor.shape().rank() < 2 || tensor.shape().dim(1) != widest) {
                throw new IllegalArgumentException("field \"%s\" must have a row for each of %d boxes, is %s"
                        .formatted(field, widest, tensor.type()));
            }
        }
    }

    /** The boxes of a row. */
    List<Box> of(int row) {
        List<Box> boxes = new ArrayList<>();
        for (int i = 0; i < count(row); i++) {
            int at = 4 * (row * widest + i);
            boxes.add(new Box(row, i, corners[at], corners[at + 1], corners[at + 2], corners[at + 3]));
        }
        return boxes;
    }

    private int count(int row) {
        String length = fields.isEmpty() ? "" : fields.get(0) + LENGTH;
        return batch.names().contains(length) ? (int) batch.tensor(length).longAt(row) : widest;
    }

    /** The class of a box: a number of the field that follows the corners. */
    long classOf(Box box) {
        return batch.tensor(fields.get(1)).longAt(box.row() * widest + box.number());
    }

    /** Gives the next row these boxes. */
    void add(List<Box> boxes) {
        placed.add(boxes);
    }

    /** What the images became, and the fields of the new boxes. Rows that are padding have none. */
    Map<String, Tensor> values(List<PixelField> grids, IntFunction<ByteBuffer> memory) {
        Map<String, Tensor> values = new HashMap<>();
        grids.forEach(grid -> values.put(grid.field(), grid.result()));
        int most = placed.stream().mapToInt(List::size).max().orElse(0);
        for (String field : fields) {
            Tensor old = batch.tensor(field);
            boolean counted = batch.names().contains(field + LENGTH);
            if (!counted && placed.stream().anyMatch(boxes -> boxes.size() != most)) {
                throw new IllegalArgumentException(
                        "rows get different numbers of boxes, field \"%s\" has no lengths; pad the batches with padShapes()"
                                .formatted(field));
            }
            values.put(field, rows(field, old, most, memory));
            if (counted) {
                values.put(
                        field + LENGTH,
                        counts(old, 1).reshape(Shape.of(old.shape().dim(0))));
                if (old.shape().rank() > 2) {
                    values.put(field + ".shape", counts(old, old.shape().rank() - 1));
                }
            }
        }
        return values;
    }

    private Tensor rows(String field, Tensor old, int most, IntFunction<ByteBuffer> memory) {
        long[] dims = old.shape().toArray();
        int each = widest == 0 ? 0 : old.byteSize() / (int) dims[0] / widest;
        dims[1] = most;
        Shape shape = Shape.of(dims);
        int bytes = (int) shape.elements() * old.dtype().bytes();
        ByteBuffer target = memory.apply(bytes);
        target.put(0, new byte[bytes]);
        ByteBuffer source = old.data();
        for (int row = 0; row < placed.size(); row++) {
            for (int i = 0; i < placed.get(row).size(); i++) {
                Box box = placed.get(row).get(i);
                int at = (row * most + i) * each;
                if (field.equals(fields.get(0))) {
                    target.putFloat(at, box.x1()).putFloat(at + 4, box.y1());
                    target.putFloat(at + 8, box.x2()).putFloat(at + 12, box.y2());
                } else {
                    target.put(at, source, (box.row() * widest + box.number()) * each, each);
                }
            }
        }
        return Tensor.of(old.dtype(), shape, target);
    }

    /** The numbers of boxes, and behind each what the old shapes of a row were behind theirs. */
    private Tensor counts(Tensor old, int axes) {
        int[] counts = new int[(int) old.shape().dim(0) * axes];
        for (int row = 0; row < placed.size(); row++) {
            counts[row * axes] = placed.get(row).size();
            for (int axis = 1; axis < axes; axis++) {
                counts[row * axes + axis] = (int) old.shape().dim(axis + 1);
            }
        }
        return Tensor.ofInts(counts, counts.length / axes, axes);
    }
}
