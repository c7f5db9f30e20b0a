package io.penstock.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Tar archives for tests. */
public final class TarBytes {

    private TarBytes() {}

    /** An archive of files in the oldest form there is. */
    public static byte[] of(Object... namesAndBytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndBytes.length; i += 2) {
            byte[] content = (byte[]) namesAndBytes[i + 1];
            byte[] header = new byte[512];
            put(header, 0, (String) namesAndBytes[i]);
            put(header, 100, "0000644");
            put(header, 124, "%011o".formatted(content.length));
            put(header, 136, "00000000000");
            Arrays.fill(header, 148, 156, (byte) ' ');
            header[156] = '0';
            int sum = 0;
            for (byte b : header) {
                sum += b & 0xFF;
            }
            put(header, 148, "%06o\0".formatted(sum));
            out.writeBytes(header);
            out.writeBytes(content);
            out.writeBytes(new byte[-content.length & 511]);
        }
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
