package io.penstock.cache;

import io.penstock.internal.AccessFaults;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.util.function.Supplier;

/**
 * A sample and what it was made of, such as a picture and its file. The bytes of an origin are a mark, a hash of its
 * codec's id, and what the codec encoded.
 *
 * @param origin encodes it, once it is to be kept
 */
public record WithOrigin<T>(T value, Supplier<Encoded> origin) {

    /** What the origin's form is called in reports, with a version. */
    public static final String ID = "file 1";

    /** Its first byte is none that encoded tensors or packed ones begin with, its last one the version. */
    private static final int MARK = 0xF19B5A01;

    private static final int HEADER = 2 * Integer.BYTES;

    /** Whether bytes are an origin's. */
    public static boolean isOf(ByteBuffer bytes) {
        // the first byte alone for plain values, which takes no view of the buffer
        return bytes.remaining() >= HEADER
                && bytes.get(bytes.position()) == (byte) (MARK >>> 24)
                && bytes.duplicate().getInt(bytes.position()) == MARK;
    }

    public static <A> Encoded encode(A origin, Codec<A> codec) {
        Encoded plain = codec.encode(origin);
        ByteBuffer bytes = ByteBuffer.allocate(Math.addExact(HEADER, plain.length()))
                .putInt(MARK)
                .putInt(hash(codec));
        plain.copyTo(bytes, HEADER);
        return Encoded.of(bytes.clear());
    }

    /**
     * The origin whose bytes remain in a buffer, which stays as it is.
     * @throws IllegalArgumentException if another codec encoded it, or it is damaged
     */
    public static <A> A decode(ByteBuffer bytes, Codec<A> codec) {
        // on the heap: what decodes a file may be native code, which must not read a file that may be cut shorter
        ByteBuffer own =
                ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
        new AccessFaults().raise();
        if (!isOf(own) || own.getInt(Integer.BYTES) != hash(codec)) {
            throw new IllegalArgumentException("these bytes are not of \"%s\"".formatted(codec.id()));
        }
        return codec.decode(own.position(HEADER).slice());
    }

    private static int hash(Codec<?> codec) {
        return (int) Fingerprint.of(codec).low();
    }
}
