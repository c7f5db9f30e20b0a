package io.penstock.write;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Tensors as NumPy's array files, version 1.0, in C order.
 * @see <a href="https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html">numpy.lib.format</a>
 */
public final class Npy {

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    private static final int BEFORE_TEXT = MAGIC.length + Short.BYTES;
    private static final int ALIGNED = 64;

    private Npy() {}

    /**
     * The whole file of one tensor: {@code u8[n]}. One copy.
     * @throws IllegalArgumentException for {@code bf16}, which NumPy does not know
     */
    public static Tensor encode(Tensor tensor) {
        byte[] header = header(text(tensor.dtype(), dims(tensor.shape())));
        byte[] file = new byte[Math.addExact(header.length, tensor.byteSize())];
        System.arraycopy(header, 0, file, 0, header.length);
        tensor.copyTo(0, file, header.length, tensor.byteSize());
        return Tensor.ofBytes(file);
    }

    /** The header of a number of rows of a shape. Its length does not depend on that number. */
    static byte[] header(DType dtype, Shape row, long rows) {
        String longest = text(dtype, dims(Long.toString(Long.MAX_VALUE), row));
        String text = text(dtype, dims(Long.toString(rows), row));
        return header(text + " ".repeat(longest.length() - text.length()));
    }

    private static byte[] header(String text) {
        int length = (BEFORE_TEXT + text.length() + 1 + ALIGNED - 1) / ALIGNED * ALIGNED;
        byte[] padded = (text + " ".repeat(length - BEFORE_TEXT - text.length() - 1) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
        ByteBuffer header = ByteBuffer.allocate(length);
        header.put(MAGIC)
                .put((byte) padded.length)
                .put((byte) (padded.length >> 8))
                .put(padded);
        return header.array();
    }

    private static String text(DType dtype, List<String> dims) {
        return "{'descr': '%s', 'fortran_order': False, 'shape': %s, }".formatted(descr(dtype), tuple(dims));
    }

    /** As Python prints a tuple: {@code ()}, {@code (3,)}, {@code (2, 3)}. */
    private static String tuple(List<String> dims) {
        return dims.size() == 1 ? "(" + dims.get(0) + ",)" : "(" + String.join(", ", dims) + ")";
    }

    private static List<String> dims(Shape shape) {
        return LongStream.of(shape.toArray()).mapToObj(Long::toString).toList();
    }

    private static List<String> dims(String rows, Shape row) {
        List<String> dims = new ArrayList<>(List.of(rows));
        dims.addAll(dims(row));
        return dims;
    }

    private static String descr(DType dtype) {
        return switch (dtype) {
            case BOOL -> "|b1";
            case U8 -> "|u1";
            case I8 -> "|i1";
            case U16 -> "<u2";
            case I16 -> "<i2";
            case U32 -> "<u4";
            case I32 -> "<i4";
            case U64 -> "<u8";
            case I64 -> "<i8";
            case F16 -> "<f2";
            case F32 -> "<f4";
            case F64 -> "<f8";
            case BF16 -> throw new IllegalArgumentException("NumPy has no bf16; write f32");
        };
    }
}
