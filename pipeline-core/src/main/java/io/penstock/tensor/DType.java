package io.penstock.tensor;

import java.util.Locale;

/** The type of a tensor's elements, named as in NumPy; multi-byte elements are little-endian. */
public enum DType {
    BOOL(0, 1),
    U8(1, 1),
    I8(2, 1),
    U16(3, 2),
    I16(4, 2),
    U32(5, 4),
    I32(6, 4),
    U64(7, 8),
    I64(8, 8),
    F16(9, 2),
    BF16(10, 2),
    F32(11, 4),
    F64(12, 8);

    /** In the order of their codes, which is that of their declaration. */
    private static final DType[] BY_CODE = values();

    private final int code;
    private final int bytes;
    private final int shift;
    private final String label = name().toLowerCase(Locale.ROOT);

    DType(int code, int bytes) {
        this.code = code;
        this.bytes = bytes;
        this.shift = Integer.numberOfTrailingZeros(bytes);
    }

    /** The size of one element, in bytes. */
    public int bytes() {
        return bytes;
    }

    /**
     * The number of whole elements in this number of bytes. Sizes are powers of two, and every sample is checked: no
     * division.
     */
    int elementsIn(int length) {
        return length >> shift;
    }

    /** The number of bytes left over then. */
    int remainder(int length) {
        return length & (bytes - 1);
    }

    /** The number that stands for this type in encoded samples; it never changes between versions. */
    int code() {
        return code;
    }

    static DType ofCode(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new IllegalArgumentException("dtype code must be in [0, " + BY_CODE.length + "), was " + code);
        }
        return BY_CODE[code];
    }

    /** The short name: {@code u8}, {@code f32}. */
    @Override
    public String toString() {
        return label;
    }
}
