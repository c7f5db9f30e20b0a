package io.penstock.cache;

/**
 * What a tier is told beside a value.
 *
 * @param epoch     the value was loaded in, for policies that measure in one epoch and act in the next
 * @param loadNanos what loading it took; 0 where it came from a slower tier
 * @param spare     whether a slower tier holds it too, so that it may give way to values that none holds
 * @param origin    where it came from, for tiers that outlive the process
 */
public record Offer(long epoch, long loadNanos, boolean spare, Origin origin) {

    /** Of a value that nobody knows anything of. */
    public static final Offer UNKNOWN = new Offer(0, 0, false);

    /** A copy of what a slower tier holds. */
    static final Offer SPARE = new Offer(0, 0, true);

    /** An offer of a value that nobody knows the origin of. */
    public Offer(long epoch, long loadNanos, boolean spare) {
        this(epoch, loadNanos, spare, Origin.UNKNOWN);
    }

    Offer asSpare() {
        return spare ? this : new Offer(epoch, loadNanos, true, origin);
    }
}
