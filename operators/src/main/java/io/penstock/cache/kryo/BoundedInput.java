package io.penstock.cache.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.io.Input;

/**
 * Bytes that claim no more elements than there are bytes left. The lengths of arrays, strings and collections are checked
 * where they are read ({@link KryoEngine}). {@code readBytes} and {@code readLongs} are checked too: serialisers of other
 * classes, such as {@code BigInteger} and {@code BitSet}, call them with lengths of their own.
 */
final class BoundedInput extends Input {

    private boolean lengthNext;

    BoundedInput(byte[] bytes) {
        super(bytes);
    }

    /**
     * The next number is the length of an array, a collection or a map: 0 for none at all, else one more than it is.
     */
    void expectLength() {
        lengthNext = true;
    }

    private int checked(int length) {
        lengthNext = false;
        require(length - 1L, 1);
        return length;
    }

    private void require(long elements, int width) {
        long left = (long) limit() - position();
        if (elements < -1 || elements > left / width) {
            throw new KryoException("a length of %d does not fit the %d bytes that are left".formatted(elements, left));
        }
    }

    @Override
    public int readVarInt(boolean optimizePositive) {
        int value = super.readVarInt(optimizePositive);
        return lengthNext ? checked(value) : value;
    }

    /** Read for strings and collections only, of which it is the length. */
    @Override
    public int readVarIntFlag(boolean optimizePositive) {
        return checked(super.readVarIntFlag(optimizePositive));
    }

    @Override
    public byte[] readBytes(int length) {
        require(length, 1);
        return super.readBytes(length);
    }

    @Override
    public long[] readLongs(int length) {
        require(length, Long.BYTES);
        return super.readLongs(length);
    }

    @Override
    public long[] readLongs(int length, boolean optimizePositive) {
        require(length, 1);
        return super.readLongs(length, optimizePositive);
    }
}
