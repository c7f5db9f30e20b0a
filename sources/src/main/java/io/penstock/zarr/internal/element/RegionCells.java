package io.penstock.zarr.internal.element;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A region of an array while its chunks come in, in any order, one at a time. */
public final class RegionCells {

    /** Metadata claims a shape, and what is not stored is filled: nothing but this bounds a row. */
    private static final long LARGEST = HeapLimit.of(HeapLimit.MAX_ARRAY, 1);

    private static final int A_TEXT = 24; // an array without a byte, and a reference to it
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
        this.bytes = type.isText() ? NO_BYTES : new byte[elements(type, shape) * type.width()];
        this.texts = type.isText() ? new byte[elements(type, shape)][] : NO_TEXTS;
    }

    private static int elements(ElementType type, Shape shape) {
        int width = type.isText() ? A_TEXT : Math.max(1, type.width());
        if (shape.elements() > LARGEST / width) {
            throw new IllegalArgumentException(
                    "a region must have at most %d bytes, half of the heap, is %s%s; read a smaller one, or raise -Xmx"
                            .formatted(LARGEST, type.name(), shape));
        }
        return (int) shape.elements();
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

    /** A whole chunk as its codecs give it. */
    public byte[] bytes() {
        return type.isText() ? ChunkTensor.ofTexts(texts) : bytes;
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

    /** The texts, strictly: those of bytes may be no UTF-8. */
    public List<String> strings() {
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < shape.elements(); i++) {
            try {
                strings.add(StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(utf8(i)))
                        .toString());
            } catch (CharacterCodingException e) {
                throw new FormatException("%s is not UTF-8".formatted(element(i)), e);
            }
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
        if (step == 1) {
            return Arrays.copyOfRange(bytes, from, to);
        }
        StringBuilder text = new StringBuilder();
        ByteBuffer codes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = from; at < to; at += step) {
            int code = codes.getInt(at);
            if (!Character.isValidCodePoint(code)
                    || code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
                throw new FormatException(
                        "%s is no text: it has the code %08X, which is no character".formatted(element(element), code));
            }
            text.appendCodePoint(code);
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private String element(int number) {
        return "element %d of the %s%s at %s".formatted(number, type.name(), shape, Arrays.toString(start));
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
        return ChunkTensor.of(bytes(), shape, type);
    }
}
