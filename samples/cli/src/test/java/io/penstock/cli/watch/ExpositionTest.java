package io.penstock.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExpositionTest {

    private static final String PAGE = """
            # HELP penstock_cache_hits_total look-ups that a tier answered
            # TYPE penstock_cache_hits_total counter
            penstock_cache_hits_total{tier="ram"} 7.0
            penstock_cache_hits_total{tier="a \\"b\\", {c}"} 1.5E1
            # TYPE penstock_rank gauge
            penstock_rank 3.0 1700000000000
            # TYPE penstock_stage_time_seconds summary
            penstock_stage_time_seconds_count{kind="source",stage="load",} 4
            penstock_stage_time_seconds_sum{kind="source",stage="load",} +Inf
            untyped 1
            """;

    @Test
    void parse_findsPointsByNameAndLabel() {
        Exposition meters = Exposition.parse(PAGE);

        assertThat(meters.sum("penstock_cache_hits_total")).isEqualTo(22);
        assertThat(meters.points("penstock_cache_hits_total").map(point -> point.label("tier")))
                .containsExactly("ram", "a \\\"b\\\", {c}");
        assertThat(meters.sum("penstock_rank")).isEqualTo(3);
        assertThat(meters.sum("penstock_stage_time_seconds_sum")).isInfinite();
        assertThat(meters.sum("absent")).isZero();
        assertThat(meters.families().keySet())
                .containsExactly(
                        "penstock_cache_hits_total", "penstock_rank", "penstock_stage_time_seconds", "untyped");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>", "a{b=\"c\" 1", "a{} one", "a", "1a 2", "a  1 2 3"})
    void parse_somethingElse_isRefusedWithTheLine(String line) {
        assertThatThrownBy(() -> Exposition.parse("ok 1\n" + line))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no meters in Prometheus' format: \"%s\"", line);
    }

    @Test
    void merged_hasEachFamilyOnce_andParsesAgain() {
        Map<String, Exposition> both = new LinkedHashMap<>();
        both.put("127.0.0.1:1", Exposition.parse(PAGE));
        both.put("127.0.0.1:2", Exposition.parse(PAGE + "# TYPE more counter\nmore 2\n"));

        String text = Exposition.merged(both);

        assertThat(text.lines().filter(line -> line.equals("# TYPE penstock_rank gauge")))
                .hasSize(1);
        assertThat(text)
                .contains("penstock_rank{instance=\"127.0.0.1:1\"} 3.0\npenstock_rank{instance=\"127.0.0.1:2\"} 3.0\n");
        Exposition again = Exposition.parse(text);
        assertThat(again.sum("penstock_cache_hits_total")).isEqualTo(44);
        assertThat(again.points("penstock_cache_hits_total").map(point -> point.label("instance")))
                .containsExactly("127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:2");
        assertThat(again.sum("more")).isEqualTo(2);
    }
}
