package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import io.penstock.vision.Mask;
import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class StoredNumbersTest {

    private static final ImageDecoder DECODER = ImageDecoder.jdk();

    private static Tensor encoded(String format, BufferedImage image) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, bytes)).isTrue();
        return Tensor.ofBytes(bytes.toByteArray());
    }

    private static BufferedImage filled(BufferedImage image, int... values) {
        image.getRaster().setPixels(0, 0, image.getWidth(), image.getHeight(), values);
        return image;
    }

    @Test
    void palette_ofAPng_staysItsIndices() throws IOException {
        byte[] shades = {0, 70, 80, 90, 100, 110};
        for (int bits : new int[] {8, 4}) {
            IndexColorModel palette = new IndexColorModel(bits, 6, shades, shades, new byte[6]);
            int type = bits == 8 ? BufferedImage.TYPE_BYTE_INDEXED : BufferedImage.TYPE_BYTE_BINARY;
            BufferedImage image = filled(new BufferedImage(3, 2, type, palette), 5, 0, 1, 2, 3, 4);

            Tensor stored = DECODER.decodeStored(encoded("png", image));

            assertThat(stored).isEqualTo(Tensor.ofBytes(new byte[] {5, 0, 1, 2, 3, 4}, 2, 3));
            assertThat(DECODER.decode(encoded("png", image)).longAt(0)).isEqualTo(110);
        }
    }

    @Test
    void sixteenBits_ofPngAndTiff_stay() throws IOException {
        BufferedImage image = filled(new BufferedImage(2, 2, BufferedImage.TYPE_USHORT_GRAY), 0, 258, 40_000, 65_535);

        for (String format : new String[] {"png", "tiff"}) {
            Tensor stored = DECODER.decodeStored(encoded(format, image));

            assertThat(stored.dtype()).isEqualTo(DType.U16);
            assertThat(stored.shape()).isEqualTo(Shape.of(2, 2));
            assertThat(new long[] {stored.longAt(0), stored.longAt(1), stored.longAt(2), stored.longAt(3)})
                    .containsExactly(0, 258, 40_000, 65_535);
        }
    }

    @Test
    void colours_areSeveralChannels() throws IOException {
        BufferedImage image = filled(new BufferedImage(2, 1, BufferedImage.TYPE_3BYTE_BGR), 1, 2, 3, 4, 5, 6);

        assertThat(DECODER.decodeStored(encoded("png", image)))
                .isEqualTo(Tensor.ofBytes(new byte[] {1, 2, 3, 4, 5, 6}, 1, 2, 3));
    }

    @Test
    void brokenAndOtherImages_areRefused() throws IOException {
        Tensor tiff = encoded("tiff", new BufferedImage(40, 40, BufferedImage.TYPE_BYTE_GRAY));
        Tensor jpeg = encoded("jpg", new BufferedImage(8, 8, BufferedImage.TYPE_3BYTE_BGR));
        Tensor half = Tensor.ofBytes(Arrays.copyOf(tiff.toByteArray(), 30));

        assertThatThrownBy(() -> DECODER.maxPixels(100).decodeStored(tiff))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("it has 1600 pixels, the limit is 100");
        assertThatThrownBy(() -> DECODER.decodeStored(half)).isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> DECODER.decodeStored(Tensor.ofBytes(new byte[0])))
                .hasMessage("not an image: it has no bytes");
        assertThatThrownBy(() -> DECODER.decodeStored(jpeg))
                .hasMessage("a JPEG stores no masks or depths; write them as PNG or TIFF");
    }

    @Test
    void mask_resized_hasNoClassThatWasNotThere() {
        byte[] classes = new byte[30 * 20];
        for (int i = 0; i < classes.length; i++) {
            classes[i] = (byte) (i % 3 == 0 ? 200 : 7);
        }

        Mask resized = Resize.exact(13, 41).apply(new Mask(Tensor.ofBytes(classes, 30, 20)));

        assertThat(resized.tensor().shape()).isEqualTo(Shape.of(13, 41));
        for (int i = 0; i < 13 * 41; i++) {
            assertThat(resized.tensor().longAt(i)).isIn(7L, 200L);
        }
    }
}
