package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.Tensor;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Decoding for a resize that follows. */
class ReducedDecodingTest {

    static List<ImageDecoder> decoders() {
        return List.of(ImageDecoder.jdk(), ImageDecoder.openCv());
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void decode_withAResize_isTheSameAsBothApart(ImageDecoder decoder) {
        Resize resize = Resize.shorterSide(64);
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(211, 301, 1));
        Tensor turned = TestPhotos.withSegment(jpeg, 0xE1, TestPhotos.exif(8));
        Tensor gif = TestPhotos.encode("gif", TestPhotos.image(TestPhotos.photo(80, 90, 1)));

        for (Tensor encoded : List.of(jpeg, turned, gif)) {
            assertThat(decoder.decode(encoded, resize)).isEqualTo(resize.apply(decoder.decode(encoded)));
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void decodeReduced_ofALargePhoto_isCloseToTheFullOne(ImageDecoder decoder) {
        Resize resize = Resize.exact(50, 60);
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(1003, 1201, 1));

        for (int orientation : new int[] {1, 4, 6}) {
            Tensor turned = TestPhotos.withSegment(jpeg, 0xE1, TestPhotos.exif(orientation));
            Tensor full = decoder.decode(turned, resize);
            Tensor reduced = decoder.decodeReduced(turned, resize);

            assertThat(reduced.shape()).isEqualTo(full.shape());
            assertThat(TestPhotos.meanDifference(reduced, full)).isLessThan(1);
            assertThat(TestPhotos.largestDifference(reduced, full)).isLessThan(8);
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void decodeReduced_ofAPhotoLessThanFourTimesAsLarge_isTheSame(ImageDecoder decoder) {
        Resize resize = Resize.exact(50, 60);
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(198, 239, 1));

        assertThat(decoder.decodeReduced(jpeg, resize)).isEqualTo(decoder.decode(jpeg, resize));
    }

    @Test
    void denominator_ofAJpeg_isLargestThatLeavesTwiceTheSize() {
        Tensor jpeg = TestPhotos.jpeg(TestPhotos.photo(801, 1003, 1));
        Tensor turned = TestPhotos.withSegment(jpeg, 0xE1, TestPhotos.exif(6));
        Tensor png = TestPhotos.encode("png", TestPhotos.image(TestPhotos.photo(80, 90, 1)));

        assertThat(denominator(jpeg, 202, 100)).isEqualTo(1);
        assertThat(denominator(jpeg, 200, 200)).isEqualTo(2);
        assertThat(denominator(jpeg, 100, 125)).isEqualTo(4);
        assertThat(denominator(jpeg, 1, 1)).isEqualTo(8);
        assertThat(denominator(turned, 60, 50)).isEqualTo(8);
        assertThat(denominator(png, 1, 1)).isEqualTo(1);
    }

    private static int denominator(Tensor encoded, int height, int width) {
        Header header = Header.read(encoded.data().order(ByteOrder.BIG_ENDIAN), Long.MAX_VALUE);
        return header.denominator(new Size(height, width));
    }
}
