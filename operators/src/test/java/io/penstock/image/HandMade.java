package io.penstock.image;

import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;

/** Files put together byte by byte, for what no writer at hand writes. */
final class HandMade {

    static final int GREY = 0;
    static final int COLOUR = 2;
    static final int PALETTE = 3;
    static final int GREY_ALPHA = 4;
    static final int COLOUR_ALPHA = 6;

    private static final int[][] ADAM7 = {
        {0, 0, 8, 8}, {0, 4, 8, 8}, {4, 0, 8, 4}, {0, 2, 4, 4}, {2, 0, 4, 2}, {0, 1, 2, 2}, {1, 0, 2, 1}
    };

    private HandMade() {}

    /** A PNG of samples that are given one an element, without filters. */
    static Tensor png(int height, int width, int type, int bits, boolean interlaced, int[] samples, byte[]... chunks) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        int[][] passes = interlaced ? ADAM7 : new int[][] {{0, 0, 1, 1}};
        int channels = new int[] {1, 0, 3, 1, 2, 0, 4}[type];
        for (int[] pass : passes) {
            for (int y = pass[0]; y < height && pass[1] < width; y += pass[2]) {
                data.write(0);
                int held = 0;
                int buffer = 0;
                for (int x = pass[1]; x < width; x += pass[3]) {
                    for (int i = 0; i < channels; i++) {
                        buffer = buffer << bits | samples[(y * width + x) * channels + i];
                        for (held += bits; held >= 8; held -= 8) {
                            data.write(buffer >> held - 8);
                        }
                    }
                }
                if (held > 0) {
                    data.write(buffer << 8 - held);
                }
            }
        }
        ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height);
        header.put((byte) bits).put((byte) type).put((byte) 0).put((byte) 0).put((byte) (interlaced ? 1 : 0));
        return png(header.array(), deflated(data.toByteArray()), chunks);
    }

    /** A PNG of a header, any chunks, and compressed data. */
    static Tensor png(byte[] header, byte[] data, byte[]... chunks) {
        ByteArrayOutputStream file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
        file.writeBytes(chunk("IHDR", header));
        for (byte[] chunk : chunks) {
            file.writeBytes(chunk);
        }
        file.writeBytes(chunk("IDAT", data));
        file.writeBytes(chunk("IEND", new byte[0]));
        return Tensor.ofBytes(file.toByteArray());
    }

    static byte[] chunk(String name, byte[] content) {
        byte[] typed = ByteBuffer.allocate(content.length + 4)
                .put(name.getBytes(StandardCharsets.US_ASCII))
                .put(content)
                .array();
        CRC32 crc = new CRC32();
        crc.update(typed);
        return ByteBuffer.allocate(content.length + 12)
                .putInt(content.length)
                .put(typed)
                .putInt((int) crc.getValue())
                .array();
    }

    static byte[] deflated(byte[] bytes) {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (DeflaterOutputStream output = new DeflaterOutputStream(compressed)) {
            output.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return compressed.toByteArray();
    }

    /** A GIF of four colours (red, green, blue, white) on a screen of 4 x 3, that shows 2 x 2 of them at (1, 1). */
    static Tensor gif(int flags, int transparent, byte... codes) {
        ByteBuffer file = ByteBuffer.allocate(64 + codes.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put("GIF89a".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) 4)
                .putShort((short) 3);
        file.put((byte) 0x81).put((byte) 0).put((byte) 0);
        file.put(new byte[] {-1, 0, 0, 0, -1, 0, 0, 0, -1, -1, -1, -1});
        if (transparent >= 0) {
            file.put(new byte[] {0x21, (byte) 0xF9, 4, 1, 0, 0, (byte) transparent, 0});
        }
        file.put((byte) 0x2C)
                .putShort((short) 1)
                .putShort((short) 1)
                .putShort((short) 2)
                .putShort((short) 2);
        file.put((byte) flags)
                .put((byte) 2)
                .put((byte) codes.length)
                .put(codes)
                .put((byte) 0)
                .put((byte) 0x3B);
        byte[] bytes = new byte[file.position()];
        file.get(0, bytes);
        return Tensor.ofBytes(bytes);
    }

    /** A BMP of one bit a pixel, stored from the top, with blue and yellow for 0 and 1. */
    static Tensor bmp(int height, int width, byte... rows) {
        ByteBuffer file = ByteBuffer.allocate(62 + rows.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put((byte) 'B').put((byte) 'M').putInt(62 + rows.length).putInt(0).putInt(62);
        file.putInt(40).putInt(width).putInt(-height).putShort((short) 1).putShort((short) 1);
        file.putInt(0).putInt(rows.length).putInt(0).putInt(0).putInt(2).putInt(0);
        file.put(new byte[] {-1, 0, 0, 0, 0, -1, -1, 0}).put(rows);
        return Tensor.ofBytes(file.array());
    }
}
