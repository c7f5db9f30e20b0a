package io.penstock.cache.chronicle.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ChronicleSettingsTest {

    @Test
    void requireFlags_ofAPlainJvm_namesAllThatAreMissingReadyToPaste() {
        assertThatThrownBy(() -> ChronicleSettings.requireFlags(false, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("needs --add-opens=java.base/java.lang.reflect=ALL-UNNAMED"
                        + " --add-opens=java.base/sun.nio.ch=ALL-UNNAMED; add this");
        assertThatThrownBy(() -> ChronicleSettings.requireFlags(true, false))
                .hasMessageContaining("needs --add-opens=java.base/sun.nio.ch=ALL-UNNAMED;");
        assertThatCode(() -> ChronicleSettings.requireFlags(true, true)).doesNotThrowAnyException();
    }
}
