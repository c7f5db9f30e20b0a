package io.penstock.internal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksum of what is kept in files. */
public final class Crc32c {

    private Crc32c() {}

    public static int of(byte[] bytes) {
        return of(ByteBuffer.wrap(bytes));
    }

    public static int of(byte[] bytes, int from, int length) {
        return of(ByteBuffer.wrap(bytes, from, length));
    }

    /** Of the remaining bytes; the buffer stays as it is. */
    public static int of(ByteBuffer bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes.duplicate());
        return (int) sum.getValue();
    }
}
