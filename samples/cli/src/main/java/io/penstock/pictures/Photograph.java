package io.penstock.pictures;

import java.awt.Color;
import java.awt.GradientPaint;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.awt.image.DataBuffer;
import java.awt.image.DataBufferInt;
import java.awt.image.IndexColorModel;
import java.util.SplittableRandom;

/**
 * A made-up photograph of about 400 × 533 pixels: a lit background, shapes of its class, texture and grain, so that a
 * JPEG of it takes a decoder as long as one from a camera. The same number gives the same pixels everywhere.
 */
public final class Photograph {

    private static final int WIDTH = 533;
    private static final int HEIGHT = 400;
    private static final int VARIATION = 48;
    private static final int SHAPES = 24;
    private static final int GRAIN = 18;
    private static final float QUALITY = 0.85f;

    /** Shapes of this size in pixels, or more, are objects. */
    private static final double OBJECT = 95;

    /** The colours of a mask: black, then one for each object. */
    private static final IndexColorModel PALETTE = palette();

    private final SplittableRandom random;
    private final int label;
    private final BufferedImage image;
    private final BufferedImage mask;

    private Photograph(int number) {
        this.random = new SplittableRandom(0x70656E73746F636BL + number * 0x9E3779B97F4A7C15L);
        this.label = number % PictureFolder.CLASSES;
        this.image = new BufferedImage(
                WIDTH + random.nextInt(-VARIATION, VARIATION),
                HEIGHT + random.nextInt(-VARIATION, VARIATION),
                BufferedImage.TYPE_INT_RGB);
        this.mask = new BufferedImage(image.getWidth(), image.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, PALETTE);
        paint();
        grain();
    }

    /** The picture of a number; its class is the number's last digit. */
    public static Photograph of(int number) {
        return new Photograph(number);
    }

    private void paint() {
        Graphics2D canvas = image.createGraphics();
        Graphics2D marks = mask.createGraphics();
        int objects = 0;
        try {
            canvas.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            canvas.setPaint(new GradientPaint(0, 0, colour(0.9f), image.getWidth(), image.getHeight(), colour(0.3f)));
            canvas.fillRect(0, 0, image.getWidth(), image.getHeight());
            for (int i = 0; i < SHAPES; i++) {
                double x = random.nextDouble(image.getWidth());
                double y = random.nextDouble(image.getHeight());
                double size = 20 + random.nextDouble(110);
                canvas.setPaint(new GradientPaint(
                        (float) x, (float) y, colour(1), (float) (x + size), (float) (y + size), colour(0.5f)));
                java.awt.Shape shape = shape(x, y, size);
                canvas.fill(shape);
                marks.setColor(new Color(PALETTE.getRGB(size < OBJECT ? 0 : ++objects))); // covers what is behind it
                marks.fill(shape);
            }
        } finally {
            canvas.dispose();
            marks.dispose();
        }
    }

    private static IndexColorModel palette() {
        int[] colours = new int[1 + SHAPES];
        for (int i = 1; i < colours.length; i++) {
            colours[i] = Color.HSBtoRGB(i / (float) SHAPES, 0.8f, 1);
        }
        return new IndexColorModel(Byte.SIZE, colours.length, colours, 0, false, -1, DataBuffer.TYPE_BYTE);
    }

    private Color colour(float brightness) {
        float hue = label / (float) PictureFolder.CLASSES + (float) random.nextDouble(0.12);
        return Color.getHSBColor(hue, 0.3f + (float) random.nextDouble(0.5), brightness);
    }

    private java.awt.Shape shape(double x, double y, double size) {
        return switch (label % 3) {
            case 0 -> new Ellipse2D.Double(x, y, size, size * 0.8);
            case 1 -> new Rectangle2D.Double(x, y, size * 0.7, size);
            default -> star(x, y, size);
        };
    }

    private java.awt.Shape star(double x, double y, double size) {
        Path2D path = new Path2D.Double();
        int points = 2 * (3 + label);
        for (int i = 0; i < points; i++) {
            double radius = i % 2 == 0 ? size / 2 : size / 5;
            // quarter turns come from StrictMath, so that no two machines differ
            double angle = 2 * StrictMath.PI * i / points;
            double px = x + radius * StrictMath.cos(angle);
            double py = y + radius * StrictMath.sin(angle);
            if (i == 0) {
                path.moveTo(px, py);
            } else {
                path.lineTo(px, py);
            }
        }
        path.closePath();
        return path;
    }

    /** What a sensor adds, and what keeps a JPEG from being all zeros. */
    private void grain() {
        int[] pixels = ((DataBufferInt) image.getRaster().getDataBuffer()).getData();
        for (int i = 0; i < pixels.length; i++) {
            long dice = random.nextLong();
            int shift = (int) (dice & 63) % GRAIN - GRAIN / 2;
            pixels[i] = channel(pixels[i] >> 16, shift + (int) (dice >> 6 & 3)) << 16
                    | channel(pixels[i] >> 8, shift + (int) (dice >> 8 & 3)) << 8
                    | channel(pixels[i], shift + (int) (dice >> 10 & 3));
        }
    }

    private static int channel(int value, int shift) {
        return Math.max(0, Math.min(255, (value & 255) + shift));
    }

    public byte[] jpeg() {
        return PictureWriter.jpeg(image, QUALITY);
    }

    /** Which of the large shapes each pixel shows, from 1, or 0: a PNG file with a palette. */
    byte[] mask() {
        return PictureWriter.png(mask);
    }
}
