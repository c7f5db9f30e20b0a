package io.penstock.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DrainLoopTest {

    private final DrainLoop loop = new DrainLoop();

    @Test
    void enter_whileNobodyDrains_isTrue() {
        assertThat(loop.enter()).isTrue();
        assertThat(loop.leave()).isTrue();

        assertThat(loop.enter()).isTrue();
    }

    @Test
    void leave_afterOthersCame_asksForOnePassForAllOfThem() {
        loop.enter();
        assertThat(loop.enter()).isFalse();
        assertThat(loop.enter()).isFalse();

        assertThat(loop.leave()).isFalse();
        assertThat(loop.leave()).isTrue();
    }

    @Test
    void leave_whileOthersComeInEveryPass_asksForOnePassMoreEachTime() {
        loop.enter();

        for (int pass = 0; pass < 3; pass++) {
            assertThat(loop.enter()).isFalse();
            assertThat(loop.leave()).isFalse();
        }
        assertThat(loop.leave()).isTrue();
        assertThat(loop.enter()).isTrue();
    }
}
