package io.penstock.zarr.internal.element;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A region of an array while its chunks come in, in any order, one at a time. */
public final class RegionCells {

    private static final Charset UTF_32LE = Charset.forName("UTF-32LE");
    private static final byte[] NO_BYTES = {};
    private static final byte[][] NO_TEXTS = {};

    private final ElementType type;
    private final FillValue fill;
    private final long[] start;
    private final Shape shape;
    private final byte[] bytes;
    private final byte[][] texts;

    public RegionCells(ElementType type, FillValue fill, long[] start, Shape shape) {
        this.type = type;
        this.fill = fill;
        this.start = start;
        this.shape = shape;
        this.bytes = type.isText() ? NO_BYTES : new byte[bytes(type, shape)];
        this.texts = type.isText() ? new byte[bytes(type, shape)][] : NO_TEXTS;
    }

    private static int bytes(ElementType type, Shape shape) {
        long max = Integer.MAX_VALUE - 8L;
        if (shape.elements() > max / Math.max(1, type.width())) {
            throw new IllegalArgumentException(
                    "a region must have less than 2 GiB, is %s%s; read a smaller one".formatted(type.name(), shape));
        }
        return (int) shape.elements() * Math.max(1, type.width());
    }

    long[] start() {
        return start;
    }

    Shape shape() {
        return shape;
    }

    public void put(Tensor chunk, long[] corner, Shape chunkShape) {
        Overlap overlap = new Overlap(corner, chunkShape, start, shape);
        if (type.isText()) {
            int count = (int) chunkShape.elements();
            overlap.forEach((from, to, run) -> {
                for (int i = 0; i < run; i++) {
                    texts[to + i] = ChunkTensor.text(chunk, count, from + i);
                }
            });
        } else {
            int width = type.width();
            overlap.forEach((from, to, run) -> chunk.copyTo(from * width, bytes, to * width, run * width));
        }
    }

    public void putFill(long[] corner, Shape chunkShape) {
        Overlap overlap = new Overlap(corner, chunkShape, start, shape);
        if (type.isText()) {
            overlap.forEach((from, to, run) -> Arrays.fill(texts, to, to + run, fill.bytes()));
        } else if (!fill.isZero()) {
            byte[] one = fill.bytes();
            overlap.forEach((from, to, run) -> {
                for (int i = 0; i < run; i++) {
                    System.arraycopy(one, 0, bytes, (to + i) * one.length, one.length);
                }
            });
        }
    }

    public Cells cells() {
        return type.isText() ? new Cells.Texts(texts) : new Cells.Fixed(bytes, type.width());
    }

    /** The elements; texts as lines, each ended by a line feed. */
    public Tensor tensor(Shape as) {
        if (!type.isLines()) {
            return Tensor.of(type.dtype(), ChunkTensor.shape(as, type), ByteBuffer.wrap(bytes));
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (int i = 0; i < shape.elements(); i++) {
            lines.writeBytes(utf8(i));
            lines.write('\n');
        }
        return Tensor.ofBytes(lines.toByteArray());
    }

    public List<String> strings() {
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < shape.elements(); i++) {
            strings.add(new String(utf8(i), StandardCharsets.UTF_8));
        }
        return List.copyOf(strings);
    }

    private byte[] utf8(int element) {
        if (type.isText()) {
            return texts[element];
        }
        int width = type.width();
        int from = element * width;
        int step = type.kind() == ElementType.Kind.UTF32 ? Integer.BYTES : 1;
        int to = from + width;
        while (to > from && isZero(to - step, step)) {
            to -= step;
        }
        return step == 1
                ? Arrays.copyOfRange(bytes, from, to)
                : new String(bytes, from, to - from, UTF_32LE).getBytes(StandardCharsets.UTF_8);
    }

    private boolean isZero(int at, int count) {
        for (int i = 0; i < count; i++) {
            if (bytes[at + i] != 0) {
                return false;
            }
        }
        return true;
    }

    /** A whole chunk as caches keep it. */
    public Tensor chunk() {
        return ChunkTensor.of(cells(), shape, type);
    }
}
