package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MovingMeanTest {

    private final MovingMean mean = new MovingMean(100, 200);

    private void record(long measured, int times) {
        for (int i = 0; i < times; i++) {
            mean.record(measured);
        }
    }

    @Test
    void mean_beforeAnyMeasurement_isZeroAndNotHigh() {
        assertThat(mean.value()).isZero();
        assertThat(mean.isHigh()).isFalse();
    }

    @Test
    void mean_ofEqualMeasurements_comesNearThem() {
        record(150, 30);

        assertThat(mean.value()).isBetween(145L, 150L);
        assertThat(mean.isHigh()).isFalse();
    }

    @Test
    void isHigh_betweenTheThresholds_stays() {
        record(300, 30);
        assertThat(mean.isHigh()).isTrue();

        record(150, 30);
        assertThat(mean.isHigh()).isTrue();

        record(50, 30);
        assertThat(mean.isHigh()).isFalse();

        record(150, 30);
        assertThat(mean.isHigh()).isFalse();
    }

    @Test
    void isHigh_afterOneOutlier_stays() {
        record(10, 30);

        mean.record(Long.MAX_VALUE);

        assertThat(mean.isHigh()).isFalse();
        assertThat(mean.value()).isLessThanOrEqualTo(110);
    }

    @Test
    void value_ofMeasurementsOfZero_isOne() {
        record(0, 3);

        assertThat(mean.value()).isOne();
    }
}
