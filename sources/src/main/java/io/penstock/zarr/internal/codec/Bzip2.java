package io.penstock.zarr.internal.codec;

import io.penstock.pipeline.FormatException;
import java.util.Arrays;

/**
 * Reads bzip2 streams, one or several in a row. Here rather than from a library: the ones there are bring archives of
 * every kind and three libraries more for these two pages.
 * @see <a href="https://github.com/dsnet/compress/blob/master/doc/bzip2-format.pdf">a specification of the format</a>
 */
final class Bzip2 {

    private static final long BLOCK = 0x314159265359L;
    private static final long END = 0x177245385090L;
    private static final int LEVEL_BYTES = 100_000;
    private static final int GROUP = 50;
    private static final int LONGEST_CODE = 20;
    private static final int MOST_SYMBOLS = 258;
    private static final int[] CRC_TABLE = crcTable();

    private final byte[] in;
    private long at; // in bits
    private byte[] out = new byte[0];
    private int length;
    private int most;
    private int[] links = new int[0]; // of one block after the other: a stream without blocks has 14 bytes

    Bzip2(byte[] in) {
        this.in = in;
    }

    byte[] decode(int mostBytes) {
        most = mostBytes;
        do {
            stream();
            at = at + 7 & ~7L;
        } while (at / 8 < in.length);
        return length == out.length ? out : Arrays.copyOf(out, length);
    }

    private void stream() {
        int level = (int) (bits(8) == 'B' && bits(8) == 'Z' && bits(8) == 'h' ? bits(8) - '0' : -1);
        if (level < 1 || level > 9) {
            throw new FormatException("not a bzip2 stream at byte " + at / 8);
        }
        int combined = 0;
        while (true) {
            long magic = bits(24) << 24 | bits(24);
            int crc = (int) (bits(16) << 16 | bits(16));
            if (magic == END) {
                if (crc != combined) {
                    throw damaged("its checksum differs");
                }
                return;
            }
            if (magic != BLOCK) {
                throw damaged("no block begins there");
            }
            block(level * LEVEL_BYTES, crc);
            combined = (combined << 1 | combined >>> 31) ^ crc;
        }
    }

    private void block(int mostSymbols, int crc) {
        if (bits(1) != 0) {
            throw damaged("randomised blocks are not supported");
        }
        int origin = (int) bits(24);
        byte[] alphabet = alphabet();
        int tables = (int) bits(3);
        int selectors = (int) bits(15);
        if (tables < 2 || tables > 6 || selectors < 1) {
            throw damaged("has %d tables and %d selectors".formatted(tables, selectors));
        }
        byte[] chosen = selectors(tables, selectors);
        Huffman[] codes = new Huffman[tables];
        for (int i = 0; i < tables; i++) {
            codes[i] = new Huffman(lengths(alphabet.length + 2));
        }
        int[] counts = new int[257];
        int count = 0;
        long run = 0;
        long weight = 1;
        for (int symbols = 0; ; symbols++) {
            if (symbols / GROUP >= selectors) {
                throw damaged("has too few selectors");
            }
            int symbol = codes[chosen[symbols / GROUP]].next();
            if (symbol <= 1) {
                run += weight << symbol;
                weight <<= 1;
                if (run > mostSymbols) {
                    throw damaged("is longer than its level says");
                }
                continue;
            }
            int repeat = (int) run;
            boolean last = symbol == alphabet.length + 1;
            int added = repeat + (last ? 0 : 1);
            if (added > mostSymbols - count) {
                throw damaged("is longer than its level says");
            }
            if (count + added > links.length) {
                links = Arrays.copyOf(links, (int) Math.min(mostSymbols, Math.max(count + added, 2L * links.length)));
            }
            Arrays.fill(links, count, count + repeat, alphabet[0] & 0xFF);
            counts[(alphabet[0] & 0xFF) + 1] += repeat;
            count += repeat;
            run = 0;
            weight = 1;
            if (last) {
                break;
            }
            byte value = alphabet[symbol - 1];
            System.arraycopy(alphabet, 0, alphabet, 1, symbol - 1);
            alphabet[0] = value;
            links[count++] = value & 0xFF;
            counts[(value & 0xFF) + 1]++;
        }
        undoTransform(count, counts, origin);
        expand(count, origin, crc);
    }

    private byte[] alphabet() {
        int used = (int) bits(16);
        byte[] symbols = new byte[256];
        int count = 0;
        for (int i = 0; i < 16; i++) {
            if ((used >> 15 - i & 1) != 0) {
                int row = (int) bits(16);
                for (int j = 0; j < 16; j++) {
                    if ((row >> 15 - j & 1) != 0) {
                        symbols[count++] = (byte) (i * 16 + j);
                    }
                }
            }
        }
        if (count == 0) {
            throw damaged("uses no symbols");
        }
        return Arrays.copyOf(symbols, count);
    }

    private byte[] selectors(int tables, int count) {
        byte[] order = {0, 1, 2, 3, 4, 5};
        byte[] chosen = new byte[count];
        for (int i = 0; i < count; i++) {
            int place = 0;
            while (bits(1) != 0) {
                if (++place >= tables) {
                    throw damaged("selects a table it has not");
                }
            }
            byte table = order[place];
            System.arraycopy(order, 0, order, 1, place);
            order[0] = table;
            chosen[i] = table;
        }
        return chosen;
    }

    private byte[] lengths(int symbols) {
        byte[] lengths = new byte[symbols];
        int length = (int) bits(5);
        for (int i = 0; i < symbols; i++) {
            while (true) {
                if (length < 1 || length > LONGEST_CODE) {
                    throw damaged("has a code of %d bits".formatted(length));
                }
                if (bits(1) == 0) {
                    break;
                }
                length += bits(1) == 0 ? 1 : -1;
            }
            lengths[i] = (byte) length;
        }
        return lengths;
    }

    /** Makes each entry's upper bits the place of the one that follows it in the text. */
    private void undoTransform(int count, int[] counts, int origin) {
        if (count == 0 || origin >= count) {
            throw damaged("begins at %d of %d".formatted(origin, count));
        }
        for (int i = 1; i < counts.length; i++) {
            counts[i] += counts[i - 1];
        }
        for (int i = 0; i < count; i++) {
            links[counts[links[i] & 0xFF]++] |= i << 8;
        }
    }

    /** Follows the links, and undoes the runs: four equal bytes are followed by how many more there are. */
    private void expand(int count, int origin, int wanted) {
        int crc = -1;
        int link = links[origin] >>> 8;
        int same = 0;
        int before = -1;
        for (int i = 0; i < count; i++) {
            int value = links[link] & 0xFF;
            link = links[link] >>> 8;
            if (same == 4) {
                reserve(value);
                Arrays.fill(out, length, length + value, (byte) before);
                length += value;
                for (int j = 0; j < value; j++) {
                    crc = crc << 8 ^ CRC_TABLE[crc >>> 24 ^ before];
                }
                same = 0;
                before = -1;
            } else {
                same = value == before ? same + 1 : 1;
                before = value;
                reserve(1);
                out[length++] = (byte) value;
                crc = crc << 8 ^ CRC_TABLE[crc >>> 24 ^ value];
            }
        }
        if (~crc != wanted) {
            throw damaged("its checksum differs");
        }
    }

    private void reserve(int more) {
        if (more > most - length) {
            throw Compression.tooMany(most);
        }
        if (length + more > out.length) {
            out = Arrays.copyOf(out, (int) Math.min(most, Math.max(1024 + more, 2L * out.length)));
        }
    }

    /** The next bits, at most 24 of them, first the highest. */
    private long bits(int count) {
        if (at + count > 8L * in.length) {
            throw new FormatException(
                    "bytes are damaged: bzip2 stream ends early, after %d bytes".formatted(in.length));
        }
        int first = (int) (at >> 3);
        int window = 0;
        for (int i = 0; i < 4; i++) {
            window = window << 8 | (first + i < in.length ? in[first + i] & 0xFF : 0);
        }
        int value = window << (int) (at & 7) >>> 32 - count;
        at += count;
        return value;
    }

    private FormatException damaged(String why) {
        return new FormatException("bytes are damaged: bzip2 block before byte %d: %s".formatted(at / 8, why));
    }

    private static int[] crcTable() {
        int[] table = new int[256];
        for (int i = 0; i < table.length; i++) {
            int crc = i << 24;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc < 0 ? crc << 1 ^ 0x04C11DB7 : crc << 1;
            }
            table[i] = crc;
        }
        return table;
    }

    /** A canonical code, read bit by bit after a table of the short ones. */
    private final class Huffman {

        private final int[] limits = new int[LONGEST_CODE + 2]; // the first code behind those of a length
        private final int[] bases = new int[LONGEST_CODE + 2]; // what turns a code into a place among the symbols
        private final short[] symbols = new short[MOST_SYMBOLS];
        private final int count;

        Huffman(byte[] lengths) {
            int place = 0;
            int code = 0;
            for (int length = 1; length <= LONGEST_CODE; length++) {
                bases[length] = place - code;
                for (int symbol = 0; symbol < lengths.length; symbol++) {
                    if (lengths[symbol] == length) {
                        symbols[place++] = (short) symbol;
                        code++;
                    }
                }
                limits[length] = code;
                code <<= 1;
            }
            count = place;
        }

        int next() {
            int code = 0;
            for (int length = 1; length <= LONGEST_CODE; length++) {
                code = code << 1 | (int) bits(1);
                if (code < limits[length]) {
                    int place = code + bases[length];
                    if (place >= 0 && place < count) {
                        return symbols[place];
                    }
                }
            }
            throw damaged("has a code that stands for nothing");
        }
    }
}
