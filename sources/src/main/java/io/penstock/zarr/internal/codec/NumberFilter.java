package io.penstock.zarr.internal.codec;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Shape;
import io.penstock.zarr.internal.codec.ZarrCodec.ArrayToArray;
import io.penstock.zarr.internal.codec.ZarrCodec.BytesToBytes;
import io.penstock.zarr.internal.element.Cells;
import io.penstock.zarr.internal.element.ElementType;
import io.penstock.zarr.internal.element.NumberType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * numcodecs' filters over numbers, in the direction that reads.
 *
 * @param name    as numcodecs calls it
 * @param decoded what the filter was given
 * @param stored  what it made of it
 * @param rule    how one becomes the other
 * @see <a href="https://numcodecs.readthedocs.io/en/stable/filter/index.html">numcodecs' filters</a>
 */
public record NumberFilter(String name, NumberType decoded, NumberType stored, Rule rule) implements BytesToBytes {

    sealed interface Rule {}

    /** Each number is stored as its difference from the one before. */
    record Delta() implements Rule {}

    /** The stored number is {@code (x - offset) * scale}. */
    record Scaled(double offset, double scale) implements Rule {}

    /** The same number in another type. */
    record Cast() implements Rule {}

    static NumberFilter delta(NumberType decoded, NumberType stored) {
        return new NumberFilter("delta", decoded, stored, new Delta());
    }

    static NumberFilter scaled(NumberType decoded, NumberType stored, double offset, double scale) {
        return new NumberFilter("fixedscaleoffset", decoded, stored, new Scaled(offset, scale));
    }

    public static NumberFilter cast(String name, NumberType decoded, NumberType stored) {
        return new NumberFilter(name, decoded, stored, new Cast());
    }

    @Override
    public long encodedBytes(long bytes) {
        return bytes / decoded.bytes() * stored.bytes();
    }

    @Override
    public byte[] decode(byte[] encoded, int max) {
        if (encoded.length % stored.bytes() != 0) {
            throw new FormatException(
                    "%s: %d bytes are not made of numbers of %d bytes".formatted(name, encoded.length, stored.bytes()));
        }
        int count = encoded.length / stored.bytes();
        if ((long) count * decoded.bytes() > max) {
            throw new FormatException("%s: at most %d bytes are expected, would be %d"
                    .formatted(name, max, (long) count * decoded.bytes()));
        }
        ByteBuffer from = ByteBuffer.wrap(encoded).order(order(stored));
        byte[] result = new byte[count * decoded.bytes()];
        ByteBuffer to = ByteBuffer.wrap(result).order(order(decoded));
        if (rule instanceof Delta) {
            delta(from, to, count);
        } else if (rule instanceof Scaled scaled) {
            scale(from, to, count, scaled);
        } else {
            cast(from, to, count);
        }
        return result;
    }

    private static ByteOrder order(NumberType type) {
        return type.bigEndian() ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    private void delta(ByteBuffer from, ByteBuffer to, int count) {
        if (decoded.isFloat()) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += stored.getDouble(from, i * stored.bytes());
                decoded.putDouble(to, i * decoded.bytes(), sum);
                sum = decoded.getDouble(to, i * decoded.bytes()); // rounded, as a running sum in that type is
            }
        } else {
            long sum = 0;
            for (int i = 0; i < count; i++) {
                sum += stored.getLong(from, i * stored.bytes());
                decoded.putLong(to, i * decoded.bytes(), sum);
            }
        }
    }

    private void scale(ByteBuffer from, ByteBuffer to, int count, Scaled scaled) {
        boolean single = stored.isFloat() && stored.bytes() <= Float.BYTES;
        for (int i = 0; i < count; i++) {
            double value = stored.getDouble(from, i * stored.bytes());
            value = single
                    ? (float) value / (float) scaled.scale + (float) scaled.offset
                    : value / scaled.scale + scaled.offset;
            decoded.putDouble(to, i * decoded.bytes(), value);
        }
    }

    private void cast(ByteBuffer from, ByteBuffer to, int count) {
        for (int i = 0; i < count; i++) {
            if (stored.isFloat() || decoded.isFloat()) {
                decoded.putDouble(to, i * decoded.bytes(), stored.getDouble(from, i * stored.bytes()));
            } else {
                decoded.putLong(to, i * decoded.bytes(), stored.getLong(from, i * stored.bytes()));
            }
        }
    }

    /** A filter over numbers where v3 has it: before elements become bytes. */
    public record Elementwise(NumberFilter filter) implements ArrayToArray {

        @Override
        public String name() {
            return filter.name();
        }

        @Override
        public Shape encodedShape(Shape decoded) {
            return decoded;
        }

        @Override
        public ElementType encodedType(ElementType decoded) {
            return decoded.storedAs(filter.stored());
        }

        @Override
        public Cells decode(Cells encoded, Shape decodedShape) {
            Cells.Fixed numbers = (Cells.Fixed) encoded;
            int bytes = (int) decodedShape.elements() * filter.decoded().bytes();
            return new Cells.Fixed(
                    filter.decode(numbers.bytes(), bytes), filter.decoded().bytes());
        }
    }
}
