package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.TierStatistics;
import io.penstock.cache.chronicle.internal.CacheFiles;
import io.penstock.cache.chronicle.internal.DiskIndex;
import io.penstock.cache.chronicle.internal.FileSystemSpace;
import io.penstock.cache.chronicle.internal.Location;
import io.penstock.cache.chronicle.internal.LogWriter;
import io.penstock.cache.chronicle.internal.PeerTail;
import io.penstock.cache.chronicle.internal.Segments;
import io.penstock.cache.chronicle.internal.SharedCounters;
import io.penstock.cache.chronicle.internal.Space;
import io.penstock.cache.chronicle.internal.Watch;
import io.penstock.cache.internal.RamIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When values get into the files, and what is known of that. */
class AppendsTest {

    private static final int ROUNDS = 200;
    private static final int VALUES = 5_000;

    @TempDir
    Path directory;

    @Test
    @Timeout(60)
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
            AtomicLong seen = new AtomicLong();
            PeerTail peers = peers(counters, seen);
            FutureTask<Void> appending = new FutureTask<>(() -> count(counters, seen), null);
            new Thread(appending, "appends").start();
            while (!appending.isDone()) {
                peers.follow();
            }
            appending.get();

            assertThat(peers.isBehind()).as("round %d", round).isFalse();
        }
    }

    private static void count(SharedCounters counters, AtomicLong seen) {
        for (int i = 0; i < VALUES; i++) {
            Appends.count(counters, seen);
        }
    }

    private PeerTail peers(SharedCounters counters, AtomicLong seen) throws IOException {
        CacheFiles files = new CacheFiles(directory);
        Segments segments = new Segments(Location.NUMBERS, false);
        DiskIndex index = new DiskIndex(RamIndex.forValuesOf(1 << 20), segments, false, false);
        LogWriter writer = new LogWriter(files, index, segments, counters, new FileSystemSpace(directory), false);
        Watch watch = new Watch(segments, index, counters, () -> 0);
        return new PeerTail(files, index, segments, counters, writer, watch, seen);
    }

    /** So a process that asks before its first file is made is told of no bytes, however much it has put. */
    @Test
    void statistics_whileTheFirstFileIsMade_haveTheSamplesAndNoBytes() {
        CountDownLatch begun = new CountDownLatch(1);
        Space disk = new FileSystemSpace(directory);
        Space slow = new Space() {
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
        try (ChronicleTier tier = new Opener(ChronicleTier.at(directory).maxBytes(64 << 20), slow).open()) {
            assertThat(Values.put(tier, 1)).isTrue();
            TierStatistics before = tier.statistics();

            begun.countDown();
            tier.flush().block(Values.TIMEOUT);

            assertThat(before.samples()).isEqualTo(1);
            assertThat(before.bytes()).isZero();
            assertThat(tier.statistics().bytes()).isPositive();
        }
    }
}
