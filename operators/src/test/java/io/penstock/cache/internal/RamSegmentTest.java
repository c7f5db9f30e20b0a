package io.penstock.cache.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.internal.RamSegment.Claim;
import io.penstock.testkit.TierKit;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RamSegmentTest {

    private record Entry(long tag, long check) {}

    private static final long LOCATION = 5L << 26;

    /** Few distinct tags make long runs, equal tags with different checks among them; the tails of runs overflow. */
    @Property(tries = 300)
    void segment_anyClaimsAndRemovals_actsAsAMap(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 64) int tagBits, @ForAll boolean crowded) {
        SplittableRandom random = new SplittableRandom(seed);
        RamSegment segment = new RamSegment();
        Map<Entry, Long> model = new HashMap<>();
        for (int i = 1; i < 600; i++) {
            long tag = random.nextLong() >>> 64 - tagBits << (crowded ? 64 - tagBits : random.nextInt(65 - tagBits));
            Entry entry = new Entry(tag, (long) random.nextInt(3) << RamSegment.LOCATION_BITS);
            if (random.nextInt(4) > 0) {
                Claim claim = segment.claim(entry.tag, entry.check, new ByteBudget(1 << 20));
                assertThat(claim == Claim.HELD).isEqualTo(model.containsKey(entry));
                if (claim == Claim.GRANTED) {
                    assertThat(segment.find(entry.tag, entry.check)).isZero();
                    assertThat(segment.replace(entry.tag, entry.check, 0, LOCATION + i))
                            .isTrue();
                    model.put(entry, LOCATION + i);
                }
            } else {
                segment.replace(entry.tag, entry.check, segment.find(entry.tag, entry.check), 0);
                model.remove(entry);
            }
            assertThat(segment.find(entry.tag, entry.check)).isEqualTo(model.getOrDefault(entry, 0L));
        }
        model.forEach((entry, location) ->
                assertThat(segment.find(entry.tag, entry.check)).isEqualTo(location));
    }

    /** One thread moves entries to and fro, and makes the array grow; others look for entries that are always there. */
    @Test
    void find_whileEntriesMove_findsWhatIsThere() throws Exception {
        long[] tags = new SplittableRandom(1).longs(200).toArray();
        AtomicBoolean done = new AtomicBoolean();
        AtomicReference<RamSegment> current = new AtomicReference<>(filled(tags));

        TierKit.inParallel(3, thread -> {
            SplittableRandom random = new SplittableRandom(thread);
            if (thread == 0) {
                for (int round = 0; round < 300; round++) {
                    RamSegment segment = filled(tags);
                    current.set(segment);
                    for (int i = 0; i < 3_000; i++) {
                        long tag = random.nextLong() | 1;
                        segment.claim(tag, 0, new ByteBudget(1 << 20));
                        if (random.nextInt(3) > 0) {
                            segment.replace(tag, 0, segment.find(tag, 0), 0);
                        }
                    }
                }
                done.set(true);
            }
            while (!done.get()) {
                RamSegment segment = current.get();
                for (int i = 0; i < tags.length; i++) {
                    assertThat(segment.find(tags[i] & ~1, 0) == LOCATION + i)
                            .as("entry %d", i)
                            .isTrue();
                }
            }
        });
    }

    private static RamSegment filled(long[] tags) {
        RamSegment segment = new RamSegment();
        for (int i = 0; i < tags.length; i++) {
            segment.claim(tags[i] & ~1, 0, new ByteBudget(1 << 20));
            segment.replace(tags[i] & ~1, 0, 0, LOCATION + i);
        }
        return segment;
    }

    @Test
    void claim_withoutBudgetToGrow_isRefusedAndHarmless() {
        RamSegment segment = new RamSegment();
        SplittableRandom random = new SplittableRandom(1);
        ByteBudget nothing = new ByteBudget(0);

        int granted = 0;
        long[] tags = random.longs(20).toArray();
        for (long tag : tags) {
            granted += segment.claim(tag, 0, nothing) == Claim.GRANTED ? 1 : 0;
        }

        assertThat(granted).isBetween(4, 8);
        assertThat(segment.bytes()).isEqualTo(RamSegment.bytesWhenEmpty());
        assertThat(segment.claim(tags[0], 0, nothing)).isEqualTo(Claim.HELD);
    }

    @Test
    void close_thenClaimAndPublish_doNothing() {
        RamSegment segment = new RamSegment();
        assertThat(segment.claim(1, 0, new ByteBudget(0))).isEqualTo(Claim.GRANTED);

        segment.close();

        assertThat(segment.replace(1, 0, 0, LOCATION)).isFalse();
        assertThat(segment.claim(2, 0, new ByteBudget(100))).isEqualTo(Claim.REFUSED);
        assertThat(segment.find(1, 0)).isZero();
        segment.replace(1, 0, segment.find(1, 0), 0);
    }
}
