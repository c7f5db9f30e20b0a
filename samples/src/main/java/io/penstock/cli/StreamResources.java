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
 */
record StreamResources(
        @Nullable Tier cache,
        @Nullable QuarantineFile quarantine,
        @Nullable Scheduler pool) implements AutoCloseable {

    static StreamResources open(StreamOptions options) {
        ByteSize ram = options.cacheRam();
        Tier cache =
                ram == null ? null : ram.isShare() ? RamTier.ofFreeShare(ram.share()) : RamTier.ofBytes(ram.bytes());
        QuarantineFile quarantine = options.quarantine() == null ? null : QuarantineFile.at(options.quarantine());
        Integer workers = options.workers();
        return new StreamResources(
                cache, quarantine, workers == null ? null : Schedulers.newParallel("penstock-worker", workers, true));
    }

    @Override
    public void close() {
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
