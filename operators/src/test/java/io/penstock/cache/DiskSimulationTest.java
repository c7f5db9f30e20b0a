package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cache.PolicySimulationTest.Data;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the disk, alone and behind RAM, hits of a dataset that does not fit. */
class DiskSimulationTest {

    private static final int SAMPLES = 5_000;

    /** With its header, a page. */
    private static final int SAMPLE_BYTES = 4096 - 64;

    private static final long DISK_BYTES = SAMPLES * 4096L;
    private static final long RAM_BYTES = SAMPLES * (SAMPLE_BYTES + 24L);
    private static final long FIXED_BYTES = 36 << 10;
    private static final Data DATA = Data.equal(SAMPLES, SAMPLE_BYTES);

    @TempDir
    Path directory;

    private ChronicleTier disk(boolean shuffled, int percent) {
        return ChronicleTier.at(directory.resolve("shuffled " + shuffled))
                .maxBytes(FIXED_BYTES + DISK_BYTES * percent / 100)
                .segmentBytes(8 << 20)
                .open();
    }

    @ParameterizedTest
    @ValueSource(ints = 50)
    void disk_ofAShareOfTheData_hitsThatShare(int percent) {
        for (boolean shuffled : new boolean[] {true, false}) {
            try (ChronicleTier disk = disk(shuffled, percent)) {
                double hits = PolicySimulationTest.steady(
                        Cache.of(disk), DATA, shuffled, () -> disk.flush().block());

                assertThat(hits).as("shuffled: " + shuffled).isCloseTo(percent, within(0.5));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = 50)
    void diskBehindRam_ofAShareOfTheDataTogether_hitThatShare(int percent) {
        int onDisk = percent * 3 / 5;
        for (boolean shuffled : new boolean[] {true, false}) {
            ChronicleTier disk = disk(shuffled, onDisk);
            try (Cache cache = Cache.of(RamTier.ofBytes(RAM_BYTES * (percent - onDisk) / 100), disk)) {
                double hits = PolicySimulationTest.steady(
                        cache, DATA, shuffled, () -> disk.flush().block());

                assertThat(hits).as("shuffled: " + shuffled).isCloseTo(percent, within(0.5));
            }
        }
    }
}
