package io.penstock.cache.ram;

import io.penstock.cache.RemovableTier;
import io.penstock.cache.internal.FreeMemory;
import io.penstock.internal.Notice;
import io.penstock.internal.Reclaim;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a cache in memory may take, and what it does when it is full. A value: each method gives a changed copy, and
 * {@link #open} takes the memory.
 */
public final class RamOptions {

    private static final Logger LOG = LoggerFactory.getLogger(RamOptions.class);
    private static final double DEFAULT_SHARE = 0.5;

    private final CachePolicy policy;
    private final long bytes;
    private final double share;

    RamOptions(CachePolicy policy) {
        this(policy, 0, DEFAULT_SHARE);
    }

    private RamOptions(CachePolicy policy, long bytes, double share) {
        this.policy = policy;
        this.bytes = bytes;
        this.share = share;
    }

    /**
     * The max bytes of memory, all told.
     * @throws IllegalArgumentException if they are too few for any sample
     */
    public RamOptions maxBytes(long max) {
        if (max <= RamTier.reserved(max)) {
            throw new IllegalArgumentException("a RAM cache needs more than the %d bytes that its index takes, was %d"
                    .formatted(RamTier.reserved(max), max));
        }
        return new RamOptions(policy, max, 0);
    }

    /**
     * At most this share of the memory that is free when it is opened: what neither anyone uses nor this JVM's heap may
     * still grow into. In a container its limit counts. Half of it unless something else is said; 0.8 is a good share
     * for a process alone.
     * @throws IllegalArgumentException if the share is not in (0, 1]
     */
    public RamOptions maxFreeShare(double max) {
        if (!(max > 0 && max <= 1)) {
            throw new IllegalArgumentException("the share of free memory must be in (0, 1], was " + max);
        }
        return new RamOptions(policy, 0, max);
    }

    /**
     * Opens the cache.
     * @throws IllegalArgumentException if this machine or container has less memory, or nothing is free
     */
    public RemovableTier open() {
        SlabMemory memory = SlabMemory.ofSystem();
        return switch (policy) {
            case HOLD -> new RamTier(bytes(), memory);
            case LRU -> new LruTier(bytes(), memory);
            case COST -> new RamTier(bytes(), memory, new Admission.SavedCost());
        };
    }

    long bytes() {
        Reclaim.nowIfPutOff(); // what a closed tier had is free
        FreeMemory memory = FreeMemory.now();
        if (share > 0) {
            return FreeMemory.share(share, memory.free(), FreeMemory.heapMayGrow());
        }
        if (bytes > memory.total()) {
            throw new IllegalArgumentException(
                    "a RAM cache of %d bytes does not fit into this machine or container of %d bytes; give it less"
                            .formatted(bytes, memory.total()));
        }
        if (bytes > memory.free()) {
            Notice.warn(LOG, "a RAM cache of {} bytes is larger than what is free now, {} bytes", bytes, memory.free());
        }
        return bytes;
    }

    @Override
    public String toString() {
        return "ram cache, " + policy.label();
    }
}
