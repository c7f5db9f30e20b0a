package io.penstock.store.http.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class WordsTest {

    @Test
    void of_failureThatSaysNothing_isWhatItIs() {
        assertThat(Words.of(new IOException("\u0017\u0017"))).isEqualTo("IOException");
        assertThat(Words.of(new IOException((String) null))).isEqualTo("IOException");
        assertThat(Words.of(new IOException("reset by\n http://u:p@host/?key=1")))
                .isEqualTo("reset by http://host/?…");
    }
}
