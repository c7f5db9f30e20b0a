package io.penstock.tensor;

import java.util.Locale;

/** The type of a tensor's elements, named as in NumPy; multi-byte elements are little-endian. */
public enum DType {
    BOOL(1),
    U8(1),
    I8(1),
    U16(2),
    I16(2),
    U32(4),
    I32(4),
    U64(8),
    I64(8),
    F16(2),
    BF16(2),
    F32(4),
    F64(8);

    private static final DType[] BY_CODE = values();

    private final int bytes;
    private final String label = name().toLowerCase(Locale.ROOT);

    DType(int bytes) {
        this.bytes = bytes;
    }

    /** The size of one element, in bytes. */
    public int bytes() {
        return bytes;
    }

    /** The number that stands for this type in encoded samples; it never changes between versions. */
    int code() {
        return ordinal();
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
