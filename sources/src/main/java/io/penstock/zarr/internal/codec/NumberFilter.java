package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.NumberType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * numcodecs' filters over numbers, in the direction that reads. v3 has them before elements become bytes, v2 after.
 *
 * @param name    as numcodecs calls it
 * @param decoded what the filter was given
 * @param stored  what it made of it
 * @param rule    how one becomes the other
 * @param offset  of {@link Rule#SCALED}, as is the scale
 * @see <a href="https://numcodecs.readthedocs.io/en/stable/filter/index.html">numcodecs' filters</a>
 */
public record NumberFilter(String name, NumberType decoded, NumberType stored, Rule rule, double offset, double scale)
        implements ArrayToArray {

    enum Rule {
        /** Each number is stored as its difference from the one before. */
        DELTA,
        /** The stored number is {@code (x - offset) * scale}. */
        SCALED,
        /** The same number in another type. */
        CAST
    }

    static NumberFilter delta(NumberType decoded, NumberType stored) {
        return new NumberFilter("delta", decoded, stored, Rule.DELTA, 0, 1);
    }

    static NumberFilter scaled(NumberType decoded, NumberType stored, double offset, double scale) {
        return new NumberFilter("fixedscaleoffset", decoded, stored, Rule.SCALED, offset, scale);
    }

    public static NumberFilter cast(String name, NumberType decoded, NumberType stored) {
        return new NumberFilter(name, decoded, stored, Rule.CAST, 0, 1);
    }

    /** The same over bytes. */
    BytesToBytes ofBytes() {
        return BytesToBytes.exact(
                name, bytes -> bytes / decoded.bytes() * stored.bytes(), (encoded, max) -> decode(encoded));
    }

    @Override
    public Shape encodedShape(Shape array) {
        return array;
    }

    @Override
    public ElementType encodedType(ElementType type) {
        return type.storedAs(stored);
    }

    @Override
    public byte[] decode(byte[] encoded, Shape decodedShape, ElementType decodedType) {
        return decode(encoded);
    }

    private byte[] decode(byte[] encoded) {
        if (encoded.length % stored.bytes() != 0) {
            throw new FormatException(
                    "%d bytes are not made of numbers of %d bytes".formatted(encoded.length, stored.bytes()));
        }
        int count = encoded.length / stored.bytes();
        ByteBuffer from = ByteBuffer.wrap(encoded).order(order(stored));
        byte[] result = new byte[count * decoded.bytes()];
        ByteBuffer to = ByteBuffer.wrap(result).order(order(decoded));
        boolean real = decoded.isFloat() || rule == Rule.SCALED || rule == Rule.CAST && stored.isFloat();
        if (real) {
            decodeReal(from, to, count);
        } else {
            long sum = 0;
            for (int i = 0; i < count; i++) {
                long number = stored.getLong(from, i * stored.bytes());
                sum = rule == Rule.DELTA ? sum + number : number;
                decoded.putLong(to, i * decoded.bytes(), sum);
            }
        }
        return result;
    }

    private static ByteOrder order(NumberType type) {
        return type.bigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    private void decodeReal(ByteBuffer from, ByteBuffer to, int count) {
        boolean single = stored.isFloat() && stored.bytes() <= Float.BYTES;
        double sum = 0;
        for (int i = 0; i < count; i++) {
            double number = stored.getDouble(from, i * stored.bytes());
            double value = switch (rule) {
                case DELTA -> sum + number;
                case SCALED -> single ? (float) number / (float) scale + (float) offset : number / scale + offset;
                case CAST -> number;
            };
            decoded.putDouble(to, i * decoded.bytes(), value);
            if (rule == Rule.DELTA) {
                sum = decoded.getDouble(to, i * decoded.bytes()); // rounded, as a running sum in that type is
            }
        }
    }
}
