package io.penstock.tensor;

import io.penstock.internal.HeapLimit;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of a list of tensors: a version, the number of fields, then each field's dtype, rank and axis lengths (as
 * unsigned LEB128), then the fields' elements one after another. A 1 KiB record costs five bytes more than its own.
 *
 * <p>A reader checks every length against the bytes that are there before it uses the length. So garbage ends in an
 * {@link IllegalArgumentException} and never in a large allocation.
 */
final class TensorFormat {

    private static final byte VERSION = 1;
    private static final int MAX_RANK = 32;
    private static final int MAX_FIELDS = 255;

    /** Below it, one copy is less than a second piece. */
    private static final int WORTH_SHARING = 4 << 10;

    private TensorFormat() {}

    static Encoded encode(List<Tensor> tensors) {
        if (tensors.size() > MAX_FIELDS) {
            throw new IllegalArgumentException(
                    "a value has at most %d fields, was %d".formatted(MAX_FIELDS, tensors.size()));
        }
        int headers = 2;
        long size = 0;
        boolean compact = true;
        for (Tensor tensor : tensors) {
            headers += headerSize(tensor.shape());
            size += tensor.byteSize();
            compact &= tensor.isCompact();
        }
        if (headers + size > HeapLimit.MAX_ARRAY) {
            throw new IllegalArgumentException(
                    "a value of " + (headers + size) + " bytes is too large to encode; the limit is 2 GiB");
        }
        ByteBuffer header = ByteBuffer.allocate(headers);
        header.put(VERSION).put((byte) tensors.size());
        List<ByteBuffer> pieces = new ArrayList<>(tensors.size() + 1);
        pieces.add(header);
        for (Tensor tensor : tensors) {
            writeHeader(header, tensor);
            pieces.add(tensor.slice());
        }
        Encoded all = Encoded.of(pieces, headers + (int) size, compact);
        return all.length() < WORTH_SHARING ? Encoded.of(all.joined()) : all;
    }

    static List<Tensor> decode(ByteBuffer in, int fields) {
        int at = in.position();
        int limit = in.limit();
        if (limit - at < 2 || in.get(at) != VERSION || (in.get(at + 1) & 0xFF) != fields) {
            throw new IllegalArgumentException(
                    "not a value of %d fields in format %d: %d bytes".formatted(fields, VERSION, limit - at));
        }
        return new Reader(in, at + 2, limit).read(fields);
    }

    private static int headerSize(Shape shape) {
        int size = 2;
        for (int axis = 0; axis < shape.rank(); axis++) {
            size += Math.max(1, (70 - Long.numberOfLeadingZeros(shape.dim(axis))) / 7);
        }
        return size;
    }

    private static void writeHeader(ByteBuffer out, Tensor tensor) {
        Shape shape = tensor.shape();
        if (shape.rank() > MAX_RANK) {
            throw new IllegalArgumentException("a field has at most %d axes: %s".formatted(MAX_RANK, tensor.type()));
        }
        out.put((byte) tensor.dtype().code()).put((byte) shape.rank());
        for (int axis = 0; axis < shape.rank(); axis++) {
            long rest = shape.dim(axis);
            for (; rest > 0x7F; rest >>>= 7) {
                out.put((byte) (rest | 0x80));
            }
            out.put((byte) rest);
        }
    }

    /** Walks the headers twice rather than keep them: they are a few bytes, and a list of them would be garbage. */
    private static final class Reader {
        private final ByteBuffer in;
        private final int limit;
        private int at;

        Reader(ByteBuffer in, int at, int limit) {
            this.in = in;
            this.at = at;
            this.limit = limit;
        }

        List<Tensor> read(int fields) {
            int headers = at;
            for (int field = 0; field < fields; field++) {
                nextByte();
                int rank = nextByte();
                for (int axis = 0; axis < rank; axis++) {
                    nextLength();
                }
            }
            int data = at;
            at = headers;
            if (fields == 1) {
                return List.of(readField(data, limit - data));
            }
            List<Tensor> tensors = new ArrayList<>(fields);
            for (int field = 0; field < fields; field++) {
                Tensor tensor = readField(data, -1);
                data += tensor.byteSize();
                tensors.add(tensor);
            }
            if (data != limit) {
                throw new IllegalArgumentException((limit - data) + " bytes are left over behind the last field");
            }
            return tensors;
        }

        /** Reads one header and the field's elements at {@code data}, {@code length} bytes or as many as it says. */
        private Tensor readField(int data, int length) {
            DType dtype = DType.ofCode(nextByte());
            int rank = nextByte();
            if (rank > MAX_RANK) {
                throw new IllegalArgumentException("a field has at most " + MAX_RANK + " axes, was " + rank);
            }
            long[] dims = new long[rank];
            for (int axis = 0; axis < rank; axis++) {
                dims[axis] = nextLength();
            }
            Shape shape = Shape.of(dims);
            long elements = shape.elements();
            int available = limit - data;
            if (elements > dtype.elementsIn(available)) {
                throw new IllegalArgumentException(
                        "%s%s is larger than the %d bytes that are there".formatted(dtype, shape, available));
            }
            return Tensor.view(dtype, shape, in, data, length < 0 ? (int) elements * dtype.bytes() : length);
        }

        private int nextByte() {
            if (at >= limit) {
                throw new IllegalArgumentException("the value ends inside a header");
            }
            return in.get(at++) & 0xFF;
        }

        private long nextLength() {
            long value = 0;
            for (int shift = 0; shift < 63; shift += 7) {
                int next = nextByte();
                value |= (long) (next & 0x7F) << shift;
                if (next < 0x80) {
                    return value;
                }
            }
            throw new IllegalArgumentException("an axis length has more than 63 bits");
        }
    }
}
