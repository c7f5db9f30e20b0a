package io.penstock.image;

import io.penstock.fault.FormatException;
import io.penstock.image.internal.PixelRows;
import io.penstock.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.awt.image.Raster;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.Locale;
import java.util.function.Function;
import javax.imageio.IIOException;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.MemoryCacheImageInputStream;

/**
 * The JDK's readers. Returns samples as stored, without the colour conversions of {@code ImageIO.read}. Does not scale.
 */
final class JdkBackend implements Backend {

    @Override
    public String id() {
        return "jdk " + Runtime.version().feature();
    }

    @Override
    public boolean reduces() {
        return false;
    }

    @Override
    public Tensor decode(ByteBuffer encoded, Header header, int denominator, Function<PixelRows, Tensor> reader) {
        Size size = header.size();
        byte[] pixels = switch (header.format()) {
            case JPEG -> decodeJpeg(encoded, header);
            case PNG -> {
                ByteBuffer plain = ByteBuffer.allocate(encoded.limit());
                PngHeader.copyPixels(encoded, plain);
                yield decodeImage("png", plain.flip(), size);
            }
            case BMP -> decodeImage("bmp", copy(encoded), size);
            case GIF -> GifPicture.decode(encoded);
            case WEBP ->
                throw new IllegalStateException("the JDK has no reader for WebP images; " + ImageDecoder.HOW_TO_ADD);
        };
        return reader.apply(PixelRows.of(pixels, size.width() * 3, size.height(), size.width(), 3));
    }

    static ByteBuffer copy(ByteBuffer encoded) {
        return ByteBuffer.allocate(encoded.limit()).put(encoded.duplicate()).flip();
    }

    private static byte[] decodeJpeg(ByteBuffer encoded, Header header) {
        JpegLayout.Colours colours = header.jpeg().colours();
        boolean four = colours == JpegLayout.Colours.CMYK || colours == JpegLayout.Colours.YCCK;
        ByteBuffer plain = ByteBuffer.allocate(encoded.limit() + PlainSegments.MAX_ADDED);
        // a raster is read as stored, so the meaning of four components does not matter yet
        PlainSegments.copy(encoded, four ? JpegLayout.Colours.CMYK : colours, plain);
        if (!four) {
            return decodeImage("jpeg", plain.flip(), header.size());
        }
        return read("jpeg", plain.flip(), reader -> {
            Raster raster = reader.readRaster(0, null);
            check(raster.getWidth(), raster.getHeight(), header.size());
            return RasterSamples.ofInk(raster, colours == JpegLayout.Colours.YCCK);
        });
    }

    private static byte[] decodeImage(String format, ByteBuffer encoded, Size size) {
        return read(format, encoded, reader -> {
            BufferedImage image = reader.read(0);
            check(image.getWidth(), image.getHeight(), size);
            return RasterSamples.ofLight(image.getRaster(), image.getColorModel());
        });
    }

    private static void check(int width, int height, Size size) throws IIOException {
        if (width != size.width() || height != size.height()) {
            throw new IIOException("size is %s, header says %s".formatted(new Size(height, width), size));
        }
    }

    @FunctionalInterface
    interface Reading<T> {
        T apply(ImageReader reader) throws IOException;
    }

    static <T> T read(String format, ByteBuffer encoded, Reading<T> reading) {
        Iterator<ImageReader> readers = ImageIO.getImageReadersByFormatName(format);
        if (!readers.hasNext()) {
            throw new IllegalStateException(
                    "this JDK has no reader for %s images: it lacks the module java.desktop".formatted(format));
        }
        ImageReader reader = readers.next();
        ByteArrayInputStream bytes = new ByteArrayInputStream(encoded.array(), encoded.arrayOffset(), encoded.limit());
        try (MemoryCacheImageInputStream input = new MemoryCacheImageInputStream(bytes)) {
            try {
                reader.setInput(input, true, true);
                return reading.apply(reader);
            } catch (IOException | RuntimeException e) {
                // broken bytes make its readers throw many kinds of exceptions
                Throwable cause = e.getCause() == null ? e : e.getCause();
                throw new FormatException(
                        "broken %s: the JDK cannot decode it, having read %d of %d bytes: %s"
                                .formatted(
                                        format.toUpperCase(Locale.ROOT),
                                        input.getStreamPosition(),
                                        encoded.limit(),
                                        cause),
                        e);
            }
        } catch (IOException e) { // closes and tells its place without reading
            throw new UncheckedIOException(e);
        } finally {
            reader.dispose();
        }
    }
}
