package io.penstock.cli.stream;

import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.form.PackedForm;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamOptions;
import io.penstock.cache.ram.RamTier;
import io.penstock.cache.slot.SharedSlots;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.source.Cacheable;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Form;
import java.io.IOException;
import java.nio.file.Files;
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

    private static final String DISK = "disk";

    private final CacheFlags options;
    private final UnaryOperator<Cache> shown;
    private final List<Tier> opened = new ArrayList<>();
    private @Nullable SharedSlots slots;

    @Nullable Cache cache; // of the samples

    /** @param shown makes the cache one whose counts are shown */
    RunCache(CacheFlags options, UnaryOperator<Cache> shown) {
        this.options = options;
        this.shown = shown;
        try {
            openTiers();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Fastest first. */
    private void openTiers() {
        CachePolicy policy = Objects.requireNonNullElse(options.policy, CachePolicy.HOLD);
        ByteSize ram = options.ram;
        if (ram != null) {
            RamOptions held = RamTier.of(policy);
            opened.add((ram.isShare() ? held.maxFreeShare(ram.share()) : held.maxBytes(ram.bytes())).open());
        }
        if (options.disk != null) {
            opened.add(options.disk.open(policy, options.verifyReads));
        }
        if (options.redis != null) {
            opened.add(options.redis.open());
        }
        if (options.slots == null && !opened.isEmpty()) {
            Form.Use form = Objects.requireNonNullElse(options.form, Form.Use.AUTO);
            cache = shown.apply(Cache.of(opened.toArray(Tier[]::new)).withForm(PackedForm.zstd(), form));
        }
    }

    /**
     * The samples behind the cache, if a flag asks for one, with hits checked if that is wanted. Blocks.
     * @throws IllegalArgumentException if there are to be slots for them and they differ in size
     */
    <T> Dataset<T> over(Cacheable<T> samples) {
        if (options.slots != null && samples.dataset().size() > 0) {
            slots = options.slots.open(samples.dataset().size(), samples.slotBytes());
            opened.add(options.ram == null ? 0 : 1, slots.tier(samples.dataset(), samples.schema()));
            cache = shown.apply(Cache.of(opened.toArray(Tier[]::new)));
        }
        return samples.in(cache, options.verifyHits);
    }

    /**
     * What its part on disk has, and could have besides; 0 where there is none.
     * @param share of what is free there
     */
    long diskBytes(double share) {
        if (cache == null || options.directory() == null) {
            return 0;
        }
        long held = cache.tiers().stream()
                .filter(tier -> tier.name().equals(DISK))
                .mapToLong(tier -> tier.statistics().bytes())
                .sum();
        try {
            return held
                    + (long) (share * Files.getFileStore(options.directory()).getUsableSpace());
        } catch (IOException e) {
            return held;
        }
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
