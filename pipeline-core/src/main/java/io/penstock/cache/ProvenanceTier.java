package io.penstock.cache;

/** A tier that outlives its process and keeps where its entries came from, to explain misses later. */
public interface ProvenanceTier extends Tier {

    /**
     * Announces a producer before its first put, perhaps several times. Its puts then carry a {@link Provenance}. Returns
     * at once.
     */
    void producedBy(Producer producer);
}
