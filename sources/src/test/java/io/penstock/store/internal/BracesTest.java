package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BracesTest {

    @Test
    void expand_ranges_countsInTheDigitsOfTheFirst() {
        assertThat(Braces.expand("a-{08..10}-{1..2}.tar"))
                .containsExactly("a-08-1.tar", "a-08-2.tar", "a-09-1.tar", "a-09-2.tar", "a-10-1.tar", "a-10-2.tar");
    }

    @Test
    void expand_noRange_isTheName() {
        assertThat(Braces.expand("a.tar")).containsExactly("a.tar");
    }

    @Test
    void expand_rangeThatGoesDown_isRefused() {
        assertThatThrownBy(() -> Braces.expand("a-{2..1}.tar"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("range of names must go up, and be of at most 1000000: a-{2..1}.tar");
    }

    @Test
    void expand_moreNamesThanMay_isRefused() {
        assertThatThrownBy(() -> Braces.expand("{0..1000}{0..1000}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("range of names must go up, and be of at most 1000000: {0..1000}{0..1000}");
    }

    @Test
    void expand_namesThatFillMemory_isRefused() {
        String name = "x".repeat(400) + "{001..999}{001..999}";

        assertThatThrownBy(() -> Braces.expand(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("names of a range must have at most 33554432 characters together, are 998001 of up to 420: "
                        + name);
    }
}
