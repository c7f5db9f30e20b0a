package io.penstock.store.internal;

import io.penstock.fault.FormatException;

/** What the first bytes of a file of lines say. */
public final class TextStart {

    private TextStart() {}

    /**
     * How many of the first bytes are a byte order mark, which is left out.
     * @throws FormatException if the file is UTF-16: line feeds are two bytes there, and the bytes of others look like them
     */
    public static int markBytes(byte[] bytes, int count, String name) {
        boolean little = count >= 2 && (bytes[0] & 0xFF) == 0xFF && (bytes[1] & 0xFF) == 0xFE;
        if (little || count >= 2 && (bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xFF) == 0xFF) {
            throw new FormatException(
                    "%s is UTF-16, not UTF-8: it starts with %02X %02X; convert it, as iconv -f UTF-16 -t UTF-8 does"
                            .formatted(name, bytes[0], bytes[1]));
        }
        boolean marked =
                count >= 3 && (bytes[0] & 0xFF) == 0xEF && (bytes[1] & 0xFF) == 0xBB && (bytes[2] & 0xFF) == 0xBF;
        return marked ? 3 : 0;
    }
}
