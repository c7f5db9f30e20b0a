package io.penstock.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShapeTest {

    @Test
    void elements_ofAxes_isTheirProduct() {
        assertThat(Shape.of(2, 3, 4).elements()).isEqualTo(24);
        assertThat(Shape.of(2, 0, 4).elements()).isZero();
        assertThat(Shape.SCALAR.elements()).isEqualTo(1);
    }

    @Test
    void prependAndDropFirst_areInverse() {
        Shape image = Shape.of(224, 200, 3);

        Shape batch = image.prepend(64);

        assertThat(batch).isEqualTo(Shape.of(64, 224, 200, 3)).hasToString("[64, 224, 200, 3]");
        assertThat(batch.dropFirst()).isEqualTo(image);
        assertThat(Shape.of(7).dropFirst()).isSameAs(Shape.SCALAR);
    }

    @Test
    void of_moreElementsThanALongHolds_isRefused() {
        assertThatThrownBy(() -> Shape.of(1L << 32, 1L << 32))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2^63 elements: [4294967296, 4294967296]");
        assertThatThrownBy(() -> Shape.of(1L << 31, 1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Shape.of(1L << 30, 1L << 32).elements()).isEqualTo(1L << 62);
    }

    @Test
    void of_negativeLength_isRefused() {
        assertThatThrownBy(() -> Shape.of(3, -1)).hasMessage("axis length must not be negative: [3, -1]");
    }

    @Test
    void of_callersArray_isCopied() {
        long[] dims = {2, 3};
        Shape shape = Shape.of(dims);

        dims[0] = 99;
        shape.toArray()[1] = 99;

        assertThat(shape).isEqualTo(Shape.of(2, 3));
    }
}
