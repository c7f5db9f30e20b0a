package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cache.Entry;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.internal.Space;
import io.penstock.fault.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file system is full before the budget is: the cache keeps what it has, and nobody is harmed. */
class FullDiskTest {

    private static final int SAMPLES = 3_000;

    @TempDir
    Path directory;

    /** A file system with so much room and no more. */
    private static final class Quota implements Space {
        private long left;

        Quota(long bytes) {
            left = bytes;
        }

        @Override
        public void reserve(Path file, long bytes) throws IOException {
            if (bytes > left) {
                throw new IOException("no space left in the quota");
            }
            left -= bytes;
            Files.createFile(file);
        }

        @Override
        public void trim(Path file, long from, long to) {}

        @Override
        public long free() {
            return Math.max(left, 2 << 20);
        }
    }

    private static void fillBeyond(ChronicleTier tier) {
        for (int i = 0; i < SAMPLES; i++) {
            Values.put(tier, i);
        }
        tier.flush().block(Values.TIMEOUT);

        int held = 0;
        for (int i = 0; i < SAMPLES; i++) {
            byte[] found = Values.get(tier, i);
            assertThat(found).isIn(null, Values.value(i));
            held += found == null ? 0 : 1;
        }
        TierStatistics full = tier.statistics();
        assertThat(full.samples()).isEqualTo(held).isBetween(100L, SAMPLES - 100L);
        assertThat(full.errors()).isEqualTo(1); // and one warning with it
        assertThat(tier.accepts(Values.key(0), Entry.UNKNOWN)).isFalse();
        assertThat(tier.lease(Values.key(SAMPLES)).block(Values.TIMEOUT)).isNotNull();
    }

    @Test
    void quota_usedUp_turnsTheCacheReadOnly() {
        ChronicleOptions options = ChronicleTier.at(directory).maxBytes(64 << 20);
        try (ChronicleTier tier = new Opener(options, new Quota(4 << 20)).open()) {
            fillBeyond(tier);
        }

        try (ChronicleTier tier = options.open()) {
            assertThat(Values.get(tier, 0)).isEqualTo(Values.value(0));
            assertThat(Values.put(tier, SAMPLES)).isTrue();
        }
    }

    @Test
    void fileSystem_reallyFull_turnsTheCacheReadOnly() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", directory.toString()), "may not mount");
        try (ChronicleTier tier =
                ChronicleTier.at(directory.resolve("cache")).maxBytes(64 << 20).open()) {
            fillBeyond(tier);
        } finally {
            assertThat(run("umount", "-l", directory.toString())).isTrue();
        }
    }

    @Test
    void fileSystem_filledByOthers_turnsTheCacheReadOnly() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", directory.toString()), "may not mount");
        try (ChronicleTier tier =
                ChronicleTier.at(directory.resolve("cache")).maxBytes(64 << 20).open()) {
            for (int i = 0; i < 200; i++) {
                Values.put(tier, i);
            }
            tier.flush().block(Values.TIMEOUT);
            try (var out = Files.newOutputStream(directory.resolve("other"))) {
                for (int i = 0; i < 8 << 20; i += 4096) {
                    out.write(new byte[4096]);
                }
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("space");
            }
            fillBeyond(tier);
        } finally {
            assertThat(run("umount", "-l", directory.toString())).isTrue();
        }
    }

    @Test
    void open_whereNothingCanBeWritten_saysSoInWords() throws Exception {
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", directory.toString()), "may not mount");
        try {
            Path cache = Files.createDirectory(directory.resolve("cache"));
            try (var out = Files.newOutputStream(directory.resolve("other"))) {
                out.write(new byte[1 << 20]);
            } catch (IOException full) {
                assertThat(full).hasMessageContaining("space");
            }
            assertThatThrownBy(() -> ChronicleTier.at(cache).maxBytes(64 << 20).open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("cannot open the cache in " + cache)
                    .hasMessageContaining("No space left on device")
                    .hasMessageNotContaining("Exception");

            assertThat(run("mount", "-o", "remount,ro", directory.toString())).isTrue();

            assertThatThrownBy(() -> ChronicleTier.at(cache).maxBytes(64 << 20).open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("cannot open the cache in " + cache)
                    .hasMessageContaining("Read-only file system")
                    .hasMessageNotContaining("Exception");
        } finally {
            assertThat(run("umount", "-l", directory.toString())).isTrue();
        }
    }

    @Test
    void open_whereNothingCanBeWrittenAnyMore_readsWhatThereIs() throws Exception {
        Path cache = Files.createDirectory(directory.resolve("cache"));
        Path view = Files.createDirectory(directory.resolve("view"));
        try (ChronicleTier tier = ChronicleTier.at(cache).maxBytes(1 << 20).open()) {
            Values.put(tier, 0);
            tier.flush().block(Values.TIMEOUT);
        }
        assumeTrue(run("mount", "--bind", cache.toString(), view.toString()), "may not mount");
        try {
            assertThat(run("mount", "-o", "remount,bind,ro", view.toString())).isTrue();

            try (ChronicleTier tier = ChronicleTier.at(view).maxBytes(1 << 20).open()) {
                assertThat(Values.get(tier, 0)).isEqualTo(Values.value(0));
                assertThat(tier.accepts(Values.key(1), Entry.UNKNOWN)).isFalse();
            }
        } finally {
            assertThat(run("umount", "-l", view.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws Exception {
        try {
            Process process = new ProcessBuilder(command).start();
            return process.waitFor(300, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false; // there is no such program
        }
    }
}
