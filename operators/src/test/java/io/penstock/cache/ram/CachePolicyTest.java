package io.penstock.cache.ram;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Tier;
import org.junit.jupiter.api.Test;

class CachePolicyTest {

    @Test
    void named_everyLabel_isItsPolicy() {
        assertThat(CachePolicy.values()).extracting(CachePolicy::label).containsExactly("hold", "lru", "cost");
        for (CachePolicy policy : CachePolicy.values()) {
            assertThat(CachePolicy.named(policy.label())).isEqualTo(policy);
        }
    }

    @Test
    void named_anythingElse_saysWhatThereIs() {
        assertThatThrownBy(() -> CachePolicy.named("LRU"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no cache policy \"LRU\"; use hold, lru, cost");
    }

    @Test
    void maxFreeShare_withEachPolicy_opensATier() {
        for (CachePolicy policy : CachePolicy.values()) {
            try (Tier tier = RamTier.of(policy).maxFreeShare(0.001).open()) {
                assertThat(tier.eviction())
                        .isEqualTo(policy == CachePolicy.LRU ? Tier.Eviction.RETURNED : Tier.Eviction.NONE);
                assertThat(tier.statistics().capacity()).isPositive();
            }
        }
    }
}
