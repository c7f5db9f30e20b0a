package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.FormatException;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgcodecs;
import org.bytedeco.opencv.opencv_core.Mat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is no image, or no longer one, ends in a message that says so, whatever decodes. */
class BrokenImagesTest {

    private static final Tensor PHOTO = TestPhotos.photo(60, 70, 1);
    private static final Tensor JPEG = TestPhotos.jpeg(PHOTO);
    private static final Tensor PROGRESSIVE = TestPhotos.progressiveJpeg(PHOTO);
    private static final Tensor PNG = TestPhotos.encode("png", TestPhotos.image(PHOTO));
    private static final Tensor GIF = TestPhotos.encode("gif", TestPhotos.image(PHOTO));
    private static final Tensor BMP = TestPhotos.encode("bmp", TestPhotos.image(PHOTO));

    static List<ImageDecoder> decoders() {
        return List.of(ImageDecoder.jdk(), ImageDecoder.openCv());
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void bytes_ofNoImage_areNamed(ImageDecoder decoder) {
        assertThatDecoding(decoder, Tensor.utf8("<!DOCTYPE html>"))
                .hasMessage("not a JPEG, PNG, GIF, BMP or WebP image: starts with 3C 21 44 4F at byte 0");
        assertThatDecoding(decoder, Tensor.utf8("B"))
                .hasMessage("not a JPEG, PNG, GIF, BMP or WebP image: starts with 42 at byte 0");
        assertThatDecoding(decoder, Tensor.ofBytes(new byte[0])).hasMessage("not an image: it has no bytes");
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void files_cutOffAnywhere_areRefused(ImageDecoder decoder) {
        for (Tensor whole : List.of(JPEG, PROGRESSIVE, PNG, BMP)) {
            for (int length = 0; length < whole.byteSize(); length += 1 + length / 40) {
                assertThatDecoding(decoder, first(whole, length)).hasMessageMatching("(truncated|broken|not an?) .*");
            }
        }
        // behind the pixels a GIF's end is not looked at
        for (int length = 0; length < GIF.byteSize() * 9 / 10; length += 1 + length / 40) {
            assertThatDecoding(decoder, first(GIF, length)).hasMessageMatching("(truncated|broken|not an?) .*");
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void files_cutOff_sayHow(ImageDecoder decoder) {
        assertThatDecoding(decoder, first(JPEG, 700)).hasMessage("truncated JPEG: no end marker in 700 bytes");
        assertThatDecoding(decoder, first(JPEG, 100))
                .hasMessage("truncated JPEG: segment FFDB at byte 89 reaches over the end in 100 bytes");
        assertThatDecoding(decoder, first(PNG, 5000))
                .hasMessage("truncated PNG: chunk IDAT at byte 33 reaches over the end in 5000 bytes");
        assertThatDecoding(decoder, first(BMP, 5000))
                .hasMessage("truncated BMP: 60 x 70 pixels of 24 bits from byte 54 need 12720 bytes, has 5000");
        assertThatDecoding(decoder, first(GIF, 1500))
                .hasMessageStartingWith("broken GIF: the JDK cannot decode it, having read 1500 of 1500 bytes: ");
        // codes 4 (clear), 0 and 5 (end) of three bits: one pixel of four
        assertThatDecoding(decoder, HandMade.gif(0, -1, (byte) 0x44, (byte) 0x01))
                .hasMessageEndingWith("IIOException: its data ends in row 0 of 2");
        // codes 4 (clear), 0 and 7, which is not defined yet
        assertThatDecoding(decoder, HandMade.gif(0, -1, (byte) 0xC4, (byte) 0x01))
                .hasMessageEndingWith("IllegalStateException: Out-of-sequence code!");
    }

    /** As it would be with a heap of 256 MiB, which 16383 x 16383 pixels do not fit into. */
    @ParameterizedTest
    @MethodSource("decoders")
    void headers_claimingMoreThanTheHeap_areRefusedBeforeDecoding(ImageDecoder decoder) {
        short side = (short) 16383;
        Tensor gif = changed(
                GIF,
                bytes -> bytes.order(ByteOrder.LITTLE_ENDIAN).putShort(6, side).putShort(8, side));
        long limit = (256L << 20) / 8;

        assertThat(ImageDecoder.MAX_PIXELS)
                .isEqualTo(Math.min(1L << 28, Runtime.getRuntime().maxMemory() / 8));
        assertThatDecoding(decoder.maxPixels(limit), gif)
                .hasMessage("GIF image is too large: its header says 16383 x 16383 pixels, the limit is " + limit
                        + " pixels; raise maxPixels, or -Xmx");
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void headers_ofHugeImages_areRefusedBeforeDecoding(ImageDecoder decoder) {
        String tooLarge = " image is too large: its header says 65000 x 65000 pixels, the limit is "
                + ImageDecoder.MAX_PIXELS + " pixels; raise maxPixels, or -Xmx";
        short side = (short) 65000;
        int frame = indexOf(JPEG, 0xFF, 0xC0);
        Tensor jpeg = changed(JPEG, bytes -> bytes.putShort(frame + 5, side).putShort(frame + 7, side));
        Tensor png = bigPng(65000);
        Tensor gif = changed(
                GIF,
                bytes -> bytes.order(ByteOrder.LITTLE_ENDIAN).putShort(6, side).putShort(8, side));
        Tensor bmp = changed(
                BMP,
                bytes -> bytes.order(ByteOrder.LITTLE_ENDIAN).putInt(18, 65000).putInt(22, 65000));
        Tensor packed = changed(bmp, bytes -> bytes.put(30, (byte) 1)); // run-length encoded: no bound from its bytes

        assertThatDecoding(decoder, jpeg).hasMessage("JPEG" + tooLarge);
        assertThatDecoding(decoder, png).hasMessage("PNG" + tooLarge);
        assertThatDecoding(decoder, gif).hasMessage("GIF" + tooLarge);
        assertThatDecoding(decoder, bmp).hasMessageStartingWith("truncated BMP: 65000 x 65000 pixels of 24 bits");
        assertThatDecoding(decoder, packed).hasMessage("BMP" + tooLarge);
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void headers_ofMoreThanTheBytesCanHold_areRefusedBeforeDecoding(ImageDecoder decoder) {
        int frame = indexOf(JPEG, 0xFF, 0xC0);
        Tensor jpeg =
                changed(JPEG, bytes -> bytes.putShort(frame + 5, (short) 16000).putShort(frame + 7, (short) 16000));
        Tensor png = bigPng(16000);
        ImageDecoder unbounded = decoder.maxPixels(1L << 28);

        assertThatDecoding(unbounded, jpeg)
                .hasMessage("truncated JPEG: %d bytes cannot hold 16000 x 16000 pixels".formatted(jpeg.byteSize()));
        assertThatDecoding(unbounded, png)
                .hasMessage("truncated PNG: %d bytes cannot hold 16000 x 16000 pixels".formatted(png.byteSize()));
    }

    private static Tensor bigPng(int side) {
        ByteBuffer header = ByteBuffer.allocate(13).putInt(side).putInt(side).put(new byte[] {8, 2, 0, 0, 0});
        return HandMade.png(header.array(), HandMade.deflated(new byte[1000]));
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void limit_onPixels_canBeChanged(ImageDecoder decoder) {
        ImageDecoder strict = decoder.maxPixels(60 * 70 - 1);

        assertThatDecoding(strict, JPEG)
                .hasMessage("JPEG image is too large: its header says 60 x 70 pixels, the limit is 4199 pixels; raise"
                        + " maxPixels, or -Xmx");
        assertThat(decoder.maxPixels(60 * 70).decode(JPEG)).isEqualTo(decoder.decode(JPEG));
        assertThatThrownBy(() -> decoder.maxPixels(1L << 40))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("max pixels must be in [1, 715827861], was 1099511627776");
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void kinds_ofJpegThatAreNotSupported_areNamed(ImageDecoder decoder) {
        int frame = indexOf(JPEG, 0xFF, 0xC0);

        assertThatDecoding(decoder, changed(JPEG, bytes -> bytes.put(frame + 1, (byte) 0xC3)))
                .hasMessage("lossless JPEG is not supported: SOF3 with 8 bits a sample; convert it to 8-bit baseline");
        assertThatDecoding(
                        decoder,
                        changed(JPEG, bytes -> bytes.put(frame + 1, (byte) 0xC1).put(frame + 4, (byte) 12)))
                .hasMessage("deep JPEG is not supported: SOF1 with 12 bits a sample; convert it to 8-bit baseline");
        assertThatDecoding(decoder, changed(JPEG, bytes -> bytes.put(frame + 1, (byte) 0xC5)))
                .hasMessage(
                        "hierarchical JPEG is not supported: SOF5 with 8 bits a sample; convert it to 8-bit baseline");
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void jpeg_ofCountlessScans_isRefused(ImageDecoder decoder) {
        byte[] bytes = PROGRESSIVE.toByteArray();
        int scan = indexOf(PROGRESSIVE, 0xFF, 0xDA);
        ByteBuffer many = ByteBuffer.allocate(bytes.length + 5000).put(bytes, 0, bytes.length - 2);
        for (int i = 0; i < 110; i++) {
            many.put(bytes, scan, 14);
        }
        many.put((byte) 0xFF).put((byte) 0xD9);

        assertThatDecoding(decoder, Tensor.ofBytes(Arrays.copyOf(many.array(), many.position())))
                .hasMessage("JPEG has more than 100 scans");
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void png_withAWrongChecksum_isRefused(ImageDecoder decoder) {
        Tensor damaged = changed(PNG, bytes -> bytes.put(200, (byte) (bytes.get(200) + 1)));

        assertThatDecoding(decoder, damaged).hasMessageStartingWith("broken PNG: chunk IDAT at byte 33 has CRC ");
    }

    @Tag("repeated")
    @ParameterizedTest
    @MethodSource("decoders")
    void bytes_changedAtRandom_neverEndOtherwise(ImageDecoder decoder) {
        Random random = new Random(4);
        List<Tensor> files = List.of(JPEG, PROGRESSIVE, PNG, GIF, BMP, webp());
        Resize resize = Resize.exact(10, 10);
        ImageDecoder bounded = decoder.maxPixels(1 << 22);
        int cases = Boolean.getBoolean("penstock.endurance") ? 3000 : 600;
        int refused = 0;

        for (int i = 0; i < cases; i++) {
            byte[] bytes = files.get(i % files.size()).toByteArray();
            int changes = 1 + random.nextInt(4);
            int within = random.nextBoolean() ? Math.min(bytes.length, 800) : bytes.length; // headers above all
            for (int change = 0; change < changes; change++) {
                bytes[random.nextInt(within)] = (byte) random.nextInt();
            }
            Tensor damaged =
                    Tensor.ofBytes(random.nextInt(8) > 0 ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length)));
            try {
                assertThat(bounded.decode(damaged, resize).byteSize()).isEqualTo(300);
            } catch (FormatException e) {
                assertThat(e.getMessage()).isNotBlank();
                refused++;
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("no reader for WebP");
                refused++;
            }
        }

        assertThat(refused).isBetween(cases / 6, cases * 29 / 30);
    }

    @Test
    void webp_withTheJdk_namesWhatToAdd() {
        assertThatThrownBy(() -> ImageDecoder.jdk().decode(webp()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the JDK has no reader for WebP images; add org.bytedeco:javacpp:1.5.13,"
                        + " org.bytedeco:openblas:0.3.31-1.5.13, org.bytedeco:opencv:4.13.0-1.5.13,"
                        + " each also with classifier linux-x86_64");
    }

    @Test
    void webp_withOpenCv_isCloseToThePicture() {
        Tensor decoded = ImageDecoder.openCv().decode(webp());

        assertThat(decoded.shape()).isEqualTo(PHOTO.shape());
        assertThat(TestPhotos.meanDifference(decoded, PHOTO)).isLessThan(5);
        assertThatDecoding(ImageDecoder.openCv(), first(webp(), 200))
                .hasMessageStartingWith("truncated WebP: it says ");
        assertThatDecoding(ImageDecoder.openCv().maxPixels(4199), webp()).hasMessageContaining("too large");
    }

    private static Tensor webp() {
        ImageDecoder.openCv(); // loads the libraries, with its settings
        byte[] pixels = PHOTO.toByteArray();
        for (int i = 0; i < pixels.length; i += 3) { // OpenCV wants blue first
            byte red = pixels[i];
            pixels[i] = pixels[i + 2];
            pixels[i + 2] = red;
        }
        ImageDecoder.openCv(); // first: it lifts the limits of the library for the whole process
        try (BytePointer memory = new BytePointer(pixels);
                Mat image = new Mat(60, 70, opencv_core.CV_8UC3, memory);
                BytePointer name = new BytePointer(".webp", StandardCharsets.US_ASCII);
                BytePointer encoded = new BytePointer()) {
            opencv_imgcodecs.imencode(name, image, encoded);
            byte[] bytes = new byte[Math.toIntExact(encoded.limit())];
            encoded.get(bytes);
            return Tensor.ofBytes(bytes);
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertThatDecoding(
            ImageDecoder decoder, Tensor bytes) {
        return assertThatThrownBy(() -> decoder.decode(bytes)).isInstanceOf(FormatException.class);
    }

    private static Tensor first(Tensor whole, int length) {
        return Tensor.ofBytes(Arrays.copyOf(whole.toByteArray(), length));
    }

    private static Tensor changed(Tensor whole, Consumer<ByteBuffer> change) {
        byte[] bytes = whole.toByteArray();
        change.accept(ByteBuffer.wrap(bytes));
        return Tensor.ofBytes(bytes);
    }

    private static int indexOf(Tensor whole, int first, int second) {
        byte[] bytes = whole.toByteArray();
        for (int i = 0; i < bytes.length - 1; i++) {
            if (bytes[i] == (byte) first && bytes[i + 1] == (byte) second) {
                return i;
            }
        }
        throw new AssertionError("no such marker");
    }
}
