package io.penstock.image;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.imageio.IIOException;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadUpdateListener;
import javax.imageio.metadata.IIOMetadataNode;
import org.w3c.dom.Element;

/**
 * The first frame of a GIF as the JDK reads it, on a canvas of the size of its screen. The canvas around the frame has
 * the transparent colour of the palette, or its first colour; without a palette the indices are greys: as in Pillow.
 *
 * @see <a href="https://www.w3.org/Graphics/GIF/spec-gif89a.txt">GIF89a</a>
 */
final class GifPicture {

    private final ImageReader reader;
    private final ByteBuffer bytes;
    private final IIOMetadataNode blocks;
    private final int left;
    private final int top;

    /** Reads all blocks up to the data of the first frame. */
    private GifPicture(ImageReader reader, ByteBuffer bytes) throws IOException {
        this.reader = reader;
        this.bytes = bytes;
        this.blocks = (IIOMetadataNode) reader.getImageMetadata(0).getAsTree("javax_imageio_gif_image_1.0");
        this.left = number("ImageDescriptor", "imageLeftPosition");
        this.top = number("ImageDescriptor", "imageTopPosition");
    }

    static Header readHeader(ByteBuffer bytes) {
        Size size = JdkBackend.read("gif", JdkBackend.copy(bytes), reader -> new GifPicture(reader, bytes).canvas());
        return new Header(Header.Format.GIF, size, 1);
    }

    /** The frame as red, green, blue bytes. */
    static byte[] decode(ByteBuffer bytes) {
        return JdkBackend.read("gif", JdkBackend.copy(bytes), reader -> new GifPicture(reader, bytes).decode());
    }

    /** The screen, and more if the frame reaches over it. */
    private Size canvas() throws IOException {
        int height = Short.toUnsignedInt(Short.reverseBytes(bytes.getShort(8)));
        int width = Short.toUnsignedInt(Short.reverseBytes(bytes.getShort(6)));
        return new Size(Math.max(height, top + reader.getHeight(0)), Math.max(width, left + reader.getWidth(0)));
    }

    private byte[] decode() throws IOException {
        reader.getImageTypes(0); // warns of a missing palette, which is no damage; later warnings are
        reader.addIIOReadWarningListener((source, warning) -> {
            throw new IllegalStateException(warning);
        });
        Rows rows = new Rows();
        reader.addIIOReadUpdateListener(rows);
        BufferedImage image = reader.read(0);
        if (rows.read < image.getHeight()) {
            throw new IIOException("its data ends in row %d of %d".formatted(rows.read, image.getHeight()));
        }
        boolean palette = (bytes.get(10) & 0x80) != 0
                || blocks.getElementsByTagName("LocalColorTable").getLength() > 0;
        IndexColorModel colours = palette ? (IndexColorModel) image.getColorModel() : greys();
        byte[] frame = RasterSamples.ofLight(image.getRaster(), colours);
        Size canvas = canvas();
        return canvas.equals(new Size(image.getHeight(), image.getWidth()))
                ? frame
                : placed(frame, image.getWidth() * 3, canvas, background(colours));
    }

    private byte[] placed(byte[] frame, int row, Size canvas, int background) {
        byte[] pixels = new byte[canvas.height() * canvas.width() * 3];
        for (int i = 0; i < pixels.length; i += 3) {
            pixels[i] = (byte) (background >>> 16);
            pixels[i + 1] = (byte) (background >>> 8);
            pixels[i + 2] = (byte) background;
        }
        for (int from = 0, y = top; from < frame.length; from += row, y++) {
            System.arraycopy(frame, from, pixels, (y * canvas.width() + left) * 3, row);
        }
        return pixels;
    }

    private int background(IndexColorModel colours) {
        boolean named = "TRUE".equals(text("GraphicControlExtension", "transparentColorFlag"));
        int index = named ? number("GraphicControlExtension", "transparentColorIndex") : 0;
        return index < colours.getMapSize() ? colours.getRGB(index) : 0;
    }

    private static IndexColorModel greys() {
        byte[] levels = new byte[256];
        for (int i = 0; i < levels.length; i++) {
            levels[i] = (byte) i;
        }
        return new IndexColorModel(8, levels.length, levels, levels, levels);
    }

    private int number(String block, String attribute) {
        return Integer.parseInt(text(block, attribute));
    }

    private String text(String block, String attribute) {
        return ((Element) blocks.getElementsByTagName(block).item(0)).getAttribute(attribute);
    }

    /** Counts rows, since the reader returns a picture whose data ends early as a whole one. Stops behind the last. */
    private static final class Rows implements IIOReadUpdateListener {

        private int read;

        @Override
        public void imageUpdate(
                ImageReader reader, BufferedImage image, int x, int y, int w, int h, int dx, int dy, int[] bands) {
            if (++read == image.getHeight()) {
                reader.abort();
            }
        }

        @Override
        public void passStarted(
                ImageReader reader,
                BufferedImage image,
                int pass,
                int from,
                int to,
                int x,
                int y,
                int dx,
                int dy,
                int[] bands) {}

        @Override
        public void passComplete(ImageReader reader, BufferedImage image) {}

        @Override
        public void thumbnailPassStarted(
                ImageReader reader,
                BufferedImage image,
                int pass,
                int from,
                int to,
                int x,
                int y,
                int dx,
                int dy,
                int[] bands) {}

        @Override
        public void thumbnailUpdate(
                ImageReader reader, BufferedImage image, int x, int y, int w, int h, int dx, int dy, int[] bands) {}

        @Override
        public void thumbnailPassComplete(ImageReader reader, BufferedImage image) {}
    }
}
