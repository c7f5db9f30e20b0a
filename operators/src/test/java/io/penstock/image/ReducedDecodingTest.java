package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
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
        Tensor jpeg = Pictures.jpeg(Pictures.photo(211, 301, 1));
        Tensor turned = Pictures.withSegment(jpeg, 0xE1, Pictures.exif(8));
        Tensor gif = Pictures.encode("gif", Pictures.image(Pictures.photo(80, 90, 1)));

        for (Tensor encoded : List.of(jpeg, turned, gif)) {
            assertThat(decoder.decode(encoded, resize)).isEqualTo(resize.apply(decoder.decode(encoded)));
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void decodeReduced_ofALargePhoto_isCloseToTheFullOne(ImageDecoder decoder) {
        Resize resize = Resize.exact(50, 60);
        Tensor jpeg = Pictures.jpeg(Pictures.photo(1003, 1201, 1));

        for (int orientation : new int[] {1, 4, 6}) {
            Tensor turned = Pictures.withSegment(jpeg, 0xE1, Pictures.exif(orientation));
            Tensor full = decoder.decode(turned, resize);
            Tensor reduced = decoder.decodeReduced(turned, resize);

            assertThat(reduced.shape()).isEqualTo(full.shape());
            assertThat(Pictures.meanDifference(reduced, full)).isLessThan(1);
            assertThat(Pictures.largestDifference(reduced, full)).isLessThan(8);
        }
    }

    @ParameterizedTest
    @MethodSource("decoders")
    void decodeReduced_ofAPhotoLessThanFourTimesAsLarge_isTheSame(ImageDecoder decoder) {
        Resize resize = Resize.exact(50, 60);
        Tensor jpeg = Pictures.jpeg(Pictures.photo(198, 239, 1));

        assertThat(decoder.decodeReduced(jpeg, resize)).isEqualTo(decoder.decode(jpeg, resize));
    }

    @Test
    void decodeAtLeast_withOpenCv_halvesWhileTwiceTheSizeIsLeft() {
        ImageDecoder decoder = ImageDecoder.openCv();
        Tensor jpeg = Pictures.jpeg(Pictures.photo(801, 1003, 1));
        Tensor turned = Pictures.withSegment(jpeg, 0xE1, Pictures.exif(6));
        Tensor png = Pictures.encode("png", Pictures.image(Pictures.photo(80, 90, 1)));

        assertThat(decoder.decodeAtLeast(jpeg, 202, 100).shape()).isEqualTo(Shape.of(801, 1003, 3));
        assertThat(decoder.decodeAtLeast(jpeg, 200, 200).shape()).isEqualTo(Shape.of(401, 502, 3));
        assertThat(decoder.decodeAtLeast(jpeg, 100, 125).shape()).isEqualTo(Shape.of(201, 251, 3));
        assertThat(decoder.decodeAtLeast(jpeg, 1, 1).shape()).isEqualTo(Shape.of(101, 126, 3));
        assertThat(decoder.decodeAtLeast(turned, 60, 50).shape()).isEqualTo(Shape.of(126, 101, 3));
        assertThat(decoder.decodeAtLeast(png, 1, 1).shape()).isEqualTo(Shape.of(80, 90, 3));
    }

    @Test
    void decodeAtLeast_withTheJdk_doesNotReduce() {
        Tensor jpeg = Pictures.jpeg(Pictures.photo(80, 100, 1));

        Tensor decoded = ImageDecoder.jdk().decodeAtLeast(jpeg, 1, 1);

        assertThat(decoded).isEqualTo(ImageDecoder.jdk().decode(jpeg));
    }

    @Test
    void decodeAtLeast_nothing_isRefused() {
        Tensor jpeg = Pictures.jpeg(Pictures.photo(80, 100, 1));

        assertThatThrownBy(() -> ImageDecoder.jdk().decodeAtLeast(jpeg, 0, 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("height and width must be at least 1, were 0 and 5");
    }
}
