package io.penstock.cli.materialize;

import io.penstock.cli.flag.Flags;
import io.penstock.cli.flag.NumberFlag;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.SourceFlags;
import io.penstock.cli.source.TarParts;
import io.penstock.fault.SampleException;
import io.penstock.output.OutputStore;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.stream.Execution;
import io.penstock.write.ShardJob;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a job does, in any process. */
public final class MaterializeFlags {

    private static final int SAMPLES_A_SHARD = 1000;

    @Mixin
    private final SourceFlags source = new SourceFlags();

    @Option(names = "--to", required = true, paramLabel = "TARGET")
    private MaterializeTarget target;

    @Option(names = "--shard-samples", paramLabel = "N", converter = NumberFlag.Count.class)
    private @Nullable Integer shardSamples;

    @Option(names = "--in-flight", paramLabel = "N", converter = NumberFlag.InFlight.class)
    private @Nullable Integer inFlight;

    @Option(names = "--on-error", paramLabel = "fail|skip", defaultValue = "fail")
    private Flags.OnError onError;

    public void requireConsistent() {
        if (onError == Flags.OnError.SUBSTITUTE) {
            throw new IllegalArgumentException("--on-error of a job is fail or skip: a shard has no sample twice");
        }
        if (shardSamples != null && !(target instanceof MaterializeTarget.Tar)) {
            throw new IllegalArgumentException("--shard-samples is for --to tar:DIR");
        }
    }

    public Cacheable<?> open() {
        return source.open(null);
    }

    public MaterializeTarget target() {
        return target;
    }

    /** Whether samples that cannot be loaded are no reason to fail. */
    public boolean skips() {
        return onError == Flags.OnError.SKIP;
    }

    ErrorPolicy policy(Consumer<? super SampleException> failures) {
        return skips() ? ErrorPolicy.skip().quarantine(failures) : ErrorPolicy.fail();
    }

    Execution execution() {
        return Execution.standard().inFlight(inFlight());
    }

    public int inFlight() {
        return inFlight == null ? Execution.standard().inFlight() : inFlight;
    }

    public <T> ShardJob<T> shards(Cacheable<T> samples, OutputStore place, Consumer<? super SampleException> failures) {
        return ShardJob.of(
                        samples.dataset(),
                        TarParts.writer(samples.schema()),
                        place,
                        shardSamples == null ? SAMPLES_A_SHARD : shardSamples)
                .onError(policy(failures))
                .on(execution());
    }
}
