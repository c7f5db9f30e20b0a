package io.penstock.cache.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;
import com.esotericsoftware.kryo.kryo5.io.Input;

/** Bytes that claim no more elements than there are bytes left: nothing is allocated for those that cannot come. */
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
    public boolean[] readBooleans(int length) {
        require(length, 1);
        return super.readBooleans(length);
    }

    @Override
    public short[] readShorts(int length) {
        require(length, Short.BYTES);
        return super.readShorts(length);
    }

    @Override
    public char[] readChars(int length) {
        require(length, Character.BYTES);
        return super.readChars(length);
    }

    @Override
    public int[] readInts(int length) {
        require(length, Integer.BYTES);
        return super.readInts(length);
    }

    @Override
    public int[] readInts(int length, boolean optimizePositive) {
        require(length, 1);
        return super.readInts(length, optimizePositive);
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

    @Override
    public float[] readFloats(int length) {
        require(length, Float.BYTES);
        return super.readFloats(length);
    }

    @Override
    public double[] readDoubles(int length) {
        require(length, Double.BYTES);
        return super.readDoubles(length);
    }
}
