package io.penstock.image;

import java.awt.image.ColorModel;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBufferByte;
import java.awt.image.IndexColorModel;
import java.awt.image.PixelInterleavedSampleModel;
import java.awt.image.Raster;

/** Turns the JDK's rasters into red, green and blue bytes, without its colour management. */
final class RasterSamples {

    private RasterSamples() {}

    /** The raster of an image of indices, greys or colours. Alpha is dropped; of 16 bits the upper 8 stay. */
    static byte[] ofLight(Raster raster, ColorModel colours) {
        if (colours instanceof IndexColorModel palette) {
            return ofIndices(raster, palette);
        }
        if (!(colours instanceof ComponentColorModel)) {
            return ofPacked(raster, colours);
        }
        if (raster.getSampleModel() instanceof PixelInterleavedSampleModel model
                && raster.getDataBuffer() instanceof DataBufferByte buffer
                && raster.getParent() == null) {
            return ofBytes(raster, model, buffer.getData());
        }
        int bands = raster.getNumBands();
        int shift = Math.max(0, colours.getComponentSize(0) - 8);
        int width = raster.getWidth();
        byte[] pixels = new byte[width * raster.getHeight() * 3];
        int[] row = new int[width * bands];
        for (int y = 0, to = 0; y < raster.getHeight(); y++) {
            raster.getPixels(0, y, width, 1, row);
            for (int from = 0; from < row.length; from += bands, to += 3) {
                for (int i = 0; i < 3; i++) {
                    pixels[to + i] = (byte) (row[from + (bands < 3 ? 0 : i)] >>> shift);
                }
            }
        }
        return pixels;
    }

    private static byte[] ofBytes(Raster raster, PixelInterleavedSampleModel model, byte[] data) {
        int width = raster.getWidth();
        int[] offsets = model.getBandOffsets();
        int red = offsets[0];
        int green = offsets[offsets.length < 3 ? 0 : 1];
        int blue = offsets[offsets.length < 3 ? 0 : 2];
        int step = model.getPixelStride();
        byte[] pixels = new byte[width * raster.getHeight() * 3];
        for (int y = 0, to = 0; y < raster.getHeight(); y++) {
            for (int x = 0, from = y * model.getScanlineStride(); x < width; x++, from += step, to += 3) {
                pixels[to] = data[from + red];
                pixels[to + 1] = data[from + green];
                pixels[to + 2] = data[from + blue];
            }
        }
        return pixels;
    }

    /** Indices beyond the palette are black, as in libpng. */
    private static byte[] ofIndices(Raster raster, IndexColorModel palette) {
        int[] argb = new int[Math.max(1 << palette.getPixelSize(), palette.getMapSize())];
        palette.getRGBs(argb);
        int width = raster.getWidth();
        byte[] pixels = new byte[width * raster.getHeight() * 3];
        int[] row = new int[width];
        for (int y = 0, to = 0; y < raster.getHeight(); y++) {
            raster.getSamples(0, y, width, 1, 0, row);
            for (int x = 0; x < width; x++, to += 3) {
                put(argb[row[x]], pixels, to);
            }
        }
        return pixels;
    }

    private static byte[] ofPacked(Raster raster, ColorModel colours) {
        int width = raster.getWidth();
        byte[] pixels = new byte[width * raster.getHeight() * 3];
        Object element = raster.getDataElements(0, 0, null);
        for (int y = 0, to = 0; y < raster.getHeight(); y++) {
            for (int x = 0; x < width; x++, to += 3) {
                element = raster.getDataElements(x, y, element);
                put(colours.getRGB(element), pixels, to);
            }
        }
        return pixels;
    }

    private static void put(int argb, byte[] pixels, int at) {
        pixels[at] = (byte) (argb >>> 16);
        pixels[at + 1] = (byte) (argb >>> 8);
        pixels[at + 2] = (byte) argb;
    }

    /**
     * The raster of four inks, stored inverted as Adobe does: the largest value is no ink.
     * @param ycc whether the first three are a brightness and two colour differences instead of inks
     */
    static byte[] ofInk(Raster raster, boolean ycc) {
        int width = raster.getWidth();
        byte[] pixels = new byte[width * raster.getHeight() * 3];
        int[] row = new int[width * 4];
        for (int y = 0, to = 0; y < raster.getHeight(); y++) {
            raster.getPixels(0, y, width, 1, row);
            for (int from = 0; from < row.length; from += 4, to += 3) {
                int first = row[from];
                int second = row[from + 1];
                int third = row[from + 2];
                int white = row[from + 3];
                if (ycc) { // ITU-R BT.601, full range, of inverted inks
                    double blue = second - 128;
                    double red = third - 128;
                    second = 255 - level(first - 0.344136 * blue - 0.714136 * red);
                    third = 255 - level(first + 1.772 * blue);
                    first = 255 - level(first + 1.402 * red);
                }
                pixels[to] = (byte) ((first * white + 127) / 255);
                pixels[to + 1] = (byte) ((second * white + 127) / 255);
                pixels[to + 2] = (byte) ((third * white + 127) / 255);
            }
        }
        return pixels;
    }

    private static int level(double value) {
        return (int) Math.max(0, Math.min(255, Math.round(value)));
    }
}
