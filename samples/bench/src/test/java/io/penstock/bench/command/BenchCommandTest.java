package io.penstock.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.bench.Benchmark;
import io.penstock.cli.Cli;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {

    @TempDir
    private Path folder;

    @Test
    void bench_ofOne_printsATableAndKeepsTheFigures() throws IOException {
        Cli bench = Cli.run(
                "bench", "draws", "--quick", "--out", folder.resolve("kept").toString());

        JsonNode kept =
                new ObjectMapper().readTree(folder.resolve("kept/draws.json").toFile());
        assertThat(bench.status()).isZero();
        assertThat(bench.out()).startsWith("bench ").contains("<= 50");
        assertThat(kept.path("findings")).hasSizeGreaterThanOrEqualTo(4).anySatisfy(finding -> {
            assertThat(finding.path("at_most").asInt()).isEqualTo(50);
            assertThat(finding.path("value").asDouble()).isPositive();
        });
    }

    @Test
    void fork_ofABenchmark_bringsItsFindings() {
        Benchmark stage = Benchmarks.all().stream()
                .filter(benchmark -> benchmark.name().equals("stage"))
                .findFirst()
                .orElseThrow();

        List<ObjectNode> results = BenchFork.run(stage, true, null);

        assertThat(results)
                .extracting(finding -> finding.path("benchmark").asText())
                .containsOnly("stage");
    }

    @Test
    void bench_ofAnUnknownOne_saysWhichThereAre() {
        Cli bench = Cli.run("bench", "nonsense");

        assertThat(bench.status()).isEqualTo(2);
        assertThat(bench.err().lines()).singleElement().asString().contains("there are warm,", "draws, decode");
    }

    @Test
    void bench_ofAnExperiment_leavesItsCharts() {
        Cli bench = Cli.run("bench", "policies", "--quick", "--out", folder.toString());

        assertThat(bench.status()).isZero();
        assertThat(bench.out()).contains("hold: hit ratio, farthest off theory", "see " + folder);
        assertThat(folder.resolve("policies.json")).content().contains("\"charts\" : [ {", "theory: LRU");
        assertThat(folder.resolve("policies-hits.png")).isNotEmptyFile();
    }
}
