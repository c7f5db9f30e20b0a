package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.DiskIndex;
import io.penstock.cache.chronicle.internal.FileSystemSpace;
import io.penstock.cache.chronicle.internal.Location;
import io.penstock.cache.chronicle.internal.LogReader;
import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.Segments;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.cache.chronicle.internal.Space;
import io.penstock.cache.chronicle.internal.Watch;
import io.penstock.cache.internal.RamIndex;
import io.penstock.testkit.TierKit;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When values get into the files, and what is known of that. */
class AppendsTest {

    private static final int ROUNDS = 200;
    private static final int VALUES = 5_000;
    private static final int LATE = 60;

    @TempDir
    Path directory;

    @Test
    void put_ofOneValue_isWrittenWithoutAnotherOneThatWakesTheWriter() throws InterruptedException {
        try (ChronicleTier tier = ChronicleTier.at(directory).maxBytes(1 << 20).open()) {
            assertThat(Values.put(tier, 1)).isTrue();

            while (tier.segments().stream().mapToLong(SegmentReport::live).sum() == 0) {
                Thread.sleep(1);
            }
        }
    }

    /** Otherwise every lease would look through all logs for what this process has itself appended. */
    @Test
    void look_whileThisProcessAppends_leavesNothingUnknownBehind() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            SharedCounters counters = SharedCounters.map(directory.resolve("control-" + round));
            LogReader logs = logs(counters);
            FutureTask<Void> appending = new FutureTask<>(() -> count(counters), null);
            new Thread(appending, "appends").start();
            while (!appending.isDone()) {
                logs.follow();
            }
            appending.get();

            assertThat(logs.isBehind()).as("round %d", round).isFalse();
        }
    }

    private static void count(SharedCounters counters) {
        for (int i = 0; i < VALUES; i++) {
            counters.countAppended(1);
        }
    }

    private LogReader logs(SharedCounters counters) throws IOException {
        CacheFiles files = new CacheFiles(directory);
        Segments segments = new Segments(Location.NUMBERS, false);
        DiskIndex index = new DiskIndex(RamIndex.forValuesOf(1 << 20), segments, false, false);
        LogWriter writer = new LogWriter(files, index, segments, counters, new FileSystemSpace(directory), false);
        Watch watch = new Watch(segments, index, counters, () -> 0);
        return new LogReader(files, index, segments, counters, writer, watch);
    }

    /** Another rank fills the disk while this one, which has accepted values, still begins its first file. */
    @Test
    void put_acceptedBeforeAnotherProcessFillsTheDisk_isHeldInTheEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        ChronicleOptions options =
                ChronicleTier.at(directory).maxBytes(32 << 20).segmentBytes(1 << 20);
        try (ChronicleTier tier = new Opener(options, spaceAfter(begun)).open();
                Child other = Child.start(Filler.class, directory)) {
            List<SampleKey> accepted = new ArrayList<>();
            for (int i = 0; i < LATE; i++) {
                if (Filler.put(tier, i)) {
                    accepted.add(Values.key(i));
                }
            }
            assertThat(other.line()).startsWith("filled");

            begun.countDown();
            tier.flush().block(Values.TIMEOUT);

            assertThat(accepted).hasSize(LATE).allMatch(tier::contains);
            assertThat(tier.statistics().refused()).isZero();
        }
    }

    /** Puts values until nothing more is taken. */
    static final class Filler {

        private static final byte[] VALUE = new byte[16 << 10];

        public static void main(String[] arguments) {
            try (ChronicleTier tier = ChronicleTier.at(Path.of(arguments[0]))
                    .maxBytes(32 << 20)
                    .segmentBytes(1 << 20)
                    .open()) {
                int number = 1 << 20;
                while (put(tier, number)) {
                    number++;
                }
                tier.flush().block(Values.TIMEOUT);
                Child.output().println("filled " + number);
            }
        }

        static boolean put(ChronicleTier tier, long number) {
            return Boolean.TRUE.equals(TierKit.put(tier, Values.key(number), ByteBuffer.wrap(VALUE))
                    .block(Values.TIMEOUT));
        }
    }

    /** What was accepted has its room, also while the file is not there yet. */
    @Test
    void statistics_whileTheFirstFileIsMade_haveTheSamplesAndTheirRoom() {
        CountDownLatch begun = new CountDownLatch(1);
        ChronicleOptions options = ChronicleTier.at(directory).maxBytes(64 << 20);
        try (ChronicleTier tier = new Opener(options, spaceAfter(begun)).open()) {
            assertThat(Values.put(tier, 1)).isTrue();
            TierStatistics before = tier.statistics();

            begun.countDown();
            tier.flush().block(Values.TIMEOUT);

            assertThat(before.samples()).isEqualTo(1);
            assertThat(before.bytes()).isPositive().isEqualTo(tier.statistics().bytes());
        }
    }

    /** Otherwise a tier would hit more than its budget holds: what waits is found. */
    @Test
    void put_whileTheDiskOfATierThatEvictsIsSlow_isFoundAsFarAsTheBudgetCountsIt() {
        long budget = 16 << 20;
        CountDownLatch begun = new CountDownLatch(1);
        ChronicleOptions options = ChronicleTier.at(directory).maxBytes(budget).leastRecentlyUsed();
        try (ChronicleTier tier = new Opener(options, spaceAfter(begun)).open()) {
            List<CompletableFuture<Boolean>> puts = IntStream.range(0, LATE)
                    .mapToObj(i -> TierKit.put(tier, Values.key(i), ByteBuffer.wrap(new byte[64 << 10]))
                            .toFuture())
                    .toList();
            TierStatistics waiting = tier.statistics();

            assertThat(waiting.samples()).isBetween(1L, budget / 16 / (64 << 10));
            assertThat(waiting.bytes()).isBetween(waiting.samples() * (64 << 10), budget);
            assertThat(IntStream.range(0, LATE).filter(i -> tier.contains(Values.key(i))))
                    .hasSize((int) waiting.samples());

            begun.countDown();
            assertThat(puts).allMatch(CompletableFuture::join);
            tier.flush().block(Values.TIMEOUT);
            assertThat(tier.statistics().samples()).isEqualTo(LATE);
            assertThat(tier.statistics().bytes()).isBetween((long) LATE * (64 << 10), budget);
        }
    }

    /** A disk of which nothing is known before something is counted down. */
    private Space spaceAfter(CountDownLatch begun) {
        Space disk = new FileSystemSpace(directory);
        return new Space() {
            @Override
            public void reserve(Path file, long bytes) throws IOException {
                disk.reserve(file, bytes);
            }

            @Override
            public void trim(Path file, long from, long to) throws IOException {
                disk.trim(file, from, to);
            }

            @Override
            public long free() throws IOException {
                try {
                    begun.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                return disk.free();
            }
        };
    }
}
