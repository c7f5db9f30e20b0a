package io.penstock.shard;

import java.nio.charset.StandardCharsets;

/**
 * One 512-byte header block of a tar archive, of any dialect: v7, ustar, pax, GNU, star.
 * @see <a href="https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06">POSIX, ustar</a>
 * @see <a href="https://www.gnu.org/software/tar/manual/html_node/Standard.html">GNU tar's formats</a>
 */
final class TarHeader {

    static final int BLOCK = 512;

    private static final int SIZE_AT = 124;
    private static final int CHECKSUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int MAGIC_AT = 257;
    private static final int PREFIX_AT = 345;
    private static final int STAR_AT = 508;
    private static final byte[] MAGIC = "ustar".getBytes(StandardCharsets.US_ASCII);

    private final byte[] block;

    TarHeader(byte[] block) {
        this.block = block;
    }

    /** Whether there are only zeros: the archive's end. */
    boolean isZero() {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the sum of all bytes is as it says; old archivers summed signed ones. */
    boolean sumsUp() {
        int unsigned = 0;
        int signed = 0;
        for (int i = 0; i < BLOCK; i++) {
            byte b = i >= CHECKSUM_AT && i < CHECKSUM_AT + 8 ? (byte) ' ' : block[i];
            unsigned += b & 0xFF;
            signed += b;
        }
        long stored = TarNumber.parse(block, CHECKSUM_AT, 8);
        return stored == unsigned || stored == signed;
    }

    char type() {
        return (char) (block[TYPE_AT] & 0xFF);
    }

    /** The size field, or {@link TarNumber#BAD}. */
    long size() {
        return TarNumber.parse(block, SIZE_AT, 12);
    }

    /** Its bytes as characters. */
    String name() {
        String name = text(block, 0, 100);
        String prefix = prefix();
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    /** GNU's headers have times where ustar has a prefix; star's a shorter prefix, then times. */
    private String prefix() {
        if (!hasMagic() || block[MAGIC_AT + 5] == ' ') {
            return "";
        }
        boolean star = block[STAR_AT] == 't' && block[STAR_AT + 1] == 'a' && block[STAR_AT + 2] == 'r';
        // xstar has zeros or digits after 131 bytes of prefix, and ends its times with a space or a zero
        boolean xstar = block[PREFIX_AT + 130] == 0
                && isOctal(block[PREFIX_AT + 131])
                && isOctal(block[PREFIX_AT + 143])
                && (block[PREFIX_AT + 142] == ' ' || block[PREFIX_AT + 142] == 0)
                && (block[PREFIX_AT + 154] == ' ' || block[PREFIX_AT + 154] == 0);
        return text(block, PREFIX_AT, star || xstar ? 131 : 155);
    }

    private static boolean isOctal(byte b) {
        return b >= '0' && b <= '7';
    }

    private boolean hasMagic() {
        for (int i = 0; i < MAGIC.length; i++) {
            if (block[MAGIC_AT + i] != MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    /** The bytes up to a zero as characters, each of one byte. */
    static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, from, end - from, StandardCharsets.ISO_8859_1);
    }
}
