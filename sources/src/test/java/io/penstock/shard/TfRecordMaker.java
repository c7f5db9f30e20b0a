package io.penstock.shard;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

/** Writes TFRecord files, from the format's description alone. */
public final class TfRecordMaker {

    private TfRecordMaker() {}

    /** A file of these records. */
    public static byte[] file(List<byte[]> records) {
        int size = records.stream().mapToInt(record -> record.length + 16).sum();
        ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        for (byte[] record : records) {
            file.put(head(record.length)).put(record).putInt(sum(record));
        }
        return file.array();
    }

    /** The head of a record that claims a length. */
    static byte[] head(long length) {
        ByteBuffer head = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN).putLong(length);
        CRC32C crc = new CRC32C();
        crc.update(head.array(), 0, 8);
        return head.putInt(masked(crc)).array();
    }

    private static int sum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return masked(crc);
    }

    private static int masked(CRC32C crc) {
        long sum = crc.getValue();
        return (int) (((sum >>> 15) | (sum << 17 & 0xFFFFFFFFL)) + 0xA282EAD8L);
    }
}
