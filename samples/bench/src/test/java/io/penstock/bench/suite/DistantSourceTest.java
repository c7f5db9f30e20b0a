package io.penstock.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Effort;
import io.penstock.bench.Finding;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DistantSourceTest {

    @Test
    void distant_measuredQuickly_isFound() {
        List<String> progress = new ArrayList<>();

        List<Finding> findings = new DistantSource().run(new Effort(true, null, null, progress::add));

        assertThat(findings).extracting(Finding::benchmark).containsOnly("distant");
        assertThat(findings).extracting(Finding::value).allMatch(value -> value > 0);
        assertThat(progress).isNotEmpty();
    }
}
