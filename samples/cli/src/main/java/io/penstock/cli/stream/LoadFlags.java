package io.penstock.cli.stream;

import io.penstock.cache.ram.RamTier;
import io.penstock.cli.flag.ByteSize;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.SampleRows;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Execution;
import io.penstock.stream.Sample;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;

/** The flags for threads, and for what is loaded ahead. */
final class LoadFlags {

    @Option(names = "--in-flight", paramLabel = "N", converter = NumberFlag.InFlight.class)
    private @Nullable Integer inFlight;

    @Option(names = "--unordered", paramLabel = "N", converter = NumberFlag.Window.class)
    @Nullable Integer unordered;

    @Option(names = "--prefetch-bytes", paramLabel = "SIZE")
    private @Nullable ByteSize prefetchBytes;

    @Option(names = "--workers", paramLabel = "N", converter = NumberFlag.Threads.class)
    private @Nullable Integer workers;

    /** Workers of the run's own; null where it has those of all. */
    @Nullable Scheduler pool() {
        return workers == null ? null : Execution.newWorkers(workers);
    }

    Execution execution(@Nullable Scheduler pool) {
        Execution execution = Execution.standard();
        if (pool != null && workers != null) {
            execution = execution.workers(pool, workers);
        }
        if (unordered != null) {
            execution = execution.window(unordered);
        }
        return inFlight == null ? execution : execution.inFlight(inFlight);
    }

    <T> Flux<Sample<T>> samples(Pipeline<T> pipeline, Sampler order, Execution execution, SampleRows<T> rows) {
        if (prefetchBytes == null) {
            return pipeline.stream(order, execution);
        }
        long bytes = prefetchBytes.isShare()
                ? (long) (prefetchBytes.share()
                        * RamTier.freeBytes()
                                .orElseThrow(() -> new IllegalArgumentException(
                                        "the free memory is unknown here: give --prefetch-bytes in bytes")))
                : prefetchBytes.bytes();
        return pipeline.stream(order, execution, rows.readAhead(bytes));
    }
}
