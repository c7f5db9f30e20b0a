package io.penstock.shard;

import java.util.regex.Pattern;

/** Numbers in tar headers: octal digits, or base 256 where the first bit is set. */
final class TarNumber {

    /** The value of a field that holds no number, or one that is negative or too large. */
    static final long BAD = -1;

    private static final Pattern DECIMAL = Pattern.compile("\\d{1,18}");

    private TarNumber() {}

    static long parse(byte[] block, int at, int length) {
        return (block[at] & 0x80) != 0 ? binary(block, at, length) : octal(block, at, length);
    }

    private static long binary(byte[] block, int at, int length) {
        if ((block[at] & 0x40) != 0) {
            return BAD; // negative
        }
        long value = block[at] & 0x3F;
        for (int i = at + 1; i < at + length; i++) {
            if (value >>> 55 != 0) {
                return BAD;
            }
            value = value << 8 | block[i] & 0xFF;
        }
        return value;
    }

    private static long octal(byte[] block, int at, int length) {
        int end = at + length;
        int i = at;
        while (i < end && block[i] == ' ') {
            i++;
        }
        long value = 0;
        for (; i < end && block[i] >= '0' && block[i] <= '7'; i++) {
            value = value << 3 | block[i] - '0'; // 12 digits at most
        }
        for (; i < end && block[i] != 0; i++) {
            if (block[i] != ' ') {
                return BAD;
            }
        }
        return value;
    }

    /** Decimal digits, as pax headers have them. */
    static long decimal(String text) {
        return DECIMAL.matcher(text).matches() ? Long.parseLong(text) : BAD;
    }
}
