package io.penstock.cli.materialize;

import io.penstock.cli.cache.CacheFilling;
import io.penstock.cli.cache.CacheFlags;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.console.Reason;
import io.penstock.cli.flag.RankFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.StorePlace;
import io.penstock.fault.SampleException;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import io.penstock.quarantine.QuarantineFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code penstock materialize}: runs what does not depend on dice once, for all runs that follow. */
@Command(
        name = "materialize",
        sortOptions = false,
        usageHelpWidth = 100,
        description =
                "Run the deterministic part of a pipeline as a job, into a cache or tar shards. Several processes "
                        + "take a part each (--rank, --world); an interrupted job continues when it is repeated.")
public final class MaterializeCommand implements Callable<Integer> {

    public static final String MATERIALIZED = "materialized";

    @Mixin
    private final CacheFlags flags = new CacheFlags();

    @Mixin
    private final MaterializeFlags job = new MaterializeFlags();

    @Mixin
    private final RankFlags ranks = new RankFlags();

    @Option(
            order = 54,
            names = "--quarantine",
            paramLabel = "FILE",
            description = "Write a line for every sample that cannot be loaded.")
    private @Nullable Path quarantine;

    @Option(
            order = 91,
            names = "--progress-events",
            description = "With --json: print an event a second with the job's progress.")
    private boolean progressEvents;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() {
        Shard shard;
        Cacheable<?> samples;
        try {
            requireConsistent();
            shard = ranks.shard();
            samples = job.open();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        try (QuarantineFile bad = quarantine == null ? null : QuarantineFile.at(quarantine)) {
            Consumer<SampleException> failures = bad == null ? failure -> {} : bad;
            return job.target() instanceof MaterializeTarget.Cache cache
                    ? new CacheFilling(flags, MATERIALIZED, failures, job.skips(), false)
                            .run(samples, cache::open, job.inFlight(), shard, this::progress)
                    : toTar(samples, ((MaterializeTarget.Tar) job.target()).place(), shard, failures);
        }
    }

    private void requireConsistent() {
        job.requireConsistent();
        if (quarantine != null && !job.skips()) {
            throw new IllegalArgumentException("--quarantine needs --on-error skip");
        }
        if (progressEvents && !flags.json()) {
            throw new IllegalArgumentException("--progress-events needs --json");
        }
    }

    private ProgressLine progress(long samples) {
        return progressEvents ? flags.progressEvents(samples) : flags.progress(samples);
    }

    private int toTar(Cacheable<?> samples, StorePlace place, Shard shard, Consumer<SampleException> failures) {
        try (OutputStore output = place.output()) {
            Sharding<?> sharding = new Sharding<>(job.shards(samples, output, failures), shard);
            boolean ended = sharding.run(progress(sharding.samples()), output, this::interrupted);
            return ended ? sharding.outcome().report(flags, MATERIALIZED) : Interruption.STATUS;
        }
    }

    private void interrupted(Sharding.Outcome so) {
        flags.complain("interrupted: %d of %d shards are there; repeat the command to continue"
                .formatted(so.finished() + so.written(), so.shards()));
    }
}
