package io.penstock.zarr.internal.element;

/** Floats of 16 bits, which Java has from version 20 on only; rounds to nearest even as IEEE 754 and NumPy do. */
public final class HalfFloat {

    private static final int SMALLEST_NORMAL_EXPONENT = -14;
    private static final int LARGEST_EXPONENT = 15;
    private static final int MANTISSA_BITS = 10;
    private static final int INFINITE = 0x7C00;
    private static final int QUIET = 0x0200;

    private HalfFloat() {}

    public static float fromHalf(short bits) {
        int sign = bits < 0 ? -1 : 1;
        int exponent = (bits >> MANTISSA_BITS) & 0x1F;
        int mantissa = bits & 0x3FF;
        if (exponent == 0x1F) {
            return mantissa == 0 ? sign * Float.POSITIVE_INFINITY : Float.NaN;
        }
        if (exponent == 0) {
            return sign * Math.scalb((float) mantissa, SMALLEST_NORMAL_EXPONENT - MANTISSA_BITS);
        }
        return sign * Math.scalb((float) (mantissa | 0x400), exponent - LARGEST_EXPONENT - MANTISSA_BITS);
    }

    public static short toHalf(float value) {
        int sign = Float.floatToRawIntBits(value) >>> 16 & 0x8000;
        if (Float.isNaN(value)) {
            return (short) (sign | INFINITE | QUIET);
        }
        float size = Math.abs(value);
        int exponent = Math.max(Math.getExponent(size), SMALLEST_NORMAL_EXPONENT);
        if (exponent > LARGEST_EXPONENT) {
            return (short) (sign | INFINITE);
        }
        // in units of the last place; a carry out of the mantissa increments the exponent, as it should
        int units = (int) Math.rint(Math.scalb((double) size, MANTISSA_BITS - exponent));
        return (short) (sign | ((exponent - SMALLEST_NORMAL_EXPONENT << MANTISSA_BITS) + units));
    }

    static short toBrain(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
    }
}
