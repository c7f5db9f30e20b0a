package io.penstock.cache.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The counter of what a name space holds, as its answers come. */
class UsageCountTest {

    private final Usage.Count count = new Usage.Count("samples");

    @Test
    void received_afterALaterSum_keepsTheSum() {
        long question = count.asked();
        count.add(7);
        assertThat(count.take()).isEqualTo(7);
        count.sent(1_500L);

        count.received(question, 1_493);

        assertThat(count.value()).isEqualTo(1_500);
    }

    @Test
    void received_withNothingAddedSince_counts() {
        count.add(7);
        count.take();
        count.sent(7L);

        count.received(count.asked(), 20); // others put 13

        assertThat(count.value()).isEqualTo(20);
    }
}
