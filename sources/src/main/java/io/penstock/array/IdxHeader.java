package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;

/**
 * The header of idx files, which MNIST is in: two zeros, a type, the number of axes, and the length of each.
 * @see <a href="https://web.archive.org/web/20240101000000/http://yann.lecun.com/exdb/mnist/">The MNIST database</a>
 */
final class IdxHeader {

    private static final int FIXED = 4;

    private IdxHeader() {}

    static ArrayHeader read(InputStream in, String name, long fileBytes) {
        try {
            byte[] fixed = in.readNBytes(FIXED);
            if (fixed.length < FIXED || fixed[0] != 0 || fixed[1] != 0) {
                throw new FormatException("%s is no idx file: does not start with 00 00".formatted(name));
            }
            DType dtype = dtype(fixed[2], name);
            int rank = fixed[3] & 0xFF;
            byte[] lengths = in.readNBytes(Integer.BYTES * rank);
            if (lengths.length < Integer.BYTES * rank) {
                throw new FormatException("%s is cut off in its header: it has %d axes".formatted(name, rank));
            }
            long[] dims = new long[rank];
            for (int axis = 0; axis < rank; axis++) {
                dims[axis] = ByteBuffer.wrap(lengths).getInt(Integer.BYTES * axis) & 0xFFFF_FFFFL;
            }
            ArrayHeader header =
                    new ArrayHeader(dtype, ArrayHeader.shape(name, dims), FIXED + lengths.length, true, false);
            header.bytes(name, fileBytes);
            return header;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DType dtype(byte code, String name) {
        return switch (code) {
            case 0x08 -> DType.U8;
            case 0x09 -> DType.I8;
            case 0x0B -> DType.I16;
            case 0x0C -> DType.I32;
            case 0x0D -> DType.F32;
            case 0x0E -> DType.F64;
            default ->
                throw new FormatException(
                        "%s has elements of idx type %02X: 08, 09, 0B, 0C, 0D and 0E are known".formatted(name, code));
        };
    }
}
