package io.penstock.pictures;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.MemoryCacheImageOutputStream;
import org.jspecify.annotations.Nullable;

/** Pictures as files, by the JDK's own writers. */
public final class PictureWriter {

    private PictureWriter() {}

    /** A PNG file, with the picture's palette. */
    public static byte[] png(BufferedImage image) {
        return encode("png", image, null);
    }

    /** A baseline JPEG file of a quality in {@code [0, 1]}. */
    public static byte[] jpeg(BufferedImage image, float quality) {
        return encode("jpeg", image, quality);
    }

    private static byte[] encode(String format, BufferedImage image, @Nullable Float quality) {
        ImageWriter writer = ImageIO.getImageWritersByFormatName(format).next();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1 << 14);
        try (MemoryCacheImageOutputStream out = new MemoryCacheImageOutputStream(bytes)) {
            ImageWriteParam parameters = null;
            if (quality != null) {
                parameters = writer.getDefaultWriteParam();
                parameters.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
                parameters.setCompressionQuality(quality);
            }
            writer.setOutput(out);
            writer.write(null, new IIOImage(image, null, null), parameters);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write a picture to memory", e);
        } finally {
            writer.dispose();
        }
        return bytes.toByteArray();
    }
}
