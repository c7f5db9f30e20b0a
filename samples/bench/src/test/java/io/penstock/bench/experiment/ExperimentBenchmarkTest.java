package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExperimentBenchmarkTest {

    @TempDir
    private Path folder;

    private final List<String> progress = new ArrayList<>();

    /** Two trials in two rounds, the third turn of which may fail. */
    private static final class Counting extends Experiment {
        private final List<String> turns = new ArrayList<>();
        private boolean failing;
        private boolean closed;

        Counting() {
            super(2);
        }

        @Override
        public Map<String, String> settings() {
            return Map.of("trials", "two");
        }

        @Override
        public List<String> explained() {
            return List.of("It counts.");
        }

        @Override
        public List<Trial> trials() {
            return Stream.of("a", "b")
                    .map(name -> new Trial(name, round -> measured(name, round)))
                    .toList();
        }

        private List<Measurement> measured(String name, int round) {
            if (failing && turns.size() == 2) {
                throw new IllegalStateException("no more");
            }
            turns.add(name + round);
            return List.of(new Measurement("turns", name, 1, round));
        }

        @Override
        protected void prepare(Path scratch, Consumer<String> told) {
            assertThat(scratch).isDirectory();
        }

        @Override
        public void warmUp() {
            assertThat(turns).isEmpty();
        }

        @Override
        public List<Chart> charts(Measurements measurements) {
            return List.of(new Chart(
                    "all",
                    "All",
                    Chart.Axis.linear("x"),
                    Chart.Axis.linear("y"),
                    List.of(measurements.line("a", "turns", "a"), measurements.line("b", "turns", "b"))));
        }

        @Override
        public List<Result> results(Measurements measurements) {
            return List.of(Result.of("turns", measurements.turns(), "turns"));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private static ExperimentBenchmark benchmark(Experiment experiment) {
        return new ExperimentBenchmark("counting", "a < b", options -> experiment);
    }

    private BenchOptions options() {
        return new BenchOptions(true, null, folder, progress::add);
    }

    @Test
    void run_ofAnExperiment_leavesFigures() throws IOException {
        Counting experiment = new Counting();

        List<Result> results = benchmark(experiment).run(options());

        assertThat(results).singleElement().extracting(Result::value).isEqualTo(4.0);
        assertThat(experiment.turns).containsExactly("a0", "b0", "a1", "b1");
        assertThat(experiment.closed).isTrue();
        assertThat(progress).hasSize(5).last().asString().contains("75 %", "round 2 of 2: b", "ETA");
        assertThat(Files.readString(folder.resolve("counting.csv"))).isEqualTo("""
                        figure,series,x,median,least,most,rounds
                        turns,a,1.0,0.5,0.0,1.0,2
                        turns,b,1.0,0.5,0.0,1.0,2
                        """);
        assertThat(folder.resolve("counting-all.png")).isNotEmptyFile();
    }

    @Test
    void page_ofAnExperiment_needsNoOtherFile() throws IOException {
        benchmark(new Counting()).run(options());

        String page = Files.readString(folder.resolve("counting.html"));
        assertThat(page)
                .contains("a &lt; b", "data:image/png;base64,iVBOR", "./penstock bench counting --quick")
                .contains(" (quick run, noisy)</h1>")
                .contains("<td>java</td>", "It counts.")
                .doesNotContain("http", "src=\"/", "<script", "<link");
    }

    @Test
    void run_afterOneThatFailed_measuresTheRestAlone() {
        Counting failing = new Counting();
        failing.failing = true;
        Counting second = new Counting();
        Counting third = new Counting();

        assertThatThrownBy(() -> benchmark(failing).run(options())).hasMessage("no more");
        List<Result> results = benchmark(second).run(options());
        benchmark(third).run(options());

        assertThat(failing.closed).isTrue();
        assertThat(second.turns).containsExactly("a1", "b1");
        assertThat(third.turns).isEmpty();
        assertThat(results).singleElement().extracting(Result::value).isEqualTo(4.0);
    }
}
