package io.penstock.cache;

import io.penstock.cache.ram.RamTier;
import java.util.EnumSet;
import java.util.Set;

/** A chain is a tier: here of two levels of RAM, of which the faster holds nothing. */
class ChainTest extends TierKit {

    @Override
    protected Set<Trait> traits() {
        return EnumSet.of(Trait.REMOVES_KEYS, Trait.SPARES_GIVE_WAY, Trait.ASKS_FIRST);
    }

    @Override
    protected Tier open(long bytes) {
        return RamTier.ofBytes(1).backedBy(RamTier.ofBytes(bytes));
    }
}
