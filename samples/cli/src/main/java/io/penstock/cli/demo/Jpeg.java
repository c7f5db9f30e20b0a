package io.penstock.cli.demo;

import io.penstock.pictures.JpegWriter;
import io.penstock.tensor.DType;
import io.penstock.tensor.Tensor;
import java.awt.image.BufferedImage;

/** Pixels as a file that browsers show. */
final class Jpeg {

    private static final float QUALITY = 0.8f;
    private static final int CHANNELS = 3;

    private Jpeg() {}

    /**
     * A baseline JPEG file.
     * @param pixels {@code u8[height, width, 3]}
     * @throws IllegalArgumentException if they are not
     */
    static byte[] of(Tensor pixels) {
        if (pixels.dtype() != DType.U8
                || pixels.shape().rank() != 3
                || pixels.shape().dim(2) != CHANNELS) {
            throw new IllegalArgumentException(
                    "a picture is u8[height, width, 3], was %s%s".formatted(pixels.dtype(), pixels.shape()));
        }
        return JpegWriter.encode(image(pixels), QUALITY);
    }

    private static BufferedImage image(Tensor pixels) {
        int height = Math.toIntExact(pixels.shape().dim(0));
        int width = Math.toIntExact(pixels.shape().dim(1));
        byte[] bytes = pixels.toByteArray();
        int[] packed = new int[height * width];
        for (int i = 0; i < packed.length; i++) {
            packed[i] = (bytes[CHANNELS * i] & 255) << 16
                    | (bytes[CHANNELS * i + 1] & 255) << 8
                    | bytes[CHANNELS * i + 2] & 255;
        }
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.getRaster().setDataElements(0, 0, width, height, packed);
        return image;
    }
}
