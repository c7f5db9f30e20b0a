package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.KeyedCache;
import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.fault.StoreException;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is there when the directory is opened again. */
class ReopeningTest {

    private static final int MANY = 400;

    @TempDir
    Path directory;

    private ChronicleOptions options() {
        return ChronicleTier.at(directory).maxBytes(64 << 20);
    }

    private void fill(int from, int to) {
        try (ChronicleTier tier = options().open()) {
            for (int i = from; i < to; i++) {
                assertThat(Values.put(tier, i)).isTrue();
            }
        }
    }

    private static void assertHolds(ChronicleTier tier, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(Values.get(tier, i)).as("sample " + i).isEqualTo(Values.value(i));
        }
    }

    @Test
    void open_again_isWarm() {
        fill(0, MANY);
        fill(MANY, 2 * MANY);

        try (ChronicleTier tier = options().open()) {
            assertHolds(tier, 0, 2 * MANY);
            assertThat(tier.statistics().samples()).isEqualTo(2 * MANY);
            assertThat(tier.statistics().errors()).isZero();
            assertThat(tier.segments()).hasSizeGreaterThan(2);
        }
    }

    @Test
    void open_withoutAppending_makesNoLog() throws IOException {
        fill(0, 10);

        fill(0, 10);
        fill(0, 10);

        assertThat(new CacheFiles(directory).logs()).hasSize(1);
    }

    @Test
    void statistics_ofBytes_areWhatTheFilesOccupy() throws Exception {
        fill(0, MANY);
        fill(MANY, MANY + 3);

        try (ChronicleTier tier = options().open()) {
            long told = tier.statistics().bytes() + Opener.FIXED_BYTES;

            assertThat(occupied()).isLessThanOrEqualTo(told).isGreaterThan(told - told / 20 - 64 * 1024);
        }
    }

    @Test
    void budget_whileFilling_isNeverExceededOnDisk() throws Exception {
        long budget = 6 << 20;
        try (ChronicleTier tier = options().maxBytes(budget).open()) {
            for (int i = 0; i < 2_000; i++) {
                Values.put(tier, i);
                if (i % 200 == 0) {
                    tier.flush().block(Values.TIMEOUT);
                    assertThat(occupied()).isLessThanOrEqualTo(budget);
                }
            }
            TierStatistics full = tier.statistics();

            assertThat(full.refused()).isPositive();
            assertThat(full.bytes()).isBetween(budget - budget / 8, budget);
            assertThat(tier.accepts(Values.key(5_000), Entry.UNKNOWN)).isFalse();
        }
        assertThat(occupied()).isLessThanOrEqualTo(budget);
    }

    /** In 512-byte blocks, by the tool that knows holes. */
    private long occupied() throws Exception {
        Process du = new ProcessBuilder("du", "-sB1", directory.toString()).start();
        String words = new String(du.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(du.waitFor(300, TimeUnit.SECONDS)).isTrue();
        return Long.parseLong(words.split("\\s+", 2)[0]);
    }

    @Test
    void remove_thenOpenAgain_staysForgotten() {
        fill(0, 20);
        try (ChronicleTier tier = options().open()) {
            tier.remove(Values.key(3));
            Values.put(tier, 100);
            tier.remove(Values.key(100));
            Values.put(tier, 4_000);
            tier.flush().block(Values.TIMEOUT);
            tier.remove(Values.key(4_000));
            tier.remove(Values.key(5));
            assertThat(Values.get(tier, 5)).isNull();
            Values.put(tier, 5);
        }

        try (ChronicleTier tier = options().open()) {
            assertThat(Values.get(tier, 3)).isNull();
            assertThat(Values.get(tier, 100)).isNull();
            assertThat(Values.get(tier, 4_000)).isNull();
            assertThat(Values.get(tier, 5)).isEqualTo(Values.value(5));
            assertThat(tier.statistics().samples()).isEqualTo(19);
        }
    }

    @Test
    void keyedCache_overAnOpenedAgainCache_knowsAndClearsItsOwn() {
        fill(0, 5);
        try (ChronicleTier tier = options().open()) {
            KeyedCache<Tensor> cache = KeyedCache.of(Cache.of(tier), Schema.tensor("v"), "mine");
            cache.get("a", () -> Tensor.ofBytes(new byte[10])).block(Values.TIMEOUT);
            cache.get("b", () -> Tensor.ofBytes(new byte[20])).block(Values.TIMEOUT);
        }
        try (ChronicleTier tier = options().open()) {
            KeyedCache<Tensor> cache = KeyedCache.of(Cache.of(tier), Schema.tensor("v"), "mine");
            cache.get("c", () -> Tensor.ofBytes(new byte[30])).block(Values.TIMEOUT);

            assertThat(cache.size().block(Values.TIMEOUT)).isEqualTo(3);
            cache.clear().block(Values.TIMEOUT);

            assertThat(cache.size().block(Values.TIMEOUT)).isZero();
        }

        try (ChronicleTier tier = options().open()) {
            assertThat(KeyedCache.of(Cache.of(tier), Schema.tensor("v"), "mine")
                            .size()
                            .block(Values.TIMEOUT))
                    .isZero();
            assertHolds(tier, 0, 5);
        }
    }

    @Test
    void remove_ofAllInAFinishedFile_givesItsRoomBackAtOnce() throws IOException {
        fill(0, MANY);
        try (ChronicleTier tier = options().open()) {
            long before = tier.statistics().bytes();
            int files = tier.segments().size();
            ByteBuffer held = tier.get(Values.key(0)).block(Values.TIMEOUT);
            for (int i = MANY; i < 2 * MANY; i++) {
                Values.put(tier, i);
            }
            for (int i = 0; i < 2 * MANY; i++) {
                tier.remove(Values.key(i));
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.segments()).hasSizeLessThan(files);
            // the file that is being appended to
            assertThat(tier.statistics().bytes()).isLessThan(before).isLessThan((1 << 20) + (64 << 10));
            assertThat(held).isEqualTo(ByteBuffer.wrap(Values.value(0)));
            for (int i = 0; i < MANY; i++) {
                Values.put(tier, i);
            }
        }

        try (ChronicleTier tier = options().open()) {
            assertHolds(tier, 0, MANY);
            assertThat(tier.statistics().samples()).isEqualTo(MANY);
        }
    }

    @Test
    void remove_everything_givesTheRoomBack() throws IOException {
        fill(0, MANY);
        try (ChronicleTier tier = options().open()) {
            for (int i = 0; i < MANY; i++) {
                tier.remove(Values.key(i));
            }
        }

        try (ChronicleTier tier = options().open()) {
            assertThat(tier.statistics().samples()).isZero();
            assertThat(tier.statistics().bytes()).isLessThan(1 << 20);
        }
        fill(0, 3);
        try (ChronicleTier tier = options().open()) {
            assertHolds(tier, 0, 3);
        }
    }

    @Test
    void forEachKey_tellsEveryKeyAndLength() {
        fill(0, MANY);
        try (ChronicleTier tier = options().open()) {
            tier.remove(Values.key(7));
            Set<SampleKey> keys = new HashSet<>();
            long[] bytes = {0};

            tier.forEachKey((key, length) -> {
                keys.add(key);
                bytes[0] += length;
            });

            assertThat(keys).hasSize(MANY - 1).doesNotContain(Values.key(7)).contains(Values.key(8));
            long live = tier.segments().stream().mapToLong(SegmentReport::live).sum();
            long liveBytes =
                    tier.segments().stream().mapToLong(SegmentReport::liveBytes).sum();
            assertThat(live).isEqualTo(MANY - 1);
            assertThat(liveBytes).isEqualTo(bytes[0] + live * LogEntry.bytes(0));
        }
    }

    @Test
    void open_twiceInOneProcess_saysSo() {
        try (ChronicleTier first = options().open()) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> options().open())
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("is open in this process already");
            }
            assertThat(Values.put(first, 1)).isTrue();
        }

        fill(0, 1);
    }

    @Test
    void open_anotherFormat_namesItAndSaysWhatToDo() throws IOException {
        fill(0, 10);
        for (int format : new int[] {0, 2, 999}) {
            Files.writeString(directory.resolve("format"), CacheFiles.formatLine(format));

            assertThatThrownBy(() -> options().open())
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining("is of format " + format)
                    .hasMessageContaining("clear it or choose another directory");
        }
    }

    @Test
    void open_readOnly_seesWhatOthersAppend() {
        fill(0, 10);
        try (ChronicleTier writer = options().open();
                ChronicleTier reader = options().readOnly().open()) {
            assertHolds(reader, 0, 10);
            assertThat(reader.accepts(Values.key(11), Entry.UNKNOWN)).isFalse();
            assertThat(Values.put(reader, 11)).isFalse();
            Values.put(writer, 12);
            writer.flush().block(Values.TIMEOUT);

            byte[] found = null;
            for (long end = System.nanoTime() + 10_000_000_000L; found == null && System.nanoTime() < end; ) {
                found = Values.get(reader, 12); // a miss has the others' logs looked at
            }

            assertThat(found).isEqualTo(Values.value(12));
        }
    }

    @Test
    void files_thatAreNotOurs_areLeftAlone() throws IOException {
        List<String> foreign = List.of("photo.jpg", "log-xyz/19700101-0000V.cq4", "log-000000/notes.txt", "keep/a");
        fill(0, 10);
        for (String name : foreign) {
            Path file = directory.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "mine");
        }

        fill(10, 20);
        try (ChronicleTier tier = options().open()) {
            assertHolds(tier, 0, 20);
        }
        ChronicleTier.at(directory).clear();

        try (Stream<Path> rest = Files.walk(directory)) {
            assertThat(rest.filter(Files::isRegularFile)
                            .map(file -> directory.relativize(file).toString()))
                    .containsExactlyInAnyOrderElementsOf(foreign);
        }
    }

    @Test
    void clear_whileOpen_isRefused() {
        try (ChronicleTier tier = options().open()) {
            assertThatThrownBy(() -> ChronicleTier.at(directory).clear()).isInstanceOf(StoreException.class);
            assertThat(Values.put(tier, 1)).isTrue();
        }
    }

    @Test
    void put_beyondWhatMayWait_completesLater() {
        try (ChronicleTier tier = options().pendingBytes(0).open()) {
            for (int i = 0; i < 100; i++) {
                assertThat(Values.put(tier, i)).isTrue();
            }
            assertHolds(tier, 0, 100);
        }
    }

    @Test
    void put_ofMoreThanABlock_isHeld() {
        byte[] large = new byte[20 << 20];
        new java.util.SplittableRandom(1).nextBytes(large);
        try (ChronicleTier tier = options().open()) {
            Values.put(tier, 1);
            TierKit.put(tier, Values.key(2), ByteBuffer.wrap(large)).block(Values.TIMEOUT);
            Values.put(tier, 3);
        }

        try (ChronicleTier tier = options().open()) {
            assertThat(tier.get(Values.key(2)).block(Values.TIMEOUT)).isEqualTo(ByteBuffer.wrap(large));
            assertThat(Values.get(tier, 1)).isEqualTo(Values.value(1));
            assertThat(Values.get(tier, 3)).isEqualTo(Values.value(3));
        }
    }

    @Test
    void open_whereNothingCanBeMade_saysSoInWords() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));

        assertThatThrownBy(() -> ChronicleTier.at(file).open())
                .isInstanceOf(StoreException.class)
                .hasMessage(
                        "cannot open the cache in %s: it is a file and no directory; choose another directory", file);
        assertThatThrownBy(() -> ChronicleTier.at(Path.of("/proc/no/cache")).open())
                .isInstanceOf(StoreException.class)
                .hasMessageNotContaining("Exception");
        assertThatThrownBy(() -> ChronicleTier.at(directory).maxBytes(1_000).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot hold one sample")
                .hasMessageContaining("allowed 1000");
    }

    @Test
    void analytics_areNotThere() {
        assertThatThrownBy(() -> Class.forName("net.openhft.chronicle.analytics.Analytics"))
                .isInstanceOf(ClassNotFoundException.class);
    }
}
