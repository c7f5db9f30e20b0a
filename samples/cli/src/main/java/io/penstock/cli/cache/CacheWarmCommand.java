package io.penstock.cli.cache;

import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.DiskSpec;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.CacheSourceFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.order.Shard;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code penstock cache warm}: fills a cache before a run needs it. */
@Command(
        name = "warm",
        sortOptions = false,
        usageHelpWidth = 100,
        description = "Load the samples that a cache does not hold yet. An interrupted command continues when "
                + "it is repeated.")
final class CacheWarmCommand implements Callable<Integer> {

    private static final int IN_FLIGHT = 16;

    @Mixin
    private final CacheFlags flags = new CacheFlags();

    @Mixin
    private final CacheSourceFlags source = new CacheSourceFlags();

    @Parameters(
            paramLabel = "DIR[,SIZE]",
            converter = DiskSpec.Reader.class,
            description = "The cache's directory and budget, as for --cache-disk of stream.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private DiskSpec disk;

    @Option(
            names = "--in-flight",
            order = 3,
            paramLabel = "N",
            converter = NumberFlag.InFlight.class,
            description = "Loads begun and not yet kept (default: 16 a processor).")
    private @Nullable Integer inFlight;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        Cacheable<?> cacheable;
        try {
            cacheable = source.open(disk.directory());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        int most = inFlight == null ? IN_FLIGHT * Runtime.getRuntime().availableProcessors() : inFlight;
        return new CacheFilling(flags, "warmed", failure -> {}, false, true)
                .run(cacheable, () -> new FilledCache.Disk(disk.open()), most, Shard.WHOLE, flags::progress);
    }
}
