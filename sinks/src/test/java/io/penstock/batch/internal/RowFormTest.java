package io.penstock.batch.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.tensor.Shape;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RowFormTest {

    @ParameterizedTest
    @CsvSource({
        "3, 224, 224, true",
        "1, 28, 28, true",
        "4, 5, 5, true",
        "224, 224, 3, false",
        "5, 5, 4, false",
        "3, 3, 3, false",
        "2, 8, 4, false",
        "16, 64, 64, false",
        "64, 64, 16, false"
    })
    void pictures_ofAnyShape_haveTheirChannelsFirstWhereOnlyThatCanBe(int a, int b, int c, boolean first) {
        assertThat(RowForm.isChannelsFirst(Shape.of(9, a, b, c))).isEqualTo(first);
    }

    @ParameterizedTest
    @CsvSource({"3, 224", "224, 3"})
    void pictures_withoutChannels_haveNoneFirst(int height, int width) {
        assertThat(RowForm.isChannelsFirst(Shape.of(9, height, width))).isFalse();
    }
}
