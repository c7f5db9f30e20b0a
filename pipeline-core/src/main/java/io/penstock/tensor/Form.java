package io.penstock.tensor;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A second form of what a {@link Schema} encodes: fewer bytes, which give back exactly the encoded ones. A cache keeps
 * values in either form under the same key, since their first bytes tell the two apart.
 *
 * <p>Called from several threads at once.
 */
public interface Form {

    /** What a cache does with a form. */
    enum Use {
        /** Keeps values in this form, or what they are made of, where that saves time as the cache is too small for all. */
        AUTO,
        /** Keeps values in this form, unless they would hardly become shorter. */
        PACKED,
        /** Keeps what values are made of where the data set is {@code keepable}, and the other values as they are encoded. */
        FILE,
        /** Keeps values as they are encoded, and reads those that are in this form. */
        PLAIN
    }

    /** The name in reports, with a version. */
    String id();

    /** Whether bytes are in this form; never true of what a schema encodes. */
    boolean isOf(ByteBuffer bytes);

    /** What a schema encoded, in this form; null if that is hardly shorter. */
    @Nullable Encoded pack(Encoded plain);

    /**
     * The bytes that were packed, in a new buffer.
     * @param packed is read from its position to its limit, which stay
     * @throws IllegalArgumentException if the bytes are damaged; never trusts a length it has not checked
     */
    ByteBuffer unpack(ByteBuffer packed);

    /**
     * The fields of what any schema encoded, as views; they lie one after another at the end of the bytes.
     * @throws IllegalArgumentException if the bytes are no encoded tensors
     */
    static List<Tensor> fields(ByteBuffer plain) {
        int fields = plain.remaining() < 2 ? 0 : plain.get(plain.position() + 1) & 0xFF;
        return TensorFormat.decode(plain, fields);
    }
}
