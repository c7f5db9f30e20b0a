package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes {@link TensorFormat} for one schema, and remembers the last header: most data sets have one shape, and then
 * neither their headers have to be parsed nor their shapes made for each sample.
 *
 * <p>Racy by intent: what is remembered is immutable, and any thread's will do.
 */
final class TensorDecoder {

    private final int fields;
    private @Nullable Known last;

    TensorDecoder(int fields) {
        this.fields = fields;
    }

    /** A header that was parsed and found right for values of this length. */
    private static final class Known {
        final byte[] header;
        final int length;
        final DType[] dtypes;
        final Shape[] shapes;
        final int[] sizes;

        Known(byte[] header, int length, List<Tensor> parsed) {
            this.header = header;
            this.length = length;
            this.dtypes = parsed.stream().map(Tensor::dtype).toArray(DType[]::new);
            this.shapes = parsed.stream().map(Tensor::shape).toArray(Shape[]::new);
            this.sizes = parsed.stream().mapToInt(Tensor::byteSize).toArray();
        }

        boolean fits(ByteBuffer in) {
            int at = in.position();
            if (in.limit() - at != length) {
                return false;
            }
            for (int i = 0; i < header.length; i++) {
                if (in.get(at + i) != header[i]) {
                    return false;
                }
            }
            return true;
        }

        List<Tensor> over(ByteBuffer in) {
            int at = in.position() + header.length;
            if (shapes.length == 1) {
                return List.of(Tensor.known(dtypes[0], shapes[0], in, at, sizes[0]));
            }
            List<Tensor> tensors = new ArrayList<>(shapes.length);
            for (int field = 0; field < shapes.length; field++) {
                tensors.add(Tensor.known(dtypes[field], shapes[field], in, at, sizes[field]));
                at += sizes[field];
            }
            return tensors;
        }
    }

    /** @throws IllegalArgumentException if these bytes are not this number of fields */
    List<Tensor> decode(ByteBuffer in) {
        Known known = last;
        if (known != null && known.fits(in)) {
            return known.over(in);
        }
        List<Tensor> tensors = TensorFormat.decode(in, fields);
        int length = in.remaining();
        int header = length;
        for (Tensor tensor : tensors) {
            header -= tensor.byteSize();
        }
        byte[] bytes = new byte[header];
        in.get(in.position(), bytes);
        last = new Known(bytes, length, tensors);
        return tensors;
    }
}
