package io.penstock.shard;

import io.penstock.store.StoreFile;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes tar archives byte by byte, right ones and wrong ones. */
final class TarMaker {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private String magic = "ustar\u000000";
    private String prefix = "";

    /** The eight bytes of magic and version of the headers to come: {@code "ustar  \0"} is GNU's, all zeros v7's. */
    TarMaker magic(String magic) {
        this.magic = magic;
        return this;
    }

    TarMaker prefix(String prefix) {
        this.prefix = prefix;
        return this;
    }

    TarMaker file(String name, String content) {
        return file(name, content.getBytes(StandardCharsets.UTF_8));
    }

    TarMaker file(String name, byte[] content) {
        return member('0', name, content.length, content);
    }

    /** A member that may claim another size than it has bytes. */
    TarMaker member(char type, String name, long size, byte[] content) {
        return raw(header(type, name, "%011o".formatted(size))).content(content);
    }

    TarMaker member(char type, String name, String content) {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        return member(type, name, bytes.length, bytes);
    }

    /** A header alone, with a valid checksum. */
    byte[] header(char type, String name, String size) {
        byte[] block = new byte[512];
        put(block, 0, name);
        put(block, 100, "0000644");
        put(block, 124, size);
        block[156] = (byte) type;
        put(block, 257, magic);
        put(block, 345, prefix);
        return summed(block);
    }

    static byte[] summed(byte[] block) {
        Arrays.fill(block, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xFF;
        }
        put(block, 148, "%06o\0 ".formatted(sum));
        return block;
    }

    static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }

    TarMaker pax(char type, String... records) {
        StringBuilder text = new StringBuilder();
        for (String record : records) {
            int length = record.getBytes(StandardCharsets.UTF_8).length + 2;
            int digits = String.valueOf(length).length();
            digits = String.valueOf(length + digits).length();
            text.append(length + digits).append(' ').append(record).append('\n');
        }
        return member(type, "PaxHeaders/x", text.toString());
    }

    TarMaker raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    TarMaker content(byte[] bytes) {
        out.writeBytes(bytes);
        out.writeBytes(new byte[-bytes.length & 511]);
        return this;
    }

    /** What has been written, without an end. */
    byte[] open() {
        return out.toByteArray();
    }

    byte[] bytes() {
        return Arrays.copyOf(out.toByteArray(), out.size() + 1024);
    }

    /** An archive in memory, for the scan. */
    static TarBytes tarBytes(byte[] archive) {
        return TarBytes.of(StoreFile.inMemory("memory:tar", "x.tar", archive));
    }
}
