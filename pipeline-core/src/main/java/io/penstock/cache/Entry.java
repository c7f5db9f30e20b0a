package io.penstock.cache;

/**
 * What a tier learns about a value.
 *
 * @param epoch      in which it was loaded, for policies that measure in one epoch and act in the next
 * @param loadNanos  how long the load took; 0 if the value came from another tier
 * @param spare      whether a slower tier holds it too; then it may give way to values that no other tier holds
 * @param handsDown  whether a slower tier takes what gives way for it; otherwise {@link Put#displaced} is ignored
 * @param provenance where it came from, for a {@link ProvenanceTier}
 */
public record Entry(long epoch, long loadNanos, boolean spare, boolean handsDown, Provenance provenance) {

    /** A value of which nothing is known. */
    public static final Entry UNKNOWN = of(0, 0);

    /** A copy of a value in a slower tier. */
    public static final Entry SPARE = UNKNOWN.asSpare();

    /** A value of unknown provenance that only one tier is to hold. */
    public static Entry of(long epoch, long loadNanos) {
        return new Entry(epoch, loadNanos, false, false, Provenance.UNKNOWN);
    }

    /** The same with its provenance. */
    public Entry from(Provenance from) {
        return new Entry(epoch, loadNanos, spare, handsDown, from);
    }

    /** The same for one more copy. */
    public Entry asSpare() {
        return spare ? this : new Entry(epoch, loadNanos, true, handsDown, provenance);
    }

    Entry handingDown() {
        return new Entry(epoch, loadNanos, spare, true, provenance);
    }
}
