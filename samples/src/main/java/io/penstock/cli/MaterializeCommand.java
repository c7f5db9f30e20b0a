package io.penstock.cli;

import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Execution;
import io.penstock.pipeline.SampleException;
import io.penstock.pipeline.Shard;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.write.ShardJob;
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
                        + "take a part each (--rank, --world); a job that was interrupted goes on when it is repeated.")
final class MaterializeCommand implements Callable<Integer> {

    private static final int SAMPLES_A_SHARD = 1000;
    private static final String MATERIALIZED = "materialized";

    @Mixin
    private final CacheFlags flags = new CacheFlags();

    @Mixin
    private final CacheSourceFlags source = new CacheSourceFlags();

    @Option(
            order = 10,
            names = "--to",
            required = true,
            paramLabel = "TARGET",
            converter = MaterializeTarget.Reader.class,
            description =
                    "Where the samples go: disk:DIR[,SIZE] or redis:URI, caches as for --cache-disk and --cache-redis of stream, or tar:DIR.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private MaterializeTarget target;

    @Option(
            order = 11,
            names = "--shard-samples",
            paramLabel = "N",
            converter = Flags.Positive.class,
            description = "Samples a tar shard (default: 1000).")
    private @Nullable Integer shardSamples;

    @Mixin
    private final RankFlags ranks = new RankFlags();

    @Option(
            order = 52,
            names = "--in-flight",
            paramLabel = "N",
            converter = Flags.Positive.class,
            description = "Loads begun and not yet written (default: 16 a processor, at least 32).")
    private @Nullable Integer inFlight;

    @Option(
            order = 53,
            names = "--on-error",
            paramLabel = "fail|skip",
            defaultValue = "fail",
            converter = Flags.OnErrors.class,
            description = "What becomes of a sample that cannot be loaded (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private Flags.OnError onError;

    @Option(
            order = 54,
            names = "--quarantine",
            paramLabel = "FILE",
            description = "Write a line for every sample that is given up.")
    private @Nullable Path quarantine;

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
            samples = source.open();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), Reason.of(e), e);
        }
        try (QuarantineFile bad = quarantine == null ? null : QuarantineFile.at(quarantine)) {
            Consumer<SampleException> failures = bad == null ? failure -> {} : bad;
            return target instanceof MaterializeTarget.Tar tar
                    ? toTar(samples, tar.folder(), shard, failures)
                    : toCache(samples, (MaterializeTarget.Cache) target, shard, failures);
        }
    }

    private void requireConsistent() {
        if (onError == Flags.OnError.SUBSTITUTE) {
            throw new IllegalArgumentException("--on-error of a job is fail or skip: a shard has no sample twice");
        }
        if (quarantine != null && onError == Flags.OnError.FAIL) {
            throw new IllegalArgumentException("--quarantine needs --on-error skip");
        }
        if (shardSamples != null && !(target instanceof MaterializeTarget.Tar)) {
            throw new IllegalArgumentException("--shard-samples is for --to tar:DIR");
        }
    }

    private int toTar(Cacheable<?> samples, Path folder, Shard shard, Consumer<SampleException> failures) {
        Sharding<?> sharding = sharding(samples, folder, shard, failures);
        boolean ended = sharding.run(flags.progress(sharding.samples()), this::interrupted);
        return ended ? report(sharding.outcome()) : StreamCommand.INTERRUPTED;
    }

    private <T> Sharding<T> sharding(
            Cacheable<T> samples, Path folder, Shard shard, Consumer<SampleException> failures) {
        Execution execution = Execution.standard();
        ErrorPolicy policy = onError == Flags.OnError.FAIL
                ? ErrorPolicy.fail()
                : ErrorPolicy.skip().quarantine(failures);
        ShardJob<T> job = ShardJob.of(
                        samples.dataset(),
                        TarParts.writer(samples.schema()),
                        folder,
                        shardSamples == null ? SAMPLES_A_SHARD : shardSamples)
                .onError(policy)
                .on(inFlight == null ? execution : execution.inFlight(inFlight));
        return new Sharding<>(job, shard);
    }

    private void interrupted(Sharding.Outcome so) {
        flags.complain("interrupted: %d of %d shards are there; repeat the command to go on"
                .formatted(so.finished() + so.written(), so.shards()));
    }

    private int report(Sharding.Outcome so) {
        flags.print(
                "%d shards: %d were there, %d written in %.1f s, %d samples, %d bytes; %d samples failed"
                        .formatted(
                                so.shards(),
                                so.finished(),
                                so.written(),
                                so.seconds(),
                                so.samples(),
                                so.bytes(),
                                so.failed()),
                MATERIALIZED,
                node -> node.put("shards", so.shards())
                        .put("finished", so.finished())
                        .put("written", so.written())
                        .put("samples", so.samples())
                        .put("failed", so.failed())
                        .put("bytes", so.bytes())
                        .put("seconds", so.seconds()));
        return 0;
    }

    private int toCache(
            Cacheable<?> samples, MaterializeTarget.Cache cache, Shard shard, Consumer<SampleException> failures) {
        int most = inFlight == null ? Execution.standard().inFlight() : inFlight;
        boolean allowed = onError == Flags.OnError.SKIP;
        return new CacheFilling(flags, MATERIALIZED, failures, allowed).run(samples, cache::open, most, shard);
    }
}
