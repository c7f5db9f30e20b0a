package io.penstock.array;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A whole npy file in memory, such as a part of a tar sample. */
public final class NpyFile {

    private NpyFile() {}

    /**
     * The array in a file's bytes: one copy.
     * @param bytes {@code u8[n]}, the whole file
     * @param name  the file's, for errors
     * @throws FormatException if it is not such a file, is cut off, or has elements that are no numbers
     */
    public static Tensor decode(Tensor bytes, String name) {
        byte[] file = bytes.toByteArray();
        ArrayHeader header = NpyHeader.read(new ByteArrayInputStream(file), name);
        int length = (int) header.bytes(name, file.length);
        int start = (int) header.data();
        ByteBuffer elements = header.isByColumns()
                ? ByteBuffer.wrap(header.rows(Arrays.copyOfRange(file, start, start + length)))
                : ByteBuffer.wrap(file, start, length).slice();
        return Tensor.of(header.dtype(), header.shape(), header.littleEndian(elements));
    }
}
