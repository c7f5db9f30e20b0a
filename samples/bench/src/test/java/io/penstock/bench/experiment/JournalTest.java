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

class JournalTest {

    private static final Map<String, String> HERE = Map.of("processor", "one");
    private static final List<Measured> TWO =
            List.of(new Measured("seconds", "near", 10, 1.5), new Measured("held", "near", 10, 0.1));

    @TempDir
    private Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void name() {
        file = folder.resolve("new/one.csv");
    }

    @Test
    void open_ofWhatWasKept_hasItAgain() {
        Journal.open(file, HERE).add("near 10 %", 3, TWO);

        Results again = Journal.open(file, HERE).results();

        assertThat(again.has("near 10 %", 3)).isTrue();
        assertThat(again.has("near 10 %", 2)).isFalse();
        assertThat(again.median("seconds", "near", 10)).isEqualTo(1.5);
        assertThat(again.values("held", "near", 10)).containsExactly(0.1);
    }

    @Test
    void open_afterALineWasCutShort_forgetsThatTurnAlone() throws IOException {
        Journal journal = Journal.open(file, HERE);
        journal.add("first", 0, TWO);
        journal.add("second", 0, TWO);
        String whole = Files.readString(file);

        for (int cut = 1; cut < whole.length() - whole.indexOf("second,0,"); cut++) {
            Files.writeString(file, whole.substring(0, whole.length() - cut));
            Results again = Journal.open(file, HERE).results();

            assertThat(again.has("first", 0)).isTrue();
            assertThat(again.has("second", 0)).isFalse();
        }
    }

    @Test
    void add_afterATurnWasForgotten_leavesAFileThatCanBeRead() throws IOException {
        Journal.open(file, HERE).add("first", 0, TWO);
        String whole = Files.readString(file);
        Files.writeString(file, whole.substring(0, whole.length() - 3));

        Journal.open(file, HERE).add("first", 0, TWO);

        assertThat(Files.readString(file)).isEqualTo(whole);
    }

    @Test
    void open_ofWhatWasMeasuredElsewhere_isRefused() {
        Journal.open(file, HERE).add("near 10 %", 0, TWO);

        assertThatThrownBy(() -> Journal.open(file, Map.of("processor", "another")))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("measured elsewhere or with other settings");
        assertThat(Journal.open(file, HERE).results().rows()).hasSize(2);
    }

    @Test
    void open_ofSomethingElse_saysWhichLine() throws IOException {
        Journal.open(file, HERE);
        Files.writeString(file, Files.readString(file) + "near,0,1,seconds,near,10,fast\n");

        assertThatThrownBy(() -> Journal.open(file, HERE))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("near,0,1,seconds,near,10,fast");
    }
}
