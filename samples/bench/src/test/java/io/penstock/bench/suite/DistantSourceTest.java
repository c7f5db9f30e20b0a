package io.penstock.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.BenchOptions;
import io.penstock.bench.Result;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DistantSourceTest {

    @Test
    void distant_measuredQuickly_isFound() {
        List<String> progress = new ArrayList<>();

        List<Result> results = new DistantSource().run(new BenchOptions(true, null, null, progress::add));

        assertThat(results).isNotEmpty().extracting(Result::value).allMatch(value -> value > 0);
        assertThat(progress).isNotEmpty();
    }
}
