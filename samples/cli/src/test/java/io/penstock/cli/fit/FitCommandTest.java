package io.penstock.cli.fit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.cli.Cli;
import io.penstock.fit.FieldFit;
import io.penstock.fit.Fit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FitCommandTest {

    private static final int FILES = 10;
    private static final int ROWS = 200;

    @TempDir
    Path folder;

    private String source() {
        return "csv:" + folder + "/*.csv#age:double=NaN,port";
    }

    private void write(int file, double shift) throws IOException {
        String rows = IntStream.range(0, ROWS)
                .mapToObj(i -> (i % 20 == 0 ? "" : Double.toString(shift + i + file / 8.0)) + ",port " + i % 3)
                .collect(Collectors.joining("\n", "age,port\n", "\n"));
        Files.writeString(folder.resolve("part-%d.csv".formatted(file)), rows);
    }

    private Cli fit(String... flags) {
        List<String> all = new ArrayList<>(
                List.of("fit", source(), "--to", folder.resolve("fit.json").toString()));
        all.addAll(List.of(flags));
        Cli run = Cli.run(all.toArray(String[]::new));
        assertThat(run.status()).as(run.err()).isZero();
        return run;
    }

    @Test
    void fit_ofATable_writesTheStatisticsAndTheirCharts() throws IOException {
        for (int file = 0; file < FILES; file++) {
            write(file, 0);
        }

        Cli run = fit("--json");

        FieldFit age = Fit.read(folder.resolve("fit.json")).fields().get("age");
        DoubleStream values = IntStream.range(0, FILES * ROWS)
                .filter(i -> i % ROWS % 20 != 0)
                .mapToDouble(i -> i % ROWS + Math.floorDiv(i, ROWS) / 8.0);
        assertThat(age.mean()).isCloseTo(values.average().orElseThrow(), within(1e-9));
        assertThat(age.missing()).isEqualTo(FILES * ROWS / 20);
        assertThat(run.events())
                .extracting(event -> event.path("event").asText())
                .containsExactly("field", "field", "done");
        assertThat(Files.readString(folder.resolve("fit.html"))).contains("<h2>age</h2>", "<svg", "port 1 (");
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all.filter(Files::isDirectory))
                    .as("what sources take for a class")
                    .allMatch(FitCommandTest::isHidden);
        }
    }

    private static boolean isHidden(Path path) {
        return path.getFileName().toString().startsWith(".");
    }

    @Test
    void fit_afterAChange_saysWhatHasDrifted() throws IOException {
        for (int file = 0; file < FILES; file++) {
            write(file, 0);
        }
        fit("--split", "0..0.8");
        Path before = folder.resolve("before.json");
        Files.copy(folder.resolve("fit.json"), before);
        for (int file = 0; file < FILES / 2; file++) {
            write(file, 1000);
        }

        JsonNode drift = fit("--split", "0..0.8", "--json", "--against", before.toString()).events().stream()
                .filter(event -> event.path("event").asText().equals("drift"))
                .findFirst()
                .orElseThrow();

        assertThat(drift.path("field").asText()).isEqualTo("age");
        assertThat(drift.path("distance").asDouble()).isCloseTo(0.5, within(0.05));
    }

    @Test
    void fit_ofNumbersWithoutAType_namesIt() throws IOException {
        Path table = Files.writeString(folder.resolve("sales.csv"), "shop,sold,price\na1,3,4.5\nb,,1e-3\n");
        String to = folder.resolve("fit.json").toString();

        Cli texts = Cli.run("fit", "csv:" + table, "--to", to);
        Path numerals = Files.writeString(folder.resolve("numerals.txt"), "1\n2\n");
        Cli lines = Cli.run("fit", "text:" + numerals, "--to", to);
        Cli refused = Cli.run("fit", "csv:" + table + "#sold:float", "--to", to);
        Cli numbers = Cli.run("fit", "csv:" + table + "#shop,sold:float=nan,price:float", "--to", to);

        assertThat(texts.out())
                .contains("(of lengths)", "(of lengths: for numbers say sold:float)", "for numbers say price:float")
                .doesNotContain("shop:float");
        assertThat(refused.err()).contains("say what nulls become (sold=0 or =NaN), or");
        assertThat(lines.out()).contains("(of lengths)").doesNotContain(":float");
        assertThat(numbers.status()).as(numbers.err()).isZero();
        assertThat(numbers.out()).doesNotContain(":float");
    }

    @Test
    void fit_withoutASource_isWrongUsage() {
        assertThat(Cli.run("fit", "--to", "x.json").status()).isEqualTo(2);
        assertThat(Cli.run("fit", "csv:x.csv").err()).contains("--to");
    }
}
