package io.penstock.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Bench;
import io.penstock.bench.Result;
import io.penstock.kafka.Broker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs benchmarks quickly. */
class SuiteTest {

    private final List<String> progress = new ArrayList<>();
    private final Bench bench = new Bench(true, null, progress::add);

    @Test
    void distant_measuredQuickly_isFound() {
        DistantSource.run(bench);

        assertThat(bench.results()).isNotEmpty().extracting(Result::value).allMatch(value -> value > 0);
        assertThat(progress).isNotEmpty();
    }

    @Test
    void kafka_measuredQuickly_readsAllOfEach() throws Exception {
        KafkaRates.run(bench, Broker.shared().settings("receive.buffer.bytes", -1), 5_000);

        assertThat(bench.results()).hasSize(3).extracting(Result::value).allMatch(value -> value > 0);
    }

    @Test
    void scale_measuredQuickly_holdsLessThanAPermutation() {
        Scale.samples(bench);

        assertThat(bench.results())
                .filteredOn(result -> result.unit().equals("B"))
                .hasSize(3)
                .noneMatch(result -> Boolean.FALSE.equals(result.reached()));
    }

    @Test
    void cluster_measuredQuickly_movesTheKeysOfALostNodeAlone() {
        Scale.ranks(bench);

        assertThat(bench.results()).hasSize(28);
        assertThat(bench.results())
                .filteredOn(result -> result.what().endsWith("other keys that move"))
                .hasSize(4)
                .allMatch(result -> result.value() == 0);
        assertThat(bench.results())
                .filteredOn(result -> result.what().contains("order, shard and resume"))
                .hasSize(4)
                .allMatch(result -> Boolean.TRUE.equals(result.reached()));
    }
}
