package io.penstock.store.internal;

import io.penstock.fault.FormatException;
import java.util.Arrays;
import java.util.Locale;

/** What the first bytes of a file of lines say. */
public final class TextStart {

    /** Compressions by the bytes that their files begin with, which are no text or hardly one. */
    private enum Packed {
        GZIP("give it a name that ends in .gz, or decompress it by gzip -d", 0x1F, 0x8B),
        ZSTD("give it a name that ends in .zst, or decompress it by zstd -d", 0x28, 0xB5, 0x2F, 0xFD),
        BZIP2("decompress it by bzip2 -d, or compress it by gzip or zstd", 'B', 'Z', 'h'),
        XZ("decompress it by xz -d, or compress it by gzip or zstd", 0xFD, '7', 'z', 'X', 'Z', 0),
        LZ4("decompress it by lz4 -d, or compress it by gzip or zstd", 0x04, 0x22, 0x4D, 0x18);

        private final String cure;

        @SuppressWarnings("ImmutableEnumChecker") // nothing writes to it
        private final byte[] magic;

        Packed(String cure, int... magic) {
            this.cure = cure;
            this.magic = new byte[magic.length];
            for (int i = 0; i < magic.length; i++) {
                this.magic[i] = (byte) magic[i];
            }
        }

        /** Text may begin with the three letters of bzip2: a digit and the first byte of its first block follow there. */
        private boolean begins(byte[] bytes, int count) {
            return count >= magic.length
                    && Arrays.equals(bytes, 0, magic.length, magic, 0, magic.length)
                    && (this != BZIP2 || count > 9 && bytes[4] == 0x31 && bytes[5] == 0x41 && bytes[6] == 0x59);
        }
    }

    private TextStart() {}

    /**
     * How many of the first bytes are a byte order mark, which is left out.
     * @throws FormatException if the file is UTF-16, whose line feeds are two bytes, or compressed
     */
    public static int markBytes(byte[] bytes, int count, String name) {
        boolean little = count >= 2 && (bytes[0] & 0xFF) == 0xFF && (bytes[1] & 0xFF) == 0xFE;
        if (little || count >= 2 && (bytes[0] & 0xFF) == 0xFE && (bytes[1] & 0xFF) == 0xFF) {
            throw new FormatException(
                    "%s is UTF-16, not UTF-8: it starts with %02X %02X; convert it, as iconv -f UTF-16 -t UTF-8 does"
                            .formatted(name, bytes[0], bytes[1]));
        }
        for (Packed packed : Packed.values()) {
            if (packed.begins(bytes, count)) {
                throw new FormatException("%s is compressed in %s, which its name does not say: %s"
                        .formatted(name, packed.name().toLowerCase(Locale.ROOT), packed.cure));
            }
        }
        boolean marked =
                count >= 3 && (bytes[0] & 0xFF) == 0xEF && (bytes[1] & 0xFF) == 0xBB && (bytes[2] & 0xFF) == 0xBF;
        return marked ? 3 : 0;
    }
}
