package io.penstock.image;

import io.penstock.fault.FormatException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The first frame of a GIF, on a canvas of the size of its screen. The canvas around the frame has the transparent
 * colour of the palette, or its first colour, as in Pillow. The JDK and OpenCV differ there, and the JDK does not read
 * every file: see docs/decisions.md.
 *
 * @see <a href="https://www.w3.org/Graphics/GIF/spec-gif89a.txt">GIF89a</a>
 */
final class GifPicture {

    private static final int[][] INTERLACED = {{0, 8}, {4, 8}, {2, 4}, {1, 2}}; // first row and step of each pass
    private static final int[][] IN_ORDER = {{0, 1}};

    private final ByteBuffer bytes;
    private final int limit;
    private int at;
    private int transparent;
    private int palette;
    private int colours;
    private int left;
    private int top;
    private int width;
    private int height;
    private boolean interlaced;

    /** Reads all blocks up to the data of the first frame. */
    private GifPicture(ByteBuffer bigEndian) {
        this.bytes = bigEndian.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.limit = bytes.limit();
        need(13, 0);
        at = 13;
        readPalette(unsigned(10), 10);
        while (true) {
            need(1, at);
            int block = unsigned(at++);
            if (block == 0x2C) {
                readDescriptor();
                return;
            } else if (block == 0x21) {
                readExtension();
            } else {
                throw new FormatException(
                        block == 0x3B
                                ? "GIF without a picture: it ends at byte " + (at - 1)
                                : "broken GIF: a block of unknown type %02X at byte %d".formatted(block, at - 1));
            }
        }
    }

    static Header readHeader(ByteBuffer bytes) {
        return new Header(Header.Format.GIF, new GifPicture(bytes).canvas(), 1);
    }

    /** The frame as red, green, blue bytes. */
    static byte[] decode(ByteBuffer bytes) {
        return new GifPicture(bytes).decode();
    }

    /** The screen, and more if the frame reaches over it. */
    private Size canvas() {
        return new Size(Math.max(word(8), top + height), Math.max(word(6), left + width));
    }

    private void readPalette(int flags, int where) {
        if ((flags & 0x80) != 0) {
            palette = at;
            colours = 2 << (flags & 7);
            need(colours * 3, where);
            at += colours * 3;
        }
    }

    private void readDescriptor() {
        need(9, at);
        left = word(at);
        top = word(at + 2);
        width = word(at + 4);
        height = word(at + 6);
        int flags = unsigned(at + 8);
        interlaced = (flags & 0x40) != 0;
        at += 9;
        readPalette(flags, at - 1);
        need(1, at);
    }

    private void readExtension() {
        need(2, at);
        if (unsigned(at) == 0xF9 && unsigned(at + 1) >= 4) {
            need(6, at);
            transparent = (unsigned(at + 2) & 1) != 0 ? unsigned(at + 5) : 0;
        }
        at++;
        for (int size = unsigned(at++); size > 0; size = unsigned(at++)) {
            need(size + 1, at);
            at += size;
        }
    }

    private byte[] decode() {
        byte[] indices = new byte[width * height];
        new GifLzw(bytes, at).decode(indices);
        byte[] rgb = colours();
        Size canvas = canvas();
        byte[] pixels = new byte[canvas.height() * canvas.width() * 3];
        fill(pixels, rgb);
        int from = 0;
        for (int[] pass : interlaced ? INTERLACED : IN_ORDER) {
            for (int row = pass[0]; row < height; row += pass[1], from += width) {
                int to = ((top + row) * canvas.width() + left) * 3;
                for (int x = 0; x < width; x++, to += 3) {
                    int colour = (indices[from + x] & 0xFF) * 3;
                    pixels[to] = rgb[colour];
                    pixels[to + 1] = rgb[colour + 1];
                    pixels[to + 2] = rgb[colour + 2];
                }
            }
        }
        return pixels;
    }

    /** 256 colours: the palette, then black; without a palette a ramp of greys. */
    private byte[] colours() {
        byte[] rgb = new byte[256 * 3];
        if (colours == 0) {
            for (int i = 0; i < rgb.length; i++) {
                rgb[i] = (byte) (i / 3);
            }
        } else {
            bytes.get(palette, rgb, 0, colours * 3);
        }
        return rgb;
    }

    private void fill(byte[] pixels, byte[] rgb) {
        for (int i = 0; i < pixels.length; i += 3) {
            System.arraycopy(rgb, transparent * 3, pixels, i, 3);
        }
    }

    private void need(int count, int where) {
        if (limit - at < count) {
            throw new FormatException(
                    "truncated GIF: the block at byte %d reaches over the end, %d bytes".formatted(where, limit));
        }
    }

    private int unsigned(int index) {
        return bytes.get(index) & 0xFF;
    }

    private int word(int index) {
        return bytes.getShort(index) & 0xFFFF;
    }
}
