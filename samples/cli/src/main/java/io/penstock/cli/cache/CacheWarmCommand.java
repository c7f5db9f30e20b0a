package io.penstock.cli.cache;

import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceFlags;
import io.penstock.order.Shard;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock cache warm}: fills a cache before a run needs it. */
@Command(
        name = "warm",
        sortOptions = false,
        description = "Load the samples that a cache does not hold yet. An interrupted command continues when "
                + "it is repeated.")
final class CacheWarmCommand implements Callable<Integer> {

    private static final int IN_FLIGHT = 16;

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Mixin
    private final SourceFlags source = new SourceFlags();

    @Parameters(
            paramLabel = "DIR[,SIZE]",
            description = "The cache's directory and budget, as for --cache-disk of stream.")
    private DiskSpec disk;

    @Option(names = "--in-flight", paramLabel = "N", converter = NumberFlag.InFlight.class)
    private @Nullable Integer inFlight;

    @Override
    public Integer call() {
        Cacheable<?> cacheable = flags.checked(() -> source.open(disk.directory()));
        int most = inFlight == null ? IN_FLIGHT * Runtime.getRuntime().availableProcessors() : inFlight;
        return new CacheFilling(flags, "warmed", failure -> {}, false, true)
                .run(cacheable, () -> FilledCache.of(disk.open()), most, Shard.WHOLE, flags::progress);
    }
}
