package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.PolicySimulationTest.Data;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an LRU disk, alone and behind LRU RAM, hits of a dataset that does not fit. */
class LruDiskSimulationTest {

    private static final int SAMPLES = 1_000;
    private static final int SAMPLE_BYTES = 4096 - 64;
    private static final int EPOCHS = 5;
    /** What a second chance hits beyond exact LRU, where most is held. */
    private static final int MORE = 5;

    private static final int LESS = 1;

    private static final Data DATA = Data.equal(SAMPLES, SAMPLE_BYTES);

    @TempDir
    Path directory;

    private ChronicleTier disk(int percent) {
        return ChronicleTier.at(directory)
                .maxBytes(SAMPLES * 4096L * percent / 100)
                .leastRecentlyUsed()
                .open();
    }

    /** The hits of an epoch, and the share of the samples that was held in the end, both in percent. */
    private record Outcome(double hits, double held) {

        static Outcome of(Cache cache, ChronicleTier disk, boolean shuffled) {
            List<Long> held = new ArrayList<>();
            double hits = PolicySimulationTest.steady(cache, DATA, shuffled, EPOCHS, () -> {
                disk.flush().block();
                held.add(cache.statistics().samples());
            });
            assertThat(cache.statistics().refused())
                    .as("values for which no dropped file was unmapped in time")
                    .isLessThanOrEqualTo(SAMPLES / 100);
            double mean = held.stream()
                    .skip(PolicySimulationTest.WARM_UP - 1)
                    .mapToLong(samples -> samples)
                    .average()
                    .orElseThrow();
            return new Outcome(hits, 100 * mean / SAMPLES);
        }

        /**
         * What is held in fact is less than the budget: see {@code ChronicleOptions.leastRecentlyUsed}. It was counted
         * when nothing waited; during an epoch up to a 32nd of the budget waits, and is found.
         */
        void requireFormula(int percent) {
            assertThat(hits).isBetween(formula(held) - LESS, formula(held + percent / 32.0) + MORE);
        }

        private static double formula(double held) {
            double c = held / 100;
            return 100 * (c + (1 - c) * Math.log(1 - c));
        }
    }

    @ParameterizedTest
    @CsvSource("60, 42, 60")
    void disk_inLruOrder_hitsWhatTheFormulaSays(int percent, double least, double most) {
        try (ChronicleTier disk = disk(percent)) {
            Outcome outcome = Outcome.of(Cache.of(disk), disk, true);

            assertThat(outcome.held).isBetween(least, most);
            outcome.requireFormula(percent);
        }
    }

    @Tag("endurance")
    @ParameterizedTest
    @CsvSource({"10, 0, 10", "30, 12, 30", "50, 31, 50", "70, 50, 70", "90, 68, 90"})
    void disk_ofAnyShareInLruOrder_hitsWhatTheFormulaSays(int percent, double least, double most) {
        disk_inLruOrder_hitsWhatTheFormulaSays(percent, least, most);
    }

    @Tag("endurance")
    @ParameterizedTest
    @CsvSource("95, 75, 95")
    void diskBehindRam_inLruOrder_hitWhatTheFormulaSaysOfBoth(int percent, double least, double most) {
        long ramBytes = SAMPLES * 4384L * percent / 5 / 100;
        ChronicleTier disk = disk(percent * 4 / 5);
        try (Cache cache =
                Cache.of(RamTier.of(CachePolicy.LRU).maxBytes(ramBytes).open(), disk)) {
            Outcome outcome = Outcome.of(cache, disk, true);

            assertThat(outcome.held).isBetween(least, most);
            outcome.requireFormula(percent);
        }
    }

    @Tag("endurance")
    @Test
    void diskBehindRam_inLruOrderNotShuffled_hitNothing() {
        long ramBytes = SAMPLES * 4384L * 90 / 5 / 100;
        ChronicleTier disk = disk(90 * 4 / 5);
        try (Cache cache =
                Cache.of(RamTier.of(CachePolicy.LRU).maxBytes(ramBytes).open(), disk)) {
            Outcome outcome = Outcome.of(cache, disk, false);

            assertThat(outcome.hits).isZero();
        }
    }
}
