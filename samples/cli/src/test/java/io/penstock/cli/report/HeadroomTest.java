package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.Batch;
import io.penstock.order.Position;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeadroomTest {

    private long now;

    @Test
    void measure_ofKeptBatches_deliversTheLastOnesAgainAsTheyWere() {
        Headroom<String> headroom = new Headroom<>(2);
        byte[] lent = new byte[1];
        for (byte number = 1; number <= 3; number++) {
            lent[0] = number; // one slot, used again and again
            headroom.keep(batch(Tensor.ofBytes(lent, 1)), List.of());
        }
        lent[0] = 9;
        List<Long> seen = new ArrayList<>();

        Headroom.Report report = headroom.measure(
                        (batch, samples) -> {
                            seen.add(batch.tensor("bytes").longAt(0));
                            now += 100_000_000;
                        },
                        () -> now)
                .orElseThrow();

        assertThat(seen).containsExactly(2L, 3L, 2L, 3L, 2L, 3L);
        assertThat(report).isEqualTo(new Headroom.Report(2, 6, 0.6));
        assertThat(report.samplesPerSecond()).isEqualTo(10);
    }

    @Test
    void measure_ofNothing_isNothing() {
        assertThat(new Headroom<String>(2).measure((batch, samples) -> {}, () -> now))
                .isEmpty();
    }

    private static Batch batch(Tensor bytes) {
        return new Batch(Map.of("bytes", bytes), 1, null, 0, new Position(0, 1), () -> {});
    }
}
