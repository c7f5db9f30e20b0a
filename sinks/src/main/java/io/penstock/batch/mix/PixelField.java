package io.penstock.batch.mix;

import io.penstock.batch.Batch;
import io.penstock.batch.internal.RowForm;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * A field with something for each pixel: {@code [n, h, w]}, {@code [n, h, w, c]} or {@code [n, c, h, w]}, told apart by
 * {@link RowForm#isChannelsFirst}. For one thread.
 *
 * @param source its bytes, and the target those of a copy that is changed
 * @param planes how many an image has, one behind the other
 * @param cell   the bytes of a pixel in a plane
 */
record PixelField(
        String field,
        Tensor tensor,
        ByteBuffer source,
        ByteBuffer target,
        int height,
        int width,
        int planes,
        int cell) {

    private static PixelField of(String field, Tensor tensor, IntFunction<ByteBuffer> memory) {
        Shape shape = tensor.shape();
        if (shape.rank() != 3 && shape.rank() != 4) {
            throw new IllegalArgumentException("images are [n, h, w], [n, h, w, c] or [n, c, h, w], field \"%s\" is %s"
                    .formatted(field, tensor.type()));
        }
        boolean first = RowForm.isChannelsFirst(shape);
        int planes = first ? (int) shape.dim(1) : 1;
        int height = (int) shape.dim(first ? 2 : 1);
        int width = (int) shape.dim(first ? 3 : 2);
        int cell = tensor.dtype().bytes() * (shape.rank() == 4 && !first ? (int) shape.dim(3) : 1);
        ByteBuffer source = tensor.data();
        ByteBuffer target = memory.apply(tensor.byteSize()).put(0, source, 0, tensor.byteSize());
        return new PixelField(field, tensor, source, target, height, width, planes, cell);
    }

    /**
     * Copies of these fields, all of one size.
     * @throws IllegalArgumentException if they differ in size, or the images of one do
     */
    static List<PixelField> of(Batch batch, List<String> fields, IntFunction<ByteBuffer> memory) {
        List<PixelField> grids = new ArrayList<>();
        for (String field : fields) {
            PixelField grid = of(field, batch.tensor(field), memory);
            grids.add(grid);
            PixelField first = grids.get(0);
            if (grid.height != first.height || grid.width != first.width || differs(batch, field)) {
                throw new IllegalArgumentException("images of one size are needed, field \"%s\" is %s; crop or resize"
                                .formatted(field, grid.tensor.type())
                        + " before batching");
            }
        }
        return grids;
    }

    /** Whether rows of one batch were padded to the largest. */
    private static boolean differs(Batch batch, String field) {
        if (!batch.names().contains(field + ".shape")) {
            return false;
        }
        Tensor shapes = batch.tensor(field + ".shape");
        int axes = (int) shapes.shape().dim(1);
        return IntStream.range(0, batch.size() * axes).anyMatch(i -> shapes.longAt(i) != shapes.longAt(i % axes));
    }

    /** The number in a cell of a field with one channel, as it was before anything was copied. */
    long at(int row, int y, int x) {
        return tensor.longAt((row * height + y) * width + x);
    }

    /** Copies cells of one image that lie beside each other into another image. */
    void copy(int from, int fromY, int fromX, int to, int toY, int toX, int cells) {
        for (int plane = 0; plane < planes; plane++) {
            target.put(
                    place(to * planes + plane, toY, toX),
                    source,
                    place(from * planes + plane, fromY, fromX),
                    cells * cell);
        }
    }

    private int place(int plane, int y, int x) {
        return ((plane * height + y) * width + x) * cell;
    }

    Tensor result() {
        return Tensor.of(tensor.dtype(), tensor.shape(), target);
    }
}
