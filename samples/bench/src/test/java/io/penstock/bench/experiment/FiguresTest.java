package io.penstock.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.bench.Effort;
import io.penstock.bench.Finding;
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

class FiguresTest {

    @TempDir
    private Path folder;

    private final List<String> progress = new ArrayList<>();

    /** Two trials in two rounds, the third turn of which may fail. */
    private static final class Counting implements Experiment, Course {
        private final List<String> turns = new ArrayList<>();
        private boolean failing;
        private boolean closed;

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public String about() {
            return "a < b";
        }

        @Override
        public Course course(Effort effort) {
            return this;
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
        public int rounds() {
            return 2;
        }

        @Override
        public List<Trial> trials() {
            return Stream.of("a", "b")
                    .map(name -> new Trial(name, round -> measured(name, round)))
                    .toList();
        }

        private List<Measured> measured(String name, int round) {
            if (failing && turns.size() == 2) {
                throw new IllegalStateException("no more");
            }
            turns.add(name + round);
            return List.of(new Measured("turns", name, 1, round));
        }

        @Override
        public void prepare(Path scratch, Consumer<String> told) {
            assertThat(scratch).isDirectory();
        }

        @Override
        public void warmUp() {
            assertThat(turns).isEmpty();
        }

        @Override
        public List<Chart> charts(Results results) {
            return List.of(new Chart(
                    "all",
                    "All",
                    Chart.Axis.linear("x"),
                    Chart.Axis.linear("y"),
                    List.of(results.line("a", "turns", "a"), results.line("b", "turns", "b"))));
        }

        @Override
        public List<Finding> findings(Results results) {
            return List.of(Finding.of("counting", "turns", results.rows().size(), "turns"));
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private Effort effort() {
        return new Effort(true, null, folder, progress::add);
    }

    @Test
    void run_ofAnExperiment_leavesFigures() throws IOException {
        Counting experiment = new Counting();

        List<Finding> findings = new Figures(experiment).run(effort());

        assertThat(findings).singleElement().extracting(Finding::value).isEqualTo(4.0);
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
        new Figures(new Counting()).run(effort());

        String page = Files.readString(folder.resolve("counting.html"));
        assertThat(page)
                .contains("a &lt; b", "data:image/png;base64,iVBOR", "./penstock bench counting --quick")
                .contains("<td>java</td>", "It counts.")
                .doesNotContain("http", "src=\"/", "<script", "<link");
    }

    @Test
    void run_afterOneThatFailed_measuresTheRestAlone() {
        Counting failing = new Counting();
        failing.failing = true;
        Counting second = new Counting();
        Counting third = new Counting();

        assertThatThrownBy(() -> new Figures(failing).run(effort())).hasMessage("no more");
        List<Finding> findings = new Figures(second).run(effort());
        new Figures(third).run(effort());

        assertThat(failing.closed).isTrue();
        assertThat(second.turns).containsExactly("a1", "b1");
        assertThat(third.turns).isEmpty();
        assertThat(findings).singleElement().extracting(Finding::value).isEqualTo(4.0);
    }
}
