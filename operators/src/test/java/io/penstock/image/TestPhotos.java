package io.penstock.image;

import io.penstock.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/** TestPhotos for tests, and their encodings by the JDK. */
final class TestPhotos {

    private TestPhotos() {}

    /** Waves with some noise: as smooth as a photograph, and no two places alike. */
    static Tensor photo(int height, int width, long seed) {
        Random random = new Random(seed);
        byte[] pixels = new byte[height * width * 3];
        for (int i = 0; i < pixels.length; i++) {
            int y = i / 3 / width;
            int x = i / 3 % width;
            double wave = Math.sin(x / 17.0 + i % 3) + Math.cos(y / 23.0 - i % 3) + Math.sin((x + 2.0 * y) / 41);
            pixels[i] = (byte) Math.max(0, Math.min(255, 128 + 38 * wave + random.nextGaussian() * 4));
        }
        return Tensor.ofBytes(pixels, height, width, 3);
    }

    /** Every value equally often, and nothing smooth. */
    static Tensor noise(int height, int width, int channels, long seed) {
        byte[] pixels = new byte[height * width * channels];
        new Random(seed).nextBytes(pixels);
        return Tensor.ofBytes(pixels, height, width, channels);
    }

    static Tensor jpeg(Tensor picture) {
        return encode("jpeg", image(picture));
    }

    static Tensor progressiveJpeg(Tensor picture) {
        return encode("jpeg", new IIOImage(image(picture), null, null), true);
    }

    /** A JPEG of four components without a word on what they mean. */
    static Tensor inkJpeg(Tensor picture) {
        int height = (int) picture.shape().dim(0);
        int width = (int) picture.shape().dim(1);
        WritableRaster raster = Raster.createInterleavedRaster(0, width, height, 4, null);
        for (int i = 0; i < height * width * 4; i++) {
            raster.setSample(i / 4 % width, i / 4 / width, i % 4, (int) picture.longAt(i));
        }
        return encode("jpeg", new IIOImage(raster, null, null), false);
    }

    static Tensor encode(String format, BufferedImage image) {
        return encode(format, new IIOImage(image, null, null), false);
    }

    private static Tensor encode(String format, IIOImage image, boolean progressive) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        try (ImageOutputStream output = ImageIO.createImageOutputStream(bytes)) {
            writer.setOutput(output);
            ImageWriteParam parameters = writer.getDefaultWriteParam();
            if (progressive) {
                parameters.setProgressiveMode(ImageWriteParam.MODE_DEFAULT);
            }
            writer.write(null, image, parameters);
            output.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            writer.dispose();
        }
        return Tensor.ofBytes(bytes.toByteArray());
    }

    static BufferedImage image(Tensor picture) {
        int height = (int) picture.shape().dim(0);
        int width = (int) picture.shape().dim(1);
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < height * width; i++) {
            int rgb = (int) (picture.longAt(i * 3) << 16 | picture.longAt(i * 3 + 1) << 8 | picture.longAt(i * 3 + 2));
            image.setRGB(i % width, i / width, rgb);
        }
        return image;
    }

    /** A JPEG with one more segment right behind its start. */
    static Tensor withSegment(Tensor jpeg, int marker, byte[] content) {
        byte[] bytes = jpeg.toByteArray();
        ByteBuffer longer = ByteBuffer.allocate(bytes.length + content.length + 4);
        longer.put(bytes, 0, 2).put((byte) 0xFF).put((byte) marker).putShort((short) (content.length + 2));
        longer.put(content).put(bytes, 2, bytes.length - 2);
        return Tensor.ofBytes(longer.array());
    }

    /** An EXIF block that says nothing but an orientation, big-endian. */
    static byte[] exif(int orientation) {
        return ByteBuffer.allocate(32)
                .put(new byte[] {'E', 'x', 'i', 'f', 0, 0, 'M', 'M'})
                .putShort((short) 42)
                .putInt(8)
                .putShort((short) 1)
                .putShort((short) 0x0112)
                .putShort((short) 3)
                .putInt(1)
                .putShort((short) orientation)
                .array();
    }

    /** The largest difference of two pictures' values. */
    static int largestDifference(Tensor one, Tensor other) {
        int largest = 0;
        for (int i = 0; i < one.byteSize(); i++) {
            largest = Math.max(largest, (int) Math.abs(one.longAt(i) - other.longAt(i)));
        }
        return largest;
    }

    static double meanDifference(Tensor one, Tensor other) {
        double sum = 0;
        for (int i = 0; i < one.byteSize(); i++) {
            sum += Math.abs(one.longAt(i) - other.longAt(i));
        }
        return sum / one.byteSize();
    }
}
