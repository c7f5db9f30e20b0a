package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** That benchmarks run and find something; never how fast. */
class BenchmarksTest {

    @Test
    void benchmarks_haveNamesOfTheirOwn() {
        assertThat(Benchmarks.all())
                .extracting(Benchmark::name)
                .doesNotHaveDuplicates()
                .contains("warm", "disk", "decode");
        assertThat(Benchmarks.all()).extracting(Benchmark::about).doesNotContain("");
    }

    @Test
    void distant_measuredQuickly_isFound() {
        List<String> progress = new ArrayList<>();

        List<Finding> findings = new DistantSource().run(new Effort(true, null, null, progress::add));

        assertThat(findings).extracting(Finding::benchmark).containsOnly("distant");
        assertThat(findings).extracting(Finding::value).allMatch(value -> value > 0);
        assertThat(progress).isNotEmpty();
    }
}
