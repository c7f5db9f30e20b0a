package io.penstock.tensor;

import java.nio.ByteBuffer;

/**
 * Turns values into bytes for a cache and back. {@code decode(encode(v))} equals {@code v}.
 *
 * <p>Called from several threads at once; what it remembers between calls must not change any result.
 */
public interface Codec<T> {

    /**
     * What these bytes mean, with a version: part of every cache key, so a changed layout never reads stale entries.
     */
    String id();

    /** The value's bytes. They may be those that the value itself has. */
    Encoded encode(T value);

    /**
     * The value whose bytes remain in the buffer. It may be a view of them and keep the buffer, which is not written to
     * any more, nor its limit moved.
     * @throws IllegalArgumentException if the bytes are not an encoded value; never trusts a length it has not checked
     */
    T decode(ByteBuffer bytes);
}
