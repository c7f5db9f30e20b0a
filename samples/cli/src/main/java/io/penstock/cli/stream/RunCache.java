package io.penstock.cli.stream;

import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.cache.slot.SharedSlots;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.source.Cacheable;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The cache of a run. Its tiers are open before the source is, so that what they refuse is said at once; those of
 * shared memory open when the samples are known, since a slot has their size.
 */
final class RunCache implements AutoCloseable {

    private final CacheOptions options;
    private final UnaryOperator<Cache> shown;
    private final List<Tier> opened = new ArrayList<>();
    private @Nullable SharedSlots slots;
    private @Nullable Cache cache;

    private RunCache(CacheOptions options, UnaryOperator<Cache> shown) {
        this.options = options;
        this.shown = shown;
    }

    /** @param shown makes the cache one whose counts are shown */
    static RunCache open(CacheOptions options, UnaryOperator<Cache> shown) {
        RunCache cache = new RunCache(options, shown);
        try {
            cache.openTiers();
            return cache;
        } catch (RuntimeException | Error e) {
            cache.close();
            throw e;
        }
    }

    /** Fastest first. */
    private void openTiers() {
        CachePolicy policy = Objects.requireNonNullElse(options.policy, CachePolicy.HOLD);
        ByteSize ram = options.ram;
        if (ram != null) {
            opened.add(ram.isShare() ? RamTier.ofFreeShare(ram.share(), policy) : RamTier.ofBytes(ram.bytes(), policy));
        }
        if (options.disk != null) {
            opened.add(options.disk.open(policy, options.verifyReads));
        }
        if (options.redis != null) {
            opened.add(options.redis.open());
        }
        if (options.slots == null && !opened.isEmpty()) {
            cache = shown.apply(Cache.of(opened.toArray(Tier[]::new)));
        }
    }

    /**
     * The cache that a run puts these samples into; null if no flag asks for one. Blocks.
     * @throws IllegalArgumentException if there are to be slots for them and they differ in size
     */
    <T> @Nullable Cache of(Cacheable<T> samples) {
        if (options.slots != null && samples.dataset().size() > 0) {
            slots = options.slots.open(samples.dataset().size(), samples.slotBytes());
            opened.add(options.ram == null ? 0 : 1, slots.tier(samples.dataset(), samples.schema()));
            cache = shown.apply(Cache.of(opened.toArray(Tier[]::new)));
        }
        return cache;
    }

    /** The cache of the samples; null where there is none. */
    @Nullable Cache found() {
        return cache;
    }

    @Override
    public void close() {
        if (cache != null) {
            cache.close();
        } else {
            opened.forEach(Tier::close);
        }
        if (slots != null) {
            slots.close();
        }
    }
}
