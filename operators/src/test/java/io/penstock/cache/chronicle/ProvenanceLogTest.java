package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Producer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvenanceLogTest {

    private static final Producer ONE =
            new Producer(List.of("images", "/data"), List.of("map decode"), "tensors 1 [a]");
    private static final Producer TWO =
            new Producer(List.of("images", "/data"), List.of("map resize"), "tensors 1 [a]");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @Test
    void add_severalTimesByTwo_keepsALineForEach() throws IOException {
        ProvenanceLog provenance = new ProvenanceLog(folder.resolve("fillings"));
        ProvenanceLog other = new ProvenanceLog(folder.resolve("fillings"));

        assertThat(provenance.read()).isEmpty();
        provenance.add(ONE);
        provenance.add(ONE);
        other.add(ONE);
        other.add(TWO);

        assertThat(provenance.read()).containsExactly(ONE, TWO);
        assertThat(Files.readString(folder.resolve("fillings")).lines().filter(line -> !line.isEmpty()))
                .hasSize(2);
    }

    @Test
    void read_ofHalfALineAndADamagedOne_hasTheOthers() throws IOException {
        Path file = folder.resolve("fillings");
        String damaged = ProvenanceLog.line(ONE).replace("decode", "decade");
        Files.writeString(file, damaged + "\n" + ProvenanceLog.line(ONE).substring(0, 20));

        new ProvenanceLog(file).add(TWO);

        assertThat(new ProvenanceLog(file).read()).containsExactly(TWO);
    }

    @Test
    void read_ofBytesThatAreNoText_isEmpty() throws IOException {
        Path file = Files.write(folder.resolve("fillings"), new byte[] {-1, 9, 0, 10, -128, 9, 9, 9});

        assertThat(new ProvenanceLog(file).read()).isEmpty();
    }

    @Test
    void add_whereNothingCanBeWritten_onlyLosesTheLine() throws IOException {
        ProvenanceLog provenance = new ProvenanceLog(folder.resolve("missing").resolve("fillings"));

        provenance.add(ONE);

        assertThat(provenance.read()).isEmpty();
    }

    @Property(tries = 200)
    void parse_ofAnyWords_bringsThemBack(
            @ForAll @Size(max = 4) List<String> source,
            @ForAll @Size(max = 4) List<String> stages,
            @ForAll String codec) {
        // what has no UTF-8 cannot come back from a file
        Producer producer = new Producer(
                source.stream().map(ProvenanceLogTest::writable).toList(),
                stages.stream().map(ProvenanceLogTest::writable).toList(),
                writable(codec));

        assertThat(ProvenanceLog.parse(ProvenanceLog.line(producer))).isEqualTo(producer);
        assertThat(ProvenanceLog.line(producer).lines().count()).isEqualTo(1);
    }

    private static String writable(String word) {
        return new String(word.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
