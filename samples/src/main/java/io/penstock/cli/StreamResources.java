package io.penstock.cli;

import io.penstock.cache.RamTier;
import io.penstock.pipeline.Tier;
import io.penstock.quarantine.QuarantineFile;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What a run opened, and closes at its end.
 *
 * @param cache      if one was asked for
 * @param quarantine if one was asked for
 * @param pool       of workers, if their number was given
 * @param metrics    if a page was asked for
 */
record StreamResources(
        @Nullable Tier cache,
        @Nullable QuarantineFile quarantine,
        @Nullable Scheduler pool,
        @Nullable MetricsPage metrics)
        implements AutoCloseable {

    static StreamResources open(StreamOptions options) {
        Integer port = options.metricsPort();
        MetricsPage metrics = port == null ? null : MetricsPage.open(port);
        try {
            return open(options, metrics);
        } catch (RuntimeException | Error e) {
            if (metrics != null) {
                metrics.close();
            }
            throw e;
        }
    }

    private static StreamResources open(StreamOptions options, @Nullable MetricsPage metrics) {
        ByteSize ram = options.cacheRam();
        Tier cache =
                ram == null ? null : ram.isShare() ? RamTier.ofFreeShare(ram.share()) : RamTier.ofBytes(ram.bytes());
        QuarantineFile quarantine = options.quarantine() == null ? null : QuarantineFile.at(options.quarantine());
        Integer workers = options.workers();
        return new StreamResources(
                cache == null || metrics == null ? cache : metrics.show(cache),
                quarantine,
                workers == null ? null : Schedulers.newParallel("penstock-worker", workers, true),
                metrics);
    }

    /** What the directory of the persisted cache could have; 0 where there is none. */
    long diskBytes() {
        return 0;
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
