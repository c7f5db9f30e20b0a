package io.penstock.cache.chronicle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.SampleKey;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads that put, find and remove keys of their own, each of which must be there from its put to its removal and never
 * after it, and look at those of the others, also again at views they got long ago.
 */
@Tag("repeated")
class RacesTest {

    private static final int THREADS = 4;
    private static final int KEYS = 24;
    private static final int STEPS =
            Integer.getInteger("penstock.races", Boolean.getBoolean("penstock.endurance") ? 5_000 : 1_000);

    private static final int ROUNDS = Boolean.getBoolean("penstock.endurance") ? 40 : 10;

    @TempDir
    Path directory;

    private final AtomicLong taken = new AtomicLong();

    /** The views that readers of any thread got last, to be looked at again later. */
    private final AtomicReferenceArray<Held> held = new AtomicReferenceArray<>(THREADS * KEYS);

    /** How many of them: fewer are younger, and their files are not those that are given up. */
    private int views = THREADS * KEYS;

    private record Held(long number, ByteBuffer view) {}

    @Test
    void putFindAndRemove_atOnce_showEachValueFromPutToRemove() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (ChronicleTier tier = ChronicleTier.at(directory)
                .maxBytes(24 << 20)
                .segmentBytes(1 << 20)
                .pendingBytes(1 << 20)
                .open()) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int own = thread;
                running.add(threads.submit(() -> work(tier, own)));
            }
            for (Future<?> one : running) {
                one.get(2, TimeUnit.MINUTES);
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(taken.get()).as("bytes put, against the budget").isGreaterThan(48 << 20);
            assertThat(tier.statistics().errors()).isZero();
        } finally {
            threads.shutdownNow();
        }
    }

    /** The last puts wait together for room that is enough for some of them. */
    @Test
    void put_intoATierThatFillsUp_saysOfEachValueWhetherItIsHeld() throws Exception {
        byte[] value = new byte[300_000];
        for (int round = 0; round < ROUNDS; round++) {
            Set<SampleKey> said = ConcurrentHashMap.newKeySet();
            try (ChronicleTier tier = ChronicleTier.at(directory.resolve("round" + round))
                    .maxBytes(8 << 20)
                    .segmentBytes(1 << 20)
                    .open()) {
                TierKit.inParallel(THREADS, thread -> {
                    for (int number = thread; number < 40; number += THREADS) {
                        SampleKey key = Values.key(number);
                        if (Boolean.TRUE.equals(
                                TierKit.put(tier, key, ByteBuffer.wrap(value)).block(Values.TIMEOUT))) {
                            said.add(key);
                        }
                    }
                });
                tier.flush().block(Values.TIMEOUT);

                assertThat(said).hasSizeBetween(20, 27);
                assertThat(said).allMatch(tier::contains);
            }
        }
    }

    /** The keys of all threads together are more than the tier holds, so files are given up and values move all the time. */
    @Test
    void putFindAndRemove_whileFilesAreGivenUp_showNoValueThatWasRemovedOrIsWrong() throws Exception {
        views = 4;
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (ChronicleTier tier = ChronicleTier.at(directory)
                .maxBytes(700 << 10)
                .pendingBytes(64 << 10)
                .leastRecentlyUsed()
                .open()) {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                int own = thread;
                running.add(threads.submit(() -> churn(tier, own)));
            }
            for (Future<?> one : running) {
                one.get(2, TimeUnit.MINUTES);
            }
            tier.flush().block(Values.TIMEOUT);

            assertThat(tier.statistics().evicted()).isPositive();
            assertThat(tier.statistics().errors()).isZero();
            long found = LongStream.range(0, THREADS * KEYS)
                    .filter(number -> tier.contains(keyOf(number)))
                    .count();
            assertThat(tier.statistics().samples()).isEqualTo(found);
        } finally {
            threads.shutdownNow();
        }
    }

    private void churn(ChronicleTier tier, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        boolean[] removed = new boolean[KEYS];
        for (int step = 0; step < STEPS / 2; step++) {
            int key = random.nextInt(KEYS);
            long number = (long) thread * KEYS + key;
            if (removed[key]) {
                assertThat(look(tier, number)).as("removed before").isFalse();
            }
            if (random.nextInt(4) == 0) {
                tier.remove(keyOf(number));
                assertThat(look(tier, number)).as("removed").isFalse();
                removed[key] = true;
            } else {
                put(tier, number);
                removed[key] = false;
            }
            look(tier, random.nextInt(THREADS * KEYS));
            Held before = held.get(random.nextInt(views));
            if (before != null) {
                assertRight(before.number, before.view);
            }
        }
    }

    private void work(ChronicleTier tier, int thread) {
        SplittableRandom random = new SplittableRandom(thread);
        boolean[] there = new boolean[KEYS];
        for (int step = 0; step < Math.max(STEPS, 4_000); step++) {
            int key = random.nextInt(KEYS);
            long number = (long) thread * KEYS + key;
            if (there[key]) {
                assertThat(look(tier, number)).as("put and not removed").isTrue();
                tier.remove(keyOf(number));
                there[key] = false;
                assertThat(look(tier, number)).as("removed").isFalse();
            } else {
                assertThat(look(tier, number)).as("removed before").isFalse();
                there[key] = put(tier, number);
                if (there[key]) {
                    taken.addAndGet(lengthOf(number));
                    assertThat(look(tier, number)).as("put").isTrue();
                }
            }
            look(tier, random.nextInt(THREADS * KEYS));
            Held before = held.get(random.nextInt(views));
            if (before != null) {
                assertRight(before.number, before.view);
            }
        }
    }

    private static SampleKey keyOf(long number) {
        return SampleKey.of("raced").with(number);
    }

    /** On both sides of where the log goes over from its mapping to calls. */
    private static int lengthOf(long number) {
        return number % 4 == 0 ? 20_000 : 200 + (int) number * 50;
    }

    private static boolean put(ChronicleTier tier, long number) {
        ByteBuffer value = ByteBuffer.allocate(lengthOf(number));
        while (value.remaining() >= Long.BYTES) {
            value.putLong(number);
        }
        return Boolean.TRUE.equals(
                TierKit.put(tier, keyOf(number), value.rewind()).block(Values.TIMEOUT));
    }

    private boolean look(ChronicleTier tier, long number) {
        ByteBuffer found = tier.get(keyOf(number)).block(Values.TIMEOUT);
        if (found == null) {
            return false;
        }
        assertRight(number, found);
        held.set((int) number % views, new Held(number, found));
        return true;
    }

    private static void assertRight(long number, ByteBuffer view) {
        assertThat(view.limit()).isEqualTo(lengthOf(number));
        for (int at = 0; at + Long.BYTES <= view.limit(); at += Long.BYTES) {
            if (view.getLong(at) != number) {
                assertThat(view.getLong(at)).as("at byte " + at).isEqualTo(number);
            }
        }
    }
}
