package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.penstock.tensor.DType;
import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import java.awt.color.ColorSpace;
import java.awt.color.ICC_Profile;
import java.awt.image.BufferedImage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What both decoders must make of a sound image. */
class ImageDecoderTest {

    static List<ImageDecoder> decoders() {
        return List.of(ImageDecoder.jdk(), ImageDecoder.openCv());
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_ofGreys_showsThemInThreeChannels(ImageDecoder decoder) {
        for (int bits : new int[] {1, 2, 4, 8, 16}) {
            for (boolean interlaced : new boolean[] {false, true}) {
                int most = (1 << bits) - 1;
                int[] samples =
                        IntStream.range(0, 13 * 11).map(i -> i * 7919 & most).toArray();

                Tensor decoded = decoder.decode(HandMade.png(13, 11, HandMade.GREY, bits, interlaced, samples));

                assertThat(decoded.shape()).isEqualTo(Shape.of(13, 11, 3));
                for (int i = 0; i < decoded.byteSize(); i++) {
                    int grey = bits == 16 ? samples[i / 3] >> 8 : samples[i / 3] * 255 / most;
                    assertThat(decoded.longAt(i))
                            .as("%d bits, place %d", bits, i)
                            .isEqualTo(grey);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_ofColours_showsTheirUpperEightBits(ImageDecoder decoder) {
        for (int bits : new int[] {8, 16}) {
            int[] samples = IntStream.range(0, 13 * 11 * 3)
                    .map(i -> i * 7919 & (1 << bits) - 1)
                    .toArray();

            Tensor plain = decoder.decode(HandMade.png(13, 11, HandMade.COLOUR, bits, false, samples));
            Tensor interlaced = decoder.decode(HandMade.png(13, 11, HandMade.COLOUR, bits, true, samples));

            assertThat(interlaced).isEqualTo(plain);
            for (int i = 0; i < plain.byteSize(); i++) {
                assertThat(plain.longAt(i)).isEqualTo(samples[i] >> bits - 8);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_withAlpha_showsTheColourBelow(ImageDecoder decoder) {
        int[] samples = {10, 20, 30, 0, 40, 50, 60, 128};
        Tensor colour = HandMade.png(1, 2, HandMade.COLOUR_ALPHA, 8, false, samples);
        Tensor grey = HandMade.png(1, 4, HandMade.GREY_ALPHA, 8, false, samples);
        byte[] keyed = HandMade.chunk("tRNS", new byte[] {0, 10, 0, 20, 0, 30});
        Tensor key = HandMade.png(1, 1, HandMade.COLOUR, 8, false, new int[] {10, 20, 30}, keyed);

        assertThat(decoder.decode(colour)).isEqualTo(Tensor.ofBytes(new byte[] {10, 20, 30, 40, 50, 60}, 1, 2, 3));
        assertThat(decoder.decode(grey))
                .isEqualTo(Tensor.ofBytes(new byte[] {10, 10, 10, 30, 30, 30, 40, 40, 40, 60, 60, 60}, 1, 4, 3));
        assertThat(decoder.decode(key)).isEqualTo(Tensor.ofBytes(new byte[] {10, 20, 30}, 1, 1, 3));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_withAPalette_showsItsColours(ImageDecoder decoder) {
        for (int bits : new int[] {1, 2, 4, 8}) {
            byte[] colours = TestPhotos.noise(1 << bits, 1, 3, 5).toByteArray();
            int[] samples = IntStream.range(0, 9 * 10)
                    .map(i -> i * 31 & (1 << bits) - 1)
                    .toArray();
            byte[] palette = HandMade.chunk("PLTE", colours);
            byte[] alphas = HandMade.chunk("tRNS", new byte[] {0, 5});

            Tensor decoded =
                    decoder.decode(HandMade.png(9, 10, HandMade.PALETTE, bits, false, samples, palette, alphas));

            for (int i = 0; i < decoded.byteSize(); i++) {
                assertThat((byte) decoded.longAt(i)).isEqualTo(colours[samples[i / 3] * 3 + i % 3]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_withExif_isTurned(ImageDecoder decoder) {
        byte[] block = Arrays.copyOfRange(TestPhotos.exif(6), 6, 32); // without JPEG's prefix
        int[] samples = {1, 2, 3, 4, 5, 6};

        Tensor decoded =
                decoder.decode(HandMade.png(2, 3, HandMade.GREY, 8, false, samples, HandMade.chunk("eXIf", block)));

        assertThat(decoded)
                .isEqualTo(Tensor.ofBytes(new byte[] {4, 4, 4, 1, 1, 1, 5, 5, 5, 2, 2, 2, 6, 6, 6, 3, 3, 3}, 3, 2, 3));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void gif_ofNoise_isExact(ImageDecoder decoder) {
        Tensor indices = TestPhotos.noise(200, 150, 1, 3);
        BufferedImage image = new BufferedImage(150, 200, BufferedImage.TYPE_BYTE_INDEXED);
        image.getRaster().setDataElements(0, 0, 150, 200, indices.toByteArray());

        Tensor decoded = decoder.decode(TestPhotos.encode("gif", image));

        assertThat(decoded.shape()).isEqualTo(Shape.of(200, 150, 3));
        for (int i = 0; i < 200 * 150; i++) {
            int rgb = (int) (decoded.longAt(i * 3) << 16 | decoded.longAt(i * 3 + 1) << 8 | decoded.longAt(i * 3 + 2));
            assertThat(rgb).isEqualTo(image.getRGB(i % 150, i / 150) & 0xFFFFFF);
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void gif_smallerThanItsScreen_liesOnItsTransparentColour(ImageDecoder decoder) {
        // codes 4 (clear), 0, 1 and 3 of three bits, 2 and 5 (end) of four, from the lowest bit
        Tensor gif = HandMade.gif(0, 2, (byte) 0x44, (byte) 0x26, (byte) 0x05);

        Tensor decoded = decoder.decode(gif);

        byte[] blue = {0, 0, -1};
        assertThat(decoded.shape()).isEqualTo(Shape.of(3, 4, 3));
        assertThat(pixel(decoded, 0, 0)).isEqualTo(blue);
        assertThat(pixel(decoded, 1, 1)).isEqualTo(new byte[] {-1, 0, 0});
        assertThat(pixel(decoded, 1, 2)).isEqualTo(new byte[] {0, -1, 0});
        assertThat(pixel(decoded, 2, 1)).isEqualTo(new byte[] {-1, -1, -1});
        assertThat(pixel(decoded, 2, 2)).isEqualTo(blue);
        assertThat(pixel(decoded, 2, 3)).isEqualTo(blue);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void bmp_ofOneBitOrColours_isExact(ImageDecoder decoder) {
        Tensor picture = TestPhotos.noise(7, 5, 3, 9);

        Tensor colours = decoder.decode(TestPhotos.encode("bmp", TestPhotos.image(picture)));
        Tensor bits = decoder.decode(HandMade.bmp(
                2, 3, (byte) 0b10100000, (byte) 0, (byte) 0, (byte) 0, (byte) 0b01000000, (byte) 0, (byte) 0, (byte)
                        0));

        assertThat(colours).isEqualTo(picture);
        byte[] expected = {-1, -1, 0, 0, 0, -1, -1, -1, 0, 0, 0, -1, -1, -1, 0, 0, 0, -1};
        assertThat(bits).isEqualTo(Tensor.ofBytes(expected, 2, 3, 3));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofAPhoto_isCloseToIt(ImageDecoder decoder) {
        Tensor photo = TestPhotos.photo(123, 155, 1);

        Tensor baseline = decoder.decode(TestPhotos.jpeg(photo));
        Tensor progressive = decoder.decode(TestPhotos.progressiveJpeg(photo));

        assertThat(baseline.shape()).isEqualTo(photo.shape());
        assertThat(TestPhotos.meanDifference(baseline, photo)).isLessThan(4);
        assertThat(progressive).isEqualTo(baseline);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofGreys_showsThemInThreeChannels(ImageDecoder decoder) {
        BufferedImage image = new BufferedImage(40, 30, BufferedImage.TYPE_BYTE_GRAY);
        image.getRaster().setDataElements(0, 0, 40, 30, gradient(40 * 30));

        Tensor decoded = decoder.decode(TestPhotos.encode("jpeg", image));

        assertThat(decoded.shape()).isEqualTo(Shape.of(30, 40, 3));
        byte[] gradient = gradient(40 * 30);
        for (int i = 0; i < decoded.byteSize(); i++) {
            assertThat(decoded.longAt(i)).isCloseTo(gradient[i / 3] & 0xFF, within(12L));
            assertThat(decoded.longAt(i)).isEqualTo(decoded.longAt(i / 3 * 3));
        }
    }

    private static byte[] gradient(int length) {
        byte[] levels = new byte[length];
        for (int i = 0; i < length; i++) {
            levels[i] = (byte) (i * 250 / length);
        }
        return levels;
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofInks_isTheirInverseTimesBlack(ImageDecoder decoder) {
        byte[] inks = new byte[16 * 16 * 4];
        for (int i = 0; i < inks.length; i++) {
            inks[i] = (byte) new int[] {200, 100, 40, 180}[i % 4];
        }
        Tensor jpeg = TestPhotos.inkJpeg(Tensor.ofBytes(inks, 16, 16, 4));

        Tensor decoded = decoder.decode(jpeg);

        assertThat(TestPhotos.largestDifference(decoded, colour(200 * 180 / 255, 100 * 180 / 255, 40 * 180 / 255)))
                .isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofAdobesInks_isConvertedFirst(ImageDecoder decoder) {
        byte[] inks = new byte[16 * 16 * 4];
        for (int i = 0; i < inks.length; i++) {
            inks[i] = (byte) new int[] {100, 90, 170, 255}[i % 4];
        }
        Tensor jpeg = TestPhotos.inkJpeg(Tensor.ofBytes(inks, 16, 16, 4));
        byte[] adobe = {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 2};

        Tensor decoded = decoder.decode(TestPhotos.withSegment(jpeg, 0xEE, adobe));

        // JFIF's formula, of inverted inks: R = Y + 1.402 (Cr - 128), …
        int red = (int) (100 + 1.402 * 42);
        int green = (int) (100 - 0.344 * -38 - 0.714 * 42);
        int blue = (int) (100 + 1.772 * -38);
        assertThat(TestPhotos.largestDifference(decoded, colour(255 - red, 255 - green, 255 - blue)))
                .isLessThanOrEqualTo(3);
    }

    private static Tensor colour(int red, int green, int blue) {
        byte[] pixels = new byte[16 * 16 * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) new int[] {red, green, blue}[i % 3];
        }
        return Tensor.ofBytes(pixels, 16, 16, 3);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofEachOrientation_isTurned(ImageDecoder decoder) {
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(21, 34, 1));
        Tensor stored = decoder.decode(jpeg);

        for (int orientation = 1; orientation <= 8; orientation++) {
            Tensor turned = decoder.decode(TestPhotos.withSegment(jpeg, 0xE1, TestPhotos.exif(orientation)));

            int height = orientation < 5 ? 21 : 34;
            int width = orientation < 5 ? 34 : 21;
            assertThat(turned.shape()).isEqualTo(Shape.of(height, width, 3));
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    // TIFF 6.0: which stored row and column is seen at (y, x)
                    int[] from = switch (orientation) {
                        case 1 -> new int[] {y, x};
                        case 2 -> new int[] {y, 33 - x};
                        case 3 -> new int[] {20 - y, 33 - x};
                        case 4 -> new int[] {20 - y, x};
                        case 5 -> new int[] {x, y};
                        case 6 -> new int[] {20 - x, y};
                        case 7 -> new int[] {20 - x, 33 - y};
                        default -> new int[] {x, 33 - y};
                    };
                    assertThat(pixel(turned, y, x)).isEqualTo(pixel(stored, from[0], from[1]));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_withAProfile_keepsItsValues(ImageDecoder decoder) {
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(40, 50, 1));
        byte[] profile = ICC_Profile.getInstance(ColorSpace.CS_LINEAR_RGB).getData();
        ByteBuffer segment = ByteBuffer.allocate(14 + profile.length);
        segment.put("ICC_PROFILE\0".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put((byte) 1);
        segment.put(profile);

        Tensor decoded = decoder.decode(TestPhotos.withSegment(jpeg, 0xE2, segment.array()));

        assertThat(decoded).isEqualTo(decoder.decode(jpeg));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void bytes_offTheHeap_areDecodedAlike(ImageDecoder decoder) {
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(40, 50, 1));
        ByteBuffer direct = ByteBuffer.allocateDirect(jpeg.byteSize());
        jpeg.copyTo(direct, 0);

        Tensor decoded = decoder.decode(Tensor.of(DType.U8, jpeg.shape(), direct));

        assertThat(decoded).isEqualTo(decoder.decode(jpeg));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void tensor_thatIsNotBytes_isRefused(ImageDecoder decoder) {
        assertThatThrownBy(() -> decoder.decode(Tensor.ofInts(new int[] {1, 2})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot decode i32[2]: it takes the bytes of an image, u8[n]");
    }

    private static byte[] pixel(Tensor picture, int y, int x) {
        byte[] pixel = new byte[3];
        picture.copyTo((int) (y * picture.shape().dim(1) + x) * 3, pixel, 0, 3);
        return pixel;
    }
}
