package io.penstock.cli;

import io.penstock.cache.chronicle.ChronicleTier;
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
        description = "Load what a cache does not hold yet; may be interrupted, and goes on where it was.")
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
            converter = Flags.Positive.class,
            description = "Loads begun and not yet kept (default: 16 a processor).")
    private @Nullable Integer inFlight;

    private final LastWrites lastWrites = new LastWrites();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        Cacheable<?> cacheable;
        try {
            cacheable = source.open();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        int most = inFlight == null ? IN_FLIGHT * Runtime.getRuntime().availableProcessors() : inFlight;
        boolean ended;
        Warming<?> warming;
        try (ChronicleTier tier = disk.open()) {
            warming = new Warming<>(cacheable, tier, most);
            ended = warming.run(flags.progress(cacheable.dataset().size()), this::interrupted);
        } finally {
            lastWrites.done();
        }
        return ended ? report(warming.outcome()) : StreamCommand.INTERRUPTED;
    }

    private void interrupted(Warming.Outcome so) {
        if (!lastWrites.await()) {
            flags.complain("some of what was loaded could not be written in time");
        }
        flags.complain("interrupted: %d of %d samples are there; repeat the command to go on"
                .formatted(so.already() + so.loaded(), so.samples()));
    }

    private int report(Warming.Outcome so) {
        flags.print(
                "%d samples: %d were there, %d loaded in %.1f s, %d failed%s"
                        .formatted(
                                so.samples(),
                                so.already(),
                                so.loaded(),
                                so.seconds(),
                                so.failed(),
                                so.full() ? "; the cache is full" : ""),
                "warmed",
                node -> node.put("samples", so.samples())
                        .put("already", so.already())
                        .put("loaded", so.loaded())
                        .put("failed", so.failed())
                        .put("full", so.full())
                        .put("seconds", so.seconds()));
        if (so.firstFailure() != null) {
            flags.complain("%d samples could not be loaded; the first: %s".formatted(so.failed(), so.firstFailure()));
            return 1;
        }
        return 0;
    }
}
