package io.penstock.cache.internal;

import io.penstock.cache.SampleKey;
import io.penstock.cache.internal.RamSegment.Claim;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races of the RAM tier's index: readers take no lock while entries move. */
public final class RamIndexStress {

    private static final int FIRST = 100;
    private static final int LAST_TAG = 7;

    private RamIndexStress() {}

    /** A segment of seven entries, whose next one makes it grow; tags lie an eighth of their range apart. */
    private static RamSegment filled() {
        RamSegment segment = new RamSegment();
        for (int i = 0; i < LAST_TAG; i++) {
            segment.put(tag(i), 0, FIRST + i, unlimited());
        }
        return segment;
    }

    private static long tag(int number) {
        return (long) number << Long.SIZE - 3;
    }

    private static ByteBudget unlimited() {
        return new ByteBudget(Long.MAX_VALUE);
    }

    /** The last entry is found while the array grows: in the new one it lies beyond the end of the old one. */
    @JCStressTest
    @Outcome(id = "100", expect = Expect.ACCEPTABLE, desc = "found")
    @State
    public static class FindWhileItGrows {
        private static final int AT_LEAST = 150;
        private static final int HELD = heldBeforeItGrows();

        private final RamSegment segment = holding(HELD);

        private static int heldBeforeItGrows() {
            int held = AT_LEAST;
            while (holding(held).bytes() == holding(held + 1).bytes()) {
                held++;
            }
            return held;
        }

        private static RamSegment holding(int entries) {
            RamSegment segment = new RamSegment();
            for (int i = 0; i < entries; i++) {
                segment.put(fromTheLast(i), 0, FIRST + i, unlimited());
            }
            return segment;
        }

        private static long fromTheLast(int number) {
            return (255L - number) << Long.SIZE - 8;
        }

        @Actor
        public void grow() {
            segment.put(fromTheLast(HELD), 0, FIRST, unlimited());
        }

        @Actor
        public void find(I_Result result) {
            result.r1 = (int) segment.find(fromTheLast(0), 0);
        }
    }

    /** An entry is found while those before it come and go, which moves it to and fro. */
    @JCStressTest
    @Outcome(id = "103, 103", expect = Expect.ACCEPTABLE, desc = "found")
    @State
    public static class FindWhileOthersComeAndGo {
        private final RamSegment segment = new RamSegment();

        public FindWhileOthersComeAndGo() {
            segment.put(tag(3) + 3, 0, FIRST + 3, unlimited());
        }

        @Actor
        public void change() {
            segment.put(tag(3) + 1, 0, FIRST + 1, unlimited());
            segment.put(tag(3) + 2, 0, FIRST + 2, unlimited());
            segment.replace(tag(3) + 1, 0, segment.find(tag(3) + 1, 0), 0);
        }

        @Actor
        public void find(II_Result result) {
            result.r1 = (int) segment.find(tag(3) + 3, 0);
            result.r2 = (int) segment.find(tag(3) + 3, 0);
        }
    }

    /** An entry's two cells are one: a tag is never found with the location of the entry that was there before. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not yet")
    @Outcome(id = "102", expect = Expect.ACCEPTABLE, desc = "its own")
    @State
    public static class FindWhileACellIsReused {
        private final RamSegment segment = new RamSegment();

        public FindWhileACellIsReused() {
            segment.put(tag(3) + 1, 0, FIRST + 1, unlimited());
        }

        @Actor
        public void replace() {
            segment.replace(tag(3) + 1, 0, segment.find(tag(3) + 1, 0), 0);
            segment.put(tag(3) + 2, 0, FIRST + 2, unlimited());
        }

        @Actor
        public void find(I_Result result) {
            result.r1 = (int) segment.find(tag(3) + 2, 0);
        }
    }

    /** Of two who want the same key, one gets it. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "one")
    @State
    public static class TwoClaims {
        private final RamSegment segment = filled();
        private Claim first = Claim.REFUSED;
        private Claim second = Claim.REFUSED;

        @Actor
        public void first() {
            first = segment.claim(tag(LAST_TAG), 0, unlimited());
        }

        @Actor
        public void second() {
            second = segment.claim(tag(LAST_TAG), 0, unlimited());
        }

        @Arbiter
        public void after(I_Result result) {
            result.r1 = (first == Claim.GRANTED ? 1 : 0) + (second == Claim.GRANTED ? 1 : 0);
        }
    }

    /** A key that is put while all are forgotten is there or gone, and the number of those forgotten says which. */
    @JCStressTest
    @Outcome(id = "1, 102", expect = Expect.ACCEPTABLE, desc = "put afterwards")
    @Outcome(id = "2, 0", expect = Expect.ACCEPTABLE, desc = "put before")
    @State
    public static class PutWhileItIsCleared {
        private final RamIndex index = new RamIndex(1, unlimited());
        private final SampleKey held = new SampleKey(1, 1);
        private final SampleKey coming = new SampleKey(2, 2);
        private int forgotten;

        public PutWhileItIsCleared() {
            index.put(held, FIRST + 1);
        }

        @Actor
        public void clear() {
            forgotten = index.removeIf(location -> true);
        }

        @Actor
        public void put() {
            index.put(coming, FIRST + 2);
        }

        @Arbiter
        public void after(II_Result result) {
            result.r1 = forgotten;
            result.r2 = (int) (index.find(coming) + index.find(held));
        }
    }

    /** Looking for a key while the index closes finds it or not, and breaks nothing. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "closed")
    @Outcome(id = "106", expect = Expect.ACCEPTABLE, desc = "found")
    @State
    public static class FindWhileItCloses {
        private final RamSegment segment = filled();

        @Actor
        public void close() {
            segment.close();
        }

        @Actor
        public void find(I_Result result) {
            result.r1 = (int) segment.find(tag(LAST_TAG - 1), 0);
        }
    }
}
