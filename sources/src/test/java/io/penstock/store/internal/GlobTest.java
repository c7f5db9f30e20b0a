package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class GlobTest {

    @Test
    void test_wildcards_matchAsInAShell() {
        assertThat(Glob.of("train-*.bin")).accepts("train-1.bin", "train-.bin").rejects("train.bin", "train-1.bin2");
        assertThat(Glob.of("part-?")).accepts("part-1", "part-ü").rejects("part-", "part-12");
        assertThat(Glob.of("p[0-3]")).accepts("p0", "p3").rejects("p4", "p");
        assertThat(Glob.of("p[!0-3]")).accepts("p4").rejects("p0");
        assertThat(Glob.of("{a,bc}.bin")).accepts("a.bin", "bc.bin").rejects("b.bin", "a,bc.bin");
    }

    @Test
    void test_charactersOfRegularExpressions_standForThemselves() {
        assertThat(Glob.of("a+(1).b$*")).accepts("a+(1).b$x").rejects("aa1.b", "a+(1)xb$");
        assertThat(Glob.of("a,b}?")).accepts("a,b}c").rejects("a");
        assertThat(Glob.of("[&&\\^[]x")).accepts("&x", "\\x", "^x", "[x").rejects("ax");
    }

    @Test
    void test_manyStars_takesNoLonger() {
        String stars = "*".repeat(60) + "b";

        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> assertThat(Glob.of(stars)).accepts("a".repeat(200) + "b").rejects("a".repeat(200)));
    }

    @Test
    void of_openBracket_isRefused() {
        assertThatThrownBy(() -> Glob.of("a[1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern has a [ that is not closed: a[1");
        assertThatThrownBy(() -> Glob.of("{a{b}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern has a { that is not closed: {a{b}");
    }

    @Test
    void test_setOfOddMembers_holdsThem() {
        assertThat(Glob.of("[]a]x")).accepts("]x", "ax").rejects("bx");
        assertThat(Glob.of("[!]a]x")).accepts("bx").rejects("]x", "ax");
        assertThat(Glob.of("[a-]x")).accepts("ax", "-x").rejects("bx");
        assertThat(Glob.of("[😀-😂ü]*😀")).accepts("😁😀", "ü-😀").rejects("😃😀");
    }

    @Test
    void of_setThatIsNone_isRefused() {
        assertThatThrownBy(() -> Glob.of("a[z-a]"))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern has a range that goes down, [z-a]: a[z-a]");
        assertThatThrownBy(() -> Glob.of("a[!]"))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern has a [ that is not closed: a[!]");
        assertThatThrownBy(() -> Glob.of("{a[}]"))
                .isExactlyInstanceOf(IllegalArgumentException.class)
                .hasMessage("pattern has a { that is not closed: {a[}]");
    }
}
