package io.penstock.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.tensor.Shape;
import io.penstock.tensor.Tensor;
import org.junit.jupiter.api.Test;

class CentreCropTest {

    @Test
    void crop_ofALargerPicture_takesTheMiddle() {
        Tensor picture = TestPhotos.noise(9, 12, 3, 1);

        Tensor cropped = CentreCrop.of(4, 6).apply(picture);

        assertThat(cropped.shape()).isEqualTo(Shape.of(4, 6, 3));
        for (int i = 0; i < cropped.byteSize(); i++) {
            int y = i / 18 + 2;
            int x = i / 3 % 6 + 3;
            assertThat(cropped.longAt(i)).isEqualTo(picture.longAt((y * 12 + x) * 3 + i % 3));
        }
    }

    @Test
    void crop_ofASmallerPicture_isRefused() {
        Tensor picture = TestPhotos.noise(300, 200, 3, 1);

        assertThatThrownBy(() -> CentreCrop.of(224, 224).apply(picture))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("cannot crop 224 x 224 pixels from the middle of u8[300, 200, 3]; resize it before");
    }

    @Test
    void size_lessThanOne_isRefused() {
        assertThatThrownBy(() -> CentreCrop.of(3, 0))
                .hasMessage("height and width must be in [1, 65535], were 3 and 0");
    }

    @Test
    void name_ofAnyCrop_tellsTheSize() {
        assertThat(CentreCrop.of(200, 224)).hasToString("crop the middle 200 x 224");
    }
}
