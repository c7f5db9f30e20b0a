package io.penstock.zarr.internal.element;

import io.penstock.fault.FormatException;
import io.penstock.internal.HeapLimit;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntSupplier;

/**
 * A decoded chunk as a tensor, so that any cache can keep it. Texts are {@code u8[n]}: their offsets as 32-bit numbers,
 * one more than there are texts, then their bytes; so one of them is found without reading the others.
 */
public final class ChunkTensor {

    private ChunkTensor() {}

    /** The tensor of a chunk that is laid out so. */
    public static Tensor of(byte[] chunk, Shape shape, ElementType type) {
        return Tensor.of(
                type.dtype(), type.isText() ? Shape.of(chunk.length) : shape(shape, type), ByteBuffer.wrap(chunk));
    }

    /** The layout of texts. */
    public static byte[] ofTexts(byte[][] texts) {
        long size = Integer.BYTES * (texts.length + 1L);
        for (byte[] text : texts) {
            size += text.length;
        }
        if (size > HeapLimit.MAX_ARRAY) {
            throw new FormatException("texts of a chunk must have less than 2 GiB, have %d bytes".formatted(size));
        }
        ByteBuffer bytes = ByteBuffer.allocate((int) size).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        for (byte[] text : texts) {
            bytes.putInt(at);
            at += text.length;
        }
        bytes.putInt(at);
        for (byte[] text : texts) {
            bytes.put(text);
        }
        return bytes.array();
    }

    /** The same elements in another order: the next is this one's that the supplier says. */
    public static byte[] permuted(byte[] chunk, int count, IntSupplier sources, ElementType type) {
        byte[] to = new byte[chunk.length];
        if (type.isText()) {
            permuteTexts(ByteBuffer.wrap(chunk), count, sources, ByteBuffer.wrap(to));
            return to;
        }
        int width = type.width();
        for (int i = 0; i < count; i++) {
            int from = sources.getAsInt() * width;
            int at = i * width;
            if (width <= Long.BYTES) {
                for (int b = 0; b < width; b++) {
                    to[at + b] = chunk[from + b];
                }
            } else {
                System.arraycopy(chunk, from, to, at, width);
            }
        }
        return to;
    }

    private static void permuteTexts(ByteBuffer from, int count, IntSupplier sources, ByteBuffer to) {
        from.order(ByteOrder.LITTLE_ENDIAN);
        to.order(ByteOrder.LITTLE_ENDIAN);
        int first = Integer.BYTES * (count + 1);
        int at = 0;
        for (int i = 0; i < count; i++) {
            int source = sources.getAsInt();
            int start = from.getInt(Integer.BYTES * source);
            int length = from.getInt(Integer.BYTES * (source + 1)) - start;
            to.put(first + at, from, first + start, length);
            at += length;
            to.putInt(Integer.BYTES * (i + 1), at);
        }
    }

    /** The shape of elements with one more axis where an element is made of several. */
    public static Shape shape(Shape elements, ElementType type) {
        if (type.kind() == ElementType.Kind.NUMBER && type.lanes() == 1) {
            return elements;
        }
        long[] dims = java.util.Arrays.copyOf(elements.toArray(), elements.rank() + 1);
        dims[elements.rank()] = type.lanes();
        return Shape.of(dims);
    }

    public static void require(Tensor chunk, Shape shape, ElementType type) {
        boolean right = type.isText()
                ? chunk.dtype() == DType.U8 && chunk.byteSize() >= Integer.BYTES * (shape.elements() + 1)
                : chunk.dtype() == type.dtype() && chunk.shape().equals(shape(shape, type));
        if (!right) {
            throw new FormatException("a chunk of %s%s came as %s".formatted(type.name(), shape, chunk.type()));
        }
    }

    static byte[] text(Tensor chunk, int count, int index) {
        ByteBuffer bytes = chunk.data();
        int first = Integer.BYTES * (count + 1);
        int from = bytes.getInt(Integer.BYTES * index);
        int to = bytes.getInt(Integer.BYTES * (index + 1));
        if (from < 0 || to < from || to > chunk.byteSize() - first) {
            throw new FormatException("text %d of a chunk must lie within its %d bytes, is at [%d, %d)"
                    .formatted(index, chunk.byteSize() - first, from, to));
        }
        byte[] text = new byte[to - from];
        bytes.get(first + from, text);
        return text;
    }
}
