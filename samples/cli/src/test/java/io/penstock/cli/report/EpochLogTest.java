package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.batch.Batch;
import io.penstock.cli.source.SampleRows;
import io.penstock.order.Position;
import io.penstock.pipeline.RunStatistics;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EpochLogTest {

    static final DeliveredDigests<Tensor> NONE =
            new DeliveredDigests<>(false, new SampleRows.Single<>(Schema.tensor("pixels")), List.of(), 1);

    private final List<EpochReport> reports = new ArrayList<>();
    private long now;

    @Test
    void batch_thatEndsItsEpoch_reportsIt() {
        EpochLog log = log(Position.START);

        receive(log, 1_000_000_000, batch(2, 2, 0, new Position(0, 2)));
        receive(log, 500_000_000, batch(1, 1, 0, new Position(1, 0)));

        EpochReport report = reports.get(0);
        assertThat(reports).hasSize(1);
        assertThat(report.samples()).isEqualTo(3);
        assertThat(report.batches()).isEqualTo(2);
        assertThat(report.bytes()).isEqualTo(3 * 4);
        assertThat(report.seconds()).isEqualTo(1.5);
        assertThat(report.firstBatchSeconds()).isEqualTo(1.0);
        assertThat(report.statistics().loads()).isEqualTo(7);
    }

    @Test
    void batch_ofTheNextEpoch_reportsTheOneBeforeUpToItsLastBatch() {
        EpochLog log = log(Position.START);

        receive(log, 1_000_000_000, batch(2, 2, 0, new Position(0, 2)));
        receive(log, 3_000_000_000L, batch(2, 2, 1, new Position(1, 2)));
        log.completed(2);

        assertThat(reports).extracting(EpochReport::epoch).containsExactly(0L, 1L);
        assertThat(reports).extracting(EpochReport::seconds).containsExactly(1.0, 3.0);
        assertThat(log.position()).isEqualTo(new Position(2, 0));
    }

    @Test
    void batch_thatItsConsumerTakesLongFor_countsThatTimeBeforeItsEpochIsReported() {
        EpochLog log = log(Position.START);

        try (Batch batch = batch(1, 1, 0, new Position(1, 0))) {
            log.batch(batch, () -> {
                assertThat(reports).isEmpty();
                now += 2_000_000_000;
            });
        }

        assertThat(reports).extracting(EpochReport::consumerSeconds).containsExactly(2.0);
    }

    @Test
    void batch_withPaddedRows_countsTheValidOnes() {
        EpochLog log = log(Position.START);

        receive(log, 1, batch(1, 4, 0, new Position(1, 0)));

        assertThat(reports.get(0).samples()).isEqualTo(1);
        assertThat(reports.get(0).bytes()).isEqualTo(4);
    }

    @Test
    void completed_withoutABatch_reportsEveryEpochAsEmpty() {
        EpochLog log = log(new Position(1, 0));

        log.completed(3);

        assertThat(reports).extracting(EpochReport::epoch).containsExactly(1L, 2L);
        assertThat(reports).extracting(EpochReport::samples).containsOnly(0L);
        assertThat(log.position()).isEqualTo(new Position(3, 0));
    }

    @Test
    void completed_beyondTheLastEpoch_movesNothing() {
        EpochLog log = log(new Position(5, 10));

        log.completed(3);

        assertThat(reports).isEmpty();
        assertThat(log.position()).isEqualTo(new Position(5, 10));
    }

    @Test
    void stopped_inMidEpoch_reportsThePart() {
        EpochLog log = log(Position.START);

        receive(log, 1, batch(2, 2, 0, new Position(0, 2)));
        log.stopped();

        assertThat(reports).extracting(EpochReport::samples).containsExactly(2L);
        assertThat(log.position()).isEqualTo(new Position(0, 2));
    }

    @Test
    void stopped_betweenEpochs_reportsNothingMore() {
        EpochLog log = log(Position.START);

        receive(log, 1, batch(2, 2, 0, new Position(1, 0)));
        log.stopped();

        assertThat(reports).hasSize(1);
    }

    private EpochLog log(Position from) {
        return new EpochLog(
                from, () -> now, epoch -> new RunStatistics(7, Map.of(), 0, 0, List.of()), NONE, reports::add);
    }

    private void receive(EpochLog log, long nanosLater, Batch batch) {
        now += nanosLater;
        log.batch(batch);
    }

    private static Batch batch(int size, int rows, long epoch, Position next) {
        Map<String, Tensor> fields = new LinkedHashMap<>();
        fields.put("pixels", Tensor.ofBytes(new byte[rows * 4], rows, 2, 2));
        fields.put("label", Tensor.ofInts(new int[rows]));
        return new Batch(fields, size, null, epoch, next, () -> {});
    }
}
