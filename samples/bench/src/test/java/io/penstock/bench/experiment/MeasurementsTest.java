package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MeasurementsTest {

    private static final Map<String, String> HERE = Map.of("processor", "one");
    private static final List<Measurement> TWO =
            List.of(new Measurement("seconds", "near", 10, 1.5), new Measurement("held", "near", 10, 0.1));

    @TempDir
    private Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void name() {
        file = folder.resolve("new/one.csv");
    }

    @Test
    void open_ofAFile_readsItsMeasurements() {
        Measurements.open(file, HERE).add("near 10 %", 3, TWO);

        Measurements again = Measurements.open(file, HERE);

        assertThat(again.has("near 10 %", 3)).isTrue();
        assertThat(again.has("near 10 %", 2)).isFalse();
        assertThat(again.median("seconds", "near", 10)).isEqualTo(1.5);
        assertThat(again.values("held", "near", 10)).containsExactly(0.1);
    }

    @Test
    void open_ofOtherConditions_isRefused() {
        Measurements.open(file, HERE).add("near 10 %", 0, TWO);

        assertThatThrownBy(() -> Measurements.open(file, Map.of("processor", "another")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("measured elsewhere or with other settings");
        assertThat(Measurements.open(file, HERE).spreads()).hasSize(2);
    }

    @Test
    void open_ofAnInvalidLine_namesIt() throws IOException {
        Measurements.open(file, HERE).add("near 10 %", 3, TWO);
        Files.writeString(file, Files.readString(file) + "near,0,seconds,near,10,fast\n");

        assertThatThrownBy(() -> Measurements.open(file, HERE))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("near,0,seconds,near,10,fast");
    }
}
