package io.penstock.cli.stream;

import io.penstock.cache.Cache;
import io.penstock.cache.Tier;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.RedisSpec;
import io.penstock.page.GuardedServer;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.stream.Execution;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * What a run opened, and closes at its end.
 *
 * @param cache      if one was asked for
 * @param disk       where a part of it lies, if it was asked for
 * @param quarantine if one was asked for
 * @param pool       of workers, if their number was given
 * @param metrics    if a page was asked for
 */
record StreamResources(
        @Nullable Cache cache,
        @Nullable DiskSpec disk,
        @Nullable QuarantineFile quarantine,
        @Nullable Scheduler pool,
        @Nullable MetricsPage metrics)
        implements AutoCloseable {

    private static final double SENSIBLE_SHARE = 0.8;
    private static final String DISK = "disk";

    static StreamResources open(StreamOptions options) {
        Integer port = options.metricsPort();
        MetricsPage metrics = port == null
                ? null
                : MetricsPage.open(Objects.requireNonNullElse(options.metricsHost(), GuardedServer.LOOPBACK), port);
        try {
            return open(options, metrics);
        } catch (RuntimeException | Error e) {
            if (metrics != null) {
                metrics.close();
            }
            throw e;
        }
    }

    /**
     * Without anything that others see: no page of metrics, no quarantine file, and a cache only where a lazy shard
     * asks it how much it holds.
     */
    static StreamResources withoutOutputs(StreamOptions options) {
        return open(options, options.lazyShard() == null ? null : cache(options), null, null);
    }

    private static StreamResources open(StreamOptions options, @Nullable MetricsPage metrics) {
        return open(
                options,
                cache(options),
                metrics,
                options.quarantine() == null ? null : QuarantineFile.at(options.quarantine()));
    }

    private static StreamResources open(
            StreamOptions options,
            @Nullable Cache cache,
            @Nullable MetricsPage metrics,
            @Nullable QuarantineFile quarantine) {
        Integer workers = options.workers();
        return new StreamResources(
                cache == null || metrics == null ? cache : metrics.show(cache),
                options.cacheDisk(),
                quarantine,
                workers == null ? null : Execution.newWorkers(workers),
                metrics);
    }

    private static @Nullable Cache cache(StreamOptions options) {
        ByteSize ram = options.cacheRam();
        DiskSpec disk = options.cacheDisk();
        CachePolicy policy = Objects.requireNonNullElse(options.cachePolicy(), CachePolicy.HOLD);
        List<Supplier<Tier>> levels = new ArrayList<>();
        if (ram != null) {
            levels.add(() ->
                    ram.isShare() ? RamTier.ofFreeShare(ram.share(), policy) : RamTier.ofBytes(ram.bytes(), policy));
        }
        if (disk != null) {
            levels.add(() -> disk.open(policy, options.verifyReads()));
        }
        RedisSpec redis = options.cacheRedis();
        if (redis != null) {
            levels.add(redis::open);
        }
        return levels.isEmpty() ? null : open(levels);
    }

    /** Opens the tiers, fastest first, and closes those that are open if one cannot be opened. */
    private static Cache open(List<Supplier<Tier>> levels) {
        List<Tier> opened = new ArrayList<>();
        try {
            levels.forEach(level -> opened.add(level.get()));
            return Cache.of(opened.toArray(Tier[]::new));
        } catch (RuntimeException | Error e) {
            opened.forEach(Tier::close);
            throw e;
        }
    }

    /** What the persisted cache has, and could sensibly have besides; 0 where there is none. */
    long diskBytes() {
        if (cache == null || disk == null) {
            return 0;
        }
        long held = cache.tiers().stream()
                .filter(tier -> tier.name().equals(DISK))
                .mapToLong(tier -> tier.statistics().bytes())
                .sum();
        try {
            return held
                    + (long) (SENSIBLE_SHARE
                            * Files.getFileStore(disk.directory()).getUsableSpace());
        } catch (IOException e) {
            return held;
        }
    }

    @Override
    public void close() {
        if (metrics != null) {
            metrics.close();
        }
        if (pool != null) {
            pool.dispose();
        }
        if (cache != null) {
            cache.close();
        }
        if (quarantine != null) {
            quarantine.close();
        }
    }
}
