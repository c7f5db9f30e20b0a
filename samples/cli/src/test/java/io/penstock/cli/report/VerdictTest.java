package io.penstock.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.RunStatistics;
import io.penstock.pipeline.StageStatistics;
import io.penstock.pipeline.StageStatistics.Kind;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.LoadsInFlight.Bound;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Epochs of ten seconds, on two workers, with up to 32 loads in flight. */
class VerdictTest {

    @Test
    void verdict_ofADearStageWithoutACache_saysWhereToCacheAndHowMuch() {
        String verdict =
                Verdict.of(around(1_200_000_000, 8_000_000_000L, null), epoch(0, 0, load(0.1), stage("decode", 16.6)));

        assertThat(verdict)
                .isEqualTo("stage \"decode\" takes 83 % of the workers' time: cache after it with --cache-ram 1.2GiB"
                        + " (everything fits), or raise --workers (2 of 8 processors are used)");
    }

    @Test
    void verdict_whereTheCacheWouldNotFit_saysWhatIsFree() {
        String verdict =
                Verdict.of(around(1_200_000_000, 600_000_000, null), epoch(0, 0, load(0.1), stage("decode", 16.6)));

        assertThat(verdict).contains("573MiB are free, which hold a part");
    }

    @Test
    void verdict_ofARandomStage_doesNotAdviseToCacheIt() {
        String verdict =
                Verdict.of(around(1_200_000_000, 8_000_000_000L, null), epoch(0, 0, load(0.1), stage("crop", 15)));

        assertThat(verdict)
                .startsWith("stage \"crop\" takes 75 %")
                .doesNotContain("cache")
                .contains("--workers");
    }

    @Test
    void verdict_ofASlowSourceWithASetNumberOfLoads_saysHowSlowAndToLeaveItOut() {
        String verdict = Verdict.of(around(0, 0, null), epoch(0, 0, load(320), stage("decode", 1)));

        assertThat(verdict)
                .isEqualTo(
                        "the source answers slowly (5.1 ms, 32 in flight): leave --in-flight out, so that the run finds"
                                + " how many pay, or raise it");
    }

    @ParameterizedTest
    @CsvSource({"SOURCE, more loads at once bring nothing", "BYTES, raise --prefetch-bytes", "PACE, another epoch"})
    void verdict_ofASlowSourceWithLoadsThatTuneThemselves_saysWhatHoldsThem(Bound by, String words) {
        Surroundings around =
                new Surroundings(62_500, 2, 8, new LoadsInFlight(32, by), 0, 0, 0, Set.of(), null, 0, 0.2);

        assertThat(Verdict.of(around, epoch(0, 0, load(320)))).contains(words).doesNotContain("--in-flight");
    }

    @Test
    void verdict_ofOneBusyThread_doesNotAdviseMoreLoads() {
        RunStatistics statistics = new RunStatistics(0, Map.of(), 2_500_000, 0, List.of(load(310)));

        String verdict = Verdict.ofCounting(
                caused(32, 0, 0.93),
                new EpochReport(0, 2_500_000, 1000, 1, 10, 0.1, 0.1, statistics, null, null, List.of()));

        assertThat(verdict)
                .isEqualTo(
                        "handing samples on takes 4.0 µs each, one at a time, and more loads or workers do not change"
                                + " that: take larger samples, or several ranks");
    }

    @Test
    void verdict_ofAClientWhoseConnectionsAreInUse_doesNotAdviseMoreLoads() {
        String verdict = Verdict.ofCounting(caused(128, 64, 0.2), epoch(0, 0, load(1200)));

        assertThat(verdict)
                .isEqualTo(
                        "the source answers slowly (19.2 ms, 120 in flight): all 64 connections of the client are in use,"
                                + " so a larger --in-flight changes nothing; keep copies with --mirror or a cache, or take more"
                                + " ranks");
        assertThat(Verdict.ofCounting(caused(32, 64, 0.2), epoch(0, 0, load(310))))
                .endsWith("or raise it, up to the 64 connections of the client");
    }

    /** Such as 40 % of the workers in one run, and 55 % in the next. */
    @ParameterizedTest
    @ValueSource(doubles = {8, 9, 11, 12, 14})
    void verdict_ofWorkersThatAreHalfBusy_advisesNothing(double seconds) {
        String verdict = Verdict.ofCounting(around(1, 1, null), epoch(0, 0, load(1), stage("crop", seconds)));

        assertThat(verdict).doesNotContain("add processors", "raise");
    }

    @Test
    void verdict_ofAnEpochOfATenthOfASecond_isThatItIsTooShort() {
        RunStatistics statistics = new RunStatistics(0, Map.of("ram", 600L), 0, 0, List.of(stage("crop", 0.19)));

        String verdict = Verdict.ofCounting(
                around(1, 1, new Surroundings.Held(600, 1)),
                new EpochReport(2, 600, 10, 1, 0.1, 0.01, 0.01, statistics, null, null, List.of()));

        assertThat(verdict)
                .isEqualTo(
                        "served from RAM: the last epoch took 0.10 s, which is too short to tell what limits the run");
    }

    /** Such as where classes are loaded and compiled until then. */
    @Test
    void verdict_ofAnEpochThatWaitedForItsFirstBatch_isThatItIsTooShort() {
        RunStatistics statistics = new RunStatistics(263, Map.of(), 0, 0, List.of(stage("decode", 0.2)));

        String verdict = Verdict.ofCounting(
                around(1, 1, null), new EpochReport(0, 128, 2, 1, 2.42, 2.34, 0.01, statistics, null, null, List.of()));

        assertThat(verdict)
                .isEqualTo(
                        "the last epoch took 2.42 s, 2.34 s of them until its first batch, which is too short to tell"
                                + " what limits the run");
    }

    @Test
    void verdict_ofAConsumerThatTakesTheTime_isThatItSetsThePace() {
        RunStatistics statistics = new RunStatistics(0, Map.of(), 62_500, 0, List.of(load(310)));

        String verdict = Verdict.ofCounting(
                caused(32, 0, 0.99),
                new EpochReport(0, 62_500, 1000, 1, 10, 0.1, 9, statistics, null, null, List.of()));

        assertThat(verdict).startsWith("the consumer sets the pace");
    }

    private static Surroundings caused(int inFlight, int connections, double processing) {
        return new Surroundings(
                62_500, 2, 8, new LoadsInFlight(inFlight, Bound.SET), 0, 0, 0, Set.of(), null, connections, processing);
    }

    @Test
    void verdict_ofAnEpochFromRam_isThatTheConsumerSetsThePace() {
        String verdict = Verdict.of(
                around(1, 1, new Surroundings.Held(62_500, 1)), epoch(62_500, 0, load(0), stage("decode", 0)));

        assertThat(verdict).startsWith("served from RAM: the consumer sets the pace");
    }

    @Test
    void verdict_ofAPartlyHeldEpoch_saysHowMuchWouldHoldAll() {
        String verdict = Verdict.of(
                around(1, 1, new Surroundings.Held(25_000, 25_000_000_000L)),
                epoch(25_000, 37_500, load(0.1), stage("decode", 18)));

        assertThat(verdict)
                .startsWith(
                        "40 % of the samples came from the cache: --cache-ram 60GiB would hold all 62500; stage \"decode\"");
    }

    @Test
    void verdict_ofTheEpochThatFillsTheCache_saysThatTheNextOneIsServed() {
        String verdict = Verdict.of(
                around(1, 1, new Surroundings.Held(62_500, 1)), epoch(0, 62_500, load(0.1), stage("decode", 18)));

        assertThat(verdict).contains("the next epoch finds results in the cache");
    }

    /** Such as on a disk without room. */
    @Test
    void verdict_ofACacheThatTookNothing_promisesNoHits() {
        String verdict =
                Verdict.of(around(1, 1, new Surroundings.Held(0, 0)), epoch(0, 62_500, load(0.1), stage("decode", 18)));

        assertThat(verdict).contains("the cache holds nothing so far; make room for it, or raise --workers");
    }

    @Test
    void verdict_whereNothingIsUsedUp_isThatTheConsumerSetsThePace() {
        String verdict = Verdict.of(around(1, 1, null), epoch(0, 0, load(10), stage("decode", 2)));

        assertThat(verdict).isEqualTo("the consumer sets the pace (workers 10 % busy, 1.0 of 32 loads in flight)");
    }

    @Test
    void verdict_ofAConsumerThatOnlyCounts_isThatNothingLimits() {
        String verdict = Verdict.ofCounting(around(1, 1, null), epoch(0, 0, load(10), stage("decode", 2)));

        assertThat(verdict).startsWith("nothing limits this run: the consumer only counts (workers 10 % busy");
    }

    @Test
    void verdict_ofAnEpochFromDisk_saysSo() {
        RunStatistics statistics = new RunStatistics(0, Map.of("ram", 0L, "disk", 62_500L), 0, 0, List.of());

        String verdict = Verdict.of(
                around(1, 1, new Surroundings.Held(62_500, 1)),
                new EpochReport(0, 62_500, 1000, 1, 10, 0.1, 0.1, statistics, null, null, List.of()));

        assertThat(verdict).startsWith("served from disk: the consumer sets the pace");
    }

    private static Surroundings around(long forAll, long free, Surroundings.@Nullable Held cache) {
        return new Surroundings(
                62_500, 2, 8, new LoadsInFlight(32, Bound.SET), forAll, free, 0, Set.of("crop"), cache, 0, 0);
    }

    private static EpochReport epoch(long hits, long misses, StageStatistics... stages) {
        RunStatistics statistics = new RunStatistics(62_500 - hits, Map.of("ram", hits), misses, 0, List.of(stages));
        return new EpochReport(0, 62_500, 1000, 1, 10, 0.1, 0.1, statistics, null, null, List.of());
    }

    private static StageStatistics load(double seconds) {
        return new StageStatistics("load", Kind.SOURCE, 62_500, Duration.ofMillis((long) (seconds * 1000)));
    }

    private static StageStatistics stage(String name, double seconds) {
        return new StageStatistics(name, Kind.STAGE, 62_500, Duration.ofMillis((long) (seconds * 1000)));
    }
}
