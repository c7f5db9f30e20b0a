package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.penstock.fault.FormatException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import javax.imageio.ImageIO;
import org.junit.jupiter.params.provider.MethodSource;

/** TestPhotos whose headers say what they like. What the libraries make of their data is the libraries' business. */
class ImagesFuzzTest {

    private static final long MOST_PIXELS = 1 << 20;

    @MethodSource("pictures")
    @FuzzTest(maxDuration = "10m")
    void picture_ofAnyBytes_hasAHeaderWithinLimitsOrIsRefused(byte[] input) {
        byte[] bytes = input.clone();
        ByteBuffer picture = ByteBuffer.wrap(bytes);
        putChecksumsRight(bytes);
        try {
            Header header = Header.read(picture, MOST_PIXELS);
            Size size = header.size();
            assertThat((long) size.height() * size.width()).isBetween(1L, MOST_PIXELS);
            assertThat(header.orientation()).isBetween(1, 8);
            assertThat(header.denominator(new Size(10, 10))).isIn(1, 2, 4, 8);
            switch (header.format()) {
                case JPEG -> {
                    ByteBuffer plain = ByteBuffer.allocate(bytes.length + PlainSegments.MAX_ADDED);
                    PlainSegments.copy(picture, header.jpeg().colours(), plain);
                    assertThat(Header.read(plain.flip(), MOST_PIXELS).size()).isEqualTo(size);
                }
                case PNG -> {
                    ByteBuffer plain = ByteBuffer.allocate(bytes.length);
                    PngHeader.copyPixels(picture, plain);
                    assertThat(Header.read(plain.flip(), MOST_PIXELS).size()).isEqualTo(size);
                }
                case GIF -> assertThat(GifPicture.decode(picture)).hasSize(3 * size.height() * size.width());
                case BMP, WEBP -> assertThat(size).isNotNull();
            }
        } catch (FormatException refused) {
            assertThat(refused.getMessage()).isNotBlank();
        }
    }

    /** Of a PNG's chunks: what lies behind them is meant. */
    private static void putChecksumsRight(byte[] bytes) {
        ByteBuffer picture = ByteBuffer.wrap(bytes);
        if (picture.limit() < 8 || picture.getInt(0) != 0x89504E47) {
            return;
        }
        for (int at = 8; at <= picture.limit() - 12; ) {
            int length = picture.getInt(at);
            if (length < 0 || length > picture.limit() - at - 12) {
                return;
            }
            CRC32 crc = new CRC32();
            crc.update(bytes, at + 4, length + 4);
            picture.putInt(at + 8 + length, (int) crc.getValue());
            at += 12 + length;
        }
    }

    static Stream<byte[]> pictures() throws IOException {
        byte[] jpeg = written("jpg");
        byte[] exif =
                HexFormat.of().parseHex("ffe100224578696600004d4d002a00000008000101120003000000010006000000000000");
        byte[] turned = Arrays.copyOf(jpeg, jpeg.length + exif.length);
        System.arraycopy(exif, 0, turned, 2, exif.length);
        System.arraycopy(jpeg, 2, turned, 2 + exif.length, jpeg.length - 2);
        byte[] webp = HexFormat.of().parseHex("5249464616000000574542505650384c090000002f074000000000000000");
        return Stream.of(jpeg, turned, written("png"), written("gif"), written("bmp"), webp);
    }

    private static byte[] written(String format) throws IOException {
        BufferedImage image = new BufferedImage(8, 6, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 48; i++) {
            image.setRGB(i % 8, i / 8, i * 0x50709);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, bytes)).isTrue();
        return bytes.toByteArray();
    }
}
