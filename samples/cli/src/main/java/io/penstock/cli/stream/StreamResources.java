package io.penstock.cli.stream;

import io.penstock.cache.Cache;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.page.GuardedServer;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.stream.Execution;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * What a run opened, and closes at its end.
 *
 * @param cache      with the tiers that were asked for
 * @param disk       where a part of it lies, if it was asked for
 * @param quarantine if one was asked for
 * @param pool       of workers, if their number was given
 * @param metrics    if a page was asked for
 */
record StreamResources(
        RunCache cache,
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
        CacheOptions caches = options.lazyShard() == null ? new CacheOptions() : CacheOptions.of(options);
        return open(options, RunCache.open(caches, cache -> cache), null, null);
    }

    private static StreamResources open(StreamOptions options, @Nullable MetricsPage metrics) {
        return open(
                options,
                RunCache.open(CacheOptions.of(options), metrics == null ? cache -> cache : metrics::show),
                metrics,
                options.quarantine() == null ? null : QuarantineFile.at(options.quarantine()));
    }

    private static StreamResources open(
            StreamOptions options, RunCache cache, @Nullable MetricsPage metrics, @Nullable QuarantineFile quarantine) {
        Integer workers = options.workers();
        return new StreamResources(
                cache,
                CacheOptions.of(options).disk,
                quarantine,
                workers == null ? null : Execution.newWorkers(workers),
                metrics);
    }

    /** What the persisted cache has, and could sensibly have besides; 0 where there is none. */
    long diskBytes() {
        Cache found = cache.found();
        if (found == null || disk == null) {
            return 0;
        }
        long held = found.tiers().stream()
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
        cache.close();
        if (quarantine != null) {
            quarantine.close();
        }
    }
}
