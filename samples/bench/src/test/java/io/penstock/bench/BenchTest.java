package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class BenchTest {

    private final List<String> progress = new ArrayList<>();

    @Test
    void inTurn_ofTwoTrials_alternatesThem() {
        List<String> turns = new ArrayList<>();
        Map<String, IntConsumer> trials = new LinkedHashMap<>();
        trials.put("a", round -> turns.add("a" + round));
        trials.put("b", round -> turns.add("b" + round));

        new Bench(true, null, progress::add).inTurn(2, trials);

        assertThat(turns).containsExactly("a0", "b0", "a1", "b1");
        assertThat(progress).hasSize(4).last().asString().contains("75 %", "round 2 of 2: b", "ETA");
    }

    @Test
    void figures_withALimit_sayWhetherItWasReached() {
        Bench bench = new Bench(false, null, progress::add);

        bench.atLeast(5, "speed", 4, "GB/s");
        bench.atMost(5, "time", 4, "ns");
        bench.found("size", 4, "B");

        assertThat(bench.results()).extracting(Result::reached).containsExactly(false, true, null);
    }

    @Test
    void draw_inAQuickRun_saysSoInTheTitle() {
        Bench bench = new Bench(true, null, progress::add);

        bench.draw(new Chart("f", "Hits", Chart.Axis.linear("x"), Chart.Axis.linear("y"), List.of()));

        assertThat(bench.charts()).extracting(Chart::title).containsExactly("Hits (quick run, noisy)");
    }
}
