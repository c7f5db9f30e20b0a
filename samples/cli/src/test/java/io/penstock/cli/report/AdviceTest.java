package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.pipeline.StageStatistics.Kind;
import io.penstock.stream.LoadsInFlight;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A thousand samples of a megabyte each, two workers, 32 loads in flight. */
class AdviceTest {

    private static final LoadsInFlight LOADS = new LoadsInFlight(32, LoadsInFlight.Bound.SET);

    private static final long MB = 1_000_000;

    @Test
    void enough_ofASlowMiss_isOneLessConsumerOverMiss() {
        // g = 1, m = 2: half of the misses are hidden behind the consumer
        Forecast forecast = new Forecast(1, 0, 0, 2, 0);

        assertThat(forecast.enough()).isEqualTo(0.5);
        assertThat(forecast.perSample(0)).isEqualTo(2);
        assertThat(forecast.perSample(0.25)).isEqualTo(1.5);
        assertThat(forecast.perSample(0.5)).isEqualTo(1);
        assertThat(forecast.perSample(1)).isEqualTo(1);
    }

    @Test
    void enough_ofAConsumerThatIsSlowerThanMisses_isNothing() {
        assertThat(new Forecast(3, 0, 2, 1, 0).enough()).isZero();
    }

    @Test
    void enough_whereARandomStageSharesTheWorkers_leavesRoomForIt() {
        // the consumer takes 4; of that the random stage leaves 3 for the deterministic one, which takes 6
        Forecast forecast = new Forecast(4, 1, 6, 0, 0);

        assertThat(forecast.enough()).isEqualTo(0.5);
        assertThat(forecast.perSample(0.5)).isEqualTo(4);
        assertThat(forecast.perSample(0.49)).isGreaterThan(4);
    }

    @Test
    void enough_whereWorkersAreTheLimit_isAll() {
        assertThat(new Forecast(0, 2, 3, 0, 0).enough()).isEqualTo(1);
    }

    @Test
    void forecast_ofAnEpoch_dividesByWorkersAndLoadsInFlight() {
        Forecast forecast = Forecast.of(around(600 * MB, 0), epoch(12, 2, 1000));

        assertThat(forecast.consumer()).isCloseTo(0.002, within(1e-9));
        assertThat(forecast.deterministic()).isCloseTo(0.010, within(1e-9));
        assertThat(forecast.random()).isCloseTo(0.001, within(1e-9));
        assertThat(forecast.source()).isCloseTo(0.005, within(1e-9));
        assertThat(forecast.rest()).as("of 12 ms, 11 are the workers'").isCloseTo(0.001, within(1e-9));
        assertThat(forecast.perSample(0) * 1000).isCloseTo(12, within(1e-6));
    }

    @Test
    void advice_ofAnEpoch_foretellsItForEachBudget() {
        Advice advice =
                Advice.of(around(600 * MB, 200 * MB), epoch(11, 2, 1000)).orElseThrow();

        assertThat(advice.budgets())
                .extracting(Advice.Budget::name)
                .containsExactly("none", "ram", "disk", "ram+disk", "all");
        assertThat(advice.budgets()).extracting(Advice.Budget::share).containsExactly(0.0, 0.6, 0.2, 0.8, 1.0);
        assertThat(advice.budgets())
                .extracting(budget -> Math.round(budget.seconds() * 10) / 10.0)
                .containsExactly(11.0, 5.0, 9.0, 3.0, 2.0);
        assertThat(advice.enoughShare()).isCloseTo(0.9, within(1e-9));
        assertThat(advice.text())
                .isEqualTo("an epoch would take about 11 s without a cache, 5.0 s with the free ram (573MiB, 60 %), "
                        + "9.0 s with the free disk (191MiB, 20 %), 3.0 s with the free ram+disk (763MiB, 80 %), "
                        + "2.0 s with all 954MiB held; from 859MiB on (90 % of the samples) more cache gains nothing");
    }

    @Test
    void advice_whereTheConsumerIsTheLimit_saysThatNoCacheHelps() {
        Advice advice = Advice.of(around(600 * MB, 0), epoch(20, 20, 1000)).orElseThrow();

        assertThat(advice.enoughShare()).isZero();
        assertThat(advice.text()).isEqualTo("no cache would make an epoch faster");
    }

    @Test
    void advice_withoutLoads_isNone() {
        assertThat(Advice.of(around(600 * MB, 0), epoch(2, 2, 0))).isEmpty();
    }

    @Test
    void allBytes_ofAPartlyFilledCache_isByWhatItHolds() {
        Surroundings around =
                new Surroundings(1000, 2, 2, LOADS, 0, 1, 0, Set.of(), new Surroundings.Held(100, 50_000), 0, 0);

        assertThat(around.allBytes()).isEqualTo(510_000);
    }

    private static Surroundings around(long free, long disk) {
        return new Surroundings(1000, 2, 8, LOADS, 1000 * MB, free, disk, Set.of("crop"), null, 0, 0);
    }

    private static EpochReport epoch(double seconds, double consumer, long loads) {
        RunStatistics statistics = new RunStatistics(
                loads,
                Map.of(),
                loads,
                0,
                List.of(
                        new StageStatistics("load", Kind.SOURCE, 1000, Duration.ofSeconds(160)),
                        new StageStatistics("decode", Kind.STAGE, 1000, Duration.ofSeconds(20)),
                        new StageStatistics("crop", Kind.STAGE, 1000, Duration.ofSeconds(2))));
        return new EpochReport(0, 1000, 16, 1000 * MB, seconds, 0.1, consumer, statistics, null, null, List.of());
    }
}
