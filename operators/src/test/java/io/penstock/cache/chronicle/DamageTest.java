package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.LogEntry;
import io.penstock.cache.chronicle.internal.Watch;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever happens to the files: what is served is right, the rest is a miss, and can be put again. */
class DamageTest {

    private static final int SAMPLES = 700;
    private static final long USED = 1 << 20; // of a file's length the rest is a hole

    @TempDir
    static Path whole;

    @TempDir
    static Path copies;

    @BeforeAll
    static void fill() {
        for (int process = 0; process < 2; process++) {
            try (ChronicleTier tier = options(whole).open()) {
                for (int i = process * SAMPLES / 2; i < (process + 1) * SAMPLES / 2; i++) {
                    assertThat(Values.put(tier, i)).isTrue();
                }
            }
        }
    }

    private static ChronicleOptions options(Path directory) {
        return ChronicleTier.at(directory).maxBytes(64 << 20).segmentBytes(1 << 20);
    }

    private static Path copy(String name) throws IOException {
        Path copy = copies.resolve(name);
        for (Path file : filesIn(whole)) {
            Path target = copy.resolve(whole.relativize(file));
            Files.createDirectories(target.getParent());
            try (FileChannel from = FileChannel.open(file);
                    RandomAccessFile to = new RandomAccessFile(target.toFile(), "rw")) {
                from.transferTo(0, USED, to.getChannel());
                to.setLength(from.size());
            }
        }
        return copy;
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** How many samples are there; none is wrong. Then all are put again, and all are there. */
    private static int surviving(Path directory) {
        int there = 0;
        try (ChronicleTier tier = options(directory).open()) {
            for (int i = 0; i < SAMPLES; i++) {
                byte[] found = Values.get(tier, i);
                if (found != null) {
                    assertThat(found).as("sample " + i).isEqualTo(Values.value(i));
                    there++;
                } else {
                    assertThat(Values.put(tier, i)).isTrue();
                }
            }
            assertThat(tier.statistics().samples()).isEqualTo(SAMPLES);
        }
        try (ChronicleTier tier = options(directory).open()) {
            for (int i = 0; i < SAMPLES; i++) {
                assertThat(Values.get(tier, i)).as("sample " + i + " put again").isEqualTo(Values.value(i));
            }
        }
        return there;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void bits_flippedInEveryFile_costTheirSamplesOnly(long seed) throws IOException {
        Path copy = copy("flipped-" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        int flips = 0;
        for (Path file : filesIn(copy)) {
            for (int i = 0; i < seed && Files.size(file) > 0; i++, flips++) {
                flip(file, random.nextLong(Math.min(Files.size(file), USED)), random.nextInt(8));
            }
        }

        assertThat(surviving(copy)).isGreaterThanOrEqualTo(SAMPLES - flips);
    }

    @Test
    void bits_flippedInEachHeader_costOneSampleEach() throws IOException {
        Path copy = copy("headers");
        Path segment = new CacheFiles(copy)
                .segments(new CacheFiles(copy).logs().get(0))
                .get(0);
        long document = 404 - LogEntry.WORD;
        for (int i = 0; i < 20; i++) {
            long valueAt = LogEntry.valueAt(document);
            int bit = i % (LogEntry.WORD * 8 - 2);
            flip(segment, document + bit / 8, bit % 8);
            document = LogEntry.end(valueAt, Values.value(i).length);
        }

        assertThat(surviving(copy)).isEqualTo(SAMPLES);
    }

    @Test
    void value_changedOnDisk_isAMissAndCounted() throws IOException {
        Path copy = copy("value");
        try (ChronicleTier tier = options(copy).open()) {
            Path segment = new CacheFiles(copy)
                    .segments(new CacheFiles(copy).logs().get(0))
                    .get(0);
            flip(segment, LogEntry.valueAt(404 - LogEntry.WORD), 0);

            assertThat(Values.get(tier, 0)).isNull();
            assertThat(Values.get(tier, 0)).isNull();
            assertThat(tier.statistics().errors()).isEqualTo(1);
            assertThat(tier.segments().get(0).damaged()).isEqualTo(1);
            assertThat(Values.put(tier, 0)).isTrue();
            assertThat(Values.get(tier, 0)).isEqualTo(Values.value(0));
        }

        assertThat(surviving(copy)).isEqualTo(SAMPLES);
    }

    @Test
    void value_changedAfterItsFirstRead_isSeenWhenEveryReadIsVerified() throws IOException {
        Path copy = copy("verified");
        try (ChronicleTier tier = options(copy).verifyEveryRead().open()) {
            Path segment = new CacheFiles(copy)
                    .segments(new CacheFiles(copy).logs().get(0))
                    .get(0);
            assertThat(Values.get(tier, 0)).isNotNull();
            flip(segment, LogEntry.valueAt(404 - LogEntry.WORD), 0);

            assertThat(Values.get(tier, 0)).isNull();
        }
    }

    @Test
    void value_changedAfterItsReads_isSeenOnceTheProcessHasWaitedForTheDisk() throws IOException {
        Path copy = copy("paged");
        AtomicLong majorFaults = new AtomicLong(7);
        try (ChronicleTier tier = options(copy).open()) {
            Watch watch = tier.watch(majorFaults::get);
            Path segment = new CacheFiles(copy)
                    .segments(new CacheFiles(copy).logs().get(0))
                    .get(0);
            for (int i = 0; i < 3; i++) {
                assertThat(Values.get(tier, 0)).isNotNull();
            }
            flip(segment, LogEntry.valueAt(404 - LogEntry.WORD), 0);
            watch.look();
            assertThat(Values.get(tier, 0))
                    .isNotEqualTo(Values.value(0)); // of the same pages no one says that they changed

            majorFaults.incrementAndGet();
            watch.look();

            assertThat(Values.get(tier, 0)).isNull();
            assertThat(Values.get(tier, 1)).isEqualTo(Values.value(1));
            assertThat(tier.statistics().errors()).isEqualTo(1);
        }
    }

    @Test
    void majorFaults_ofThisProcess_areCountedByLinux() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/stat")), "no /proc here");

        assertThat(Watch.majorFaults()).isNotNegative();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void files_truncatedAnywhere_loseWhatWasBehind(long seed) throws IOException {
        Path copy = copy("truncated-" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (Path file : filesIn(copy)) {
            long size = Math.min(Files.size(file), USED);
            truncate(file, seed == 1 ? 0 : seed == 2 ? Math.min(3, size) : random.nextLong(size + 1));
        }

        int there = surviving(copy);

        assertThat(there).isBetween(seed <= 2 ? 0 : 1, SAMPLES);
    }

    @Test
    void segments_deleted_loseWhatWasInThem() throws IOException {
        Path copy = copy("deleted");
        CacheFiles files = new CacheFiles(copy);
        Files.delete(files.segments(files.logs().get(0)).get(1));
        Files.delete(files.logs().get(1).resolve("metadata.cq4t"));

        assertThat(surviving(copy)).isBetween(SAMPLES / 2, SAMPLES - 10);
    }

    @Test
    void files_ofOurs_allGoneButTheLogs_areMadeAnew() throws IOException {
        Path copy = copy("bare");
        CacheFiles files = new CacheFiles(copy);
        for (Path file : List.of(files.control(), files.locks(), files.once(), copy.resolve("format"))) {
            Files.delete(file);
        }

        assertThat(surviving(copy)).isEqualTo(SAMPLES);
    }

    private static void flip(Path file, long at, int bit) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, at);
            channel.write(one.put(0, (byte) (one.get(0) ^ 1 << bit)).rewind(), at);
        }
    }

    private static void truncate(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }
    }
}
