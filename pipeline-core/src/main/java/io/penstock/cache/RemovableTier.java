package io.penstock.cache;

/** A tier that can forget single keys. */
public interface RemovableTier extends Tier {

    /** Forgets a key. Its readers may read on; the tier reuses the room later. */
    void remove(SampleKey key);
}
