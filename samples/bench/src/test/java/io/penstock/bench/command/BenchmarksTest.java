package io.penstock.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Benchmark;
import org.junit.jupiter.api.Test;

class BenchmarksTest {

    @Test
    void benchmarks_haveNamesOfTheirOwn() {
        assertThat(Benchmarks.all())
                .extracting(Benchmark::name)
                .doesNotHaveDuplicates()
                .contains("warm", "disk", "decode");
    }

    @Test
    void experiments_allOfThem_runByNameOnly() {
        assertThat(Benchmarks.all().stream().filter(Benchmark::isLong))
                .extracting(Benchmark::name)
                .containsExactly("sweep", "policies", "epochs", "near-far", "latency", "mlperf", "lazy");
    }
}
