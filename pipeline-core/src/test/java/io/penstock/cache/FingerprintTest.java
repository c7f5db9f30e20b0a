package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FingerprintTest {

    @Test
    void with_words_isTheSameHoweverTheyWereAdded() {
        Fingerprint atOnce = Fingerprint.of("images", "decode", "resize 224");
        Fingerprint inSteps =
                Fingerprint.of("images").with(Fingerprint.of("decode")).with("resize 224");

        assertThat(inSteps).isEqualTo(atOnce).hasSameHashCodeAs(atOnce);
        assertThat(inSteps.words()).containsExactly("images", "decode", "resize 224");
    }

    @Test
    void hex_goldenValue_holdsAcrossVersions() {
        // printf '\0\0\0\2ab\0\0\0\1c' | sha256sum | cut -c1-32
        assertThat(Fingerprint.of("ab", "c").hex()).isEqualTo("f2939f903016e5bb29b1e4a61cdbd376");
    }

    @Test
    void equality_wordsCutDifferently_differs() {
        assertThat(Fingerprint.of("ab", "c")).isNotEqualTo(Fingerprint.of("a", "bc"));
        assertThat(Fingerprint.of("ab", "c").hex())
                .isNotEqualTo(Fingerprint.of("a", "bc").hex());
        assertThat(Fingerprint.of("a", "b")).isNotEqualTo(Fingerprint.of("b", "a"));
    }

    @Test
    void sampleKey_behindStages_dependsOnTheirOrder() {
        SampleKey key = SampleKey.of("a.jpg", "12345");
        Fingerprint decode = Fingerprint.of("decode");
        Fingerprint resize = Fingerprint.of("resize");

        assertThat(key.with(decode).with(resize)).isNotEqualTo(key.with(resize).with(decode));
        assertThat(key.with(decode)).isNotEqualTo(key);
        assertThat(key.with(1)).isNotEqualTo(key.with(2));
        assertThat(key.with(SampleKey.of("b"))).isNotEqualTo(SampleKey.of("b").with(key));
    }
}
