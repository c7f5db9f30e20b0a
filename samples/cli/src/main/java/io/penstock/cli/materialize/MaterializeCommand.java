package io.penstock.cli.materialize;

import io.penstock.cli.cache.CacheFilling;
import io.penstock.cli.console.Interruption;
import io.penstock.cli.console.ProgressLine;
import io.penstock.cli.flag.OutputFlags;
import io.penstock.cli.flag.RankFlags;
import io.penstock.cli.source.Cacheable;
import io.penstock.cli.source.StorePlace;
import io.penstock.fault.DataException;
import io.penstock.fault.SampleException;
import io.penstock.internal.Arguments;
import io.penstock.order.Shard;
import io.penstock.output.OutputStore;
import io.penstock.quarantine.QuarantineFile;
import io.penstock.write.ShardJob;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code penstock materialize}: runs what does not depend on dice once, for all runs that follow. */
@Command(
        name = "materialize",
        sortOptions = false,
        description =
                "Run the deterministic part of a pipeline as a job, into a cache, tar shards or a topic. Several processes "
                        + "take a part each (--rank, --world); an interrupted job continues when it is repeated.")
public final class MaterializeCommand implements Callable<Integer> {

    private static final Logger LOG = LoggerFactory.getLogger(MaterializeCommand.class);

    public static final String MATERIALIZED = "materialized";

    @Mixin
    private final OutputFlags flags = new OutputFlags();

    @Mixin
    private final MaterializeFlags job = new MaterializeFlags();

    @Mixin
    private final RankFlags ranks = new RankFlags();

    @Option(names = "--quarantine", paramLabel = "FILE")
    private @Nullable Path quarantine;

    @Option(names = "--progress-events")
    private boolean progressEvents;

    @Override
    public Integer call() {
        Shard shard = flags.checked(() -> {
            check();
            return ranks.shard();
        });
        Cacheable<?> samples = flags.checked(job::open);
        try (QuarantineFile bad = quarantine == null ? null : QuarantineFile.at(quarantine)) {
            Consumer<SampleException> failures = bad == null ? failure -> {} : bad;
            if (job.target() instanceof MaterializeTarget.Cache cache) {
                tellIdleRanks(samples.dataset().size(), "samples", shard);
                return new CacheFilling(flags, MATERIALIZED, failures, job.skips(), false)
                        .run(samples, cache.opener(), job.inFlight(), shard, this::progress);
            }
            if (job.target() instanceof MaterializeTarget.Topic topic) {
                tellIdleRanks(samples.dataset().size(), "samples", shard);
                return new TopicJob<>(samples, topic.address(), shard)
                        .run(flags, progress(samples.dataset().size()), job.execution(), job.policy(failures));
            }
            return toTar(samples, ((MaterializeTarget.Tar) job.target()).place(), shard, failures);
        }
    }

    private void check() {
        job.requireConsistent();
        Arguments.refuse(quarantine != null && !job.skips(), "--quarantine needs --on-error skip");
        Arguments.refuse(progressEvents && !flags.json(), "--progress-events needs --json");
    }

    private ProgressLine progress(long samples) {
        return progressEvents ? flags.progressEvents(samples) : flags.progress(samples);
    }

    /** Told by the first rank for all, and by each of the ranks that it concerns. */
    private void tellIdleRanks(long parts, String what, Shard shard) {
        long idle = shard.worldSize() - parts;
        if (idle <= 0 || parts == 0 || shard.rank() > 0 && shard.rank() < parts) {
            return;
        }
        flags.complain("%d of %d ranks have nothing to do: there are %d %s; start fewer ranks%s"
                .formatted(
                        idle,
                        shard.worldSize(),
                        parts,
                        what,
                        what.equals("shards") ? ", or make smaller shards with --shard-samples" : ""));
        if (flags.json()) {
            flags.print(
                    "",
                    "idle",
                    node -> node.put("idle_ranks", idle)
                            .put("world", shard.worldSize())
                            .put(what, parts));
        }
    }

    private int toTar(Cacheable<?> samples, StorePlace place, Shard shard, Consumer<SampleException> failures) {
        try (OutputStore output = place.output()) {
            ShardJob<?> shards = job.shards(samples, output, failures);
            tellIdleRanks(shards.shards(), "shards", shard);
            Sharding<?> sharding = new Sharding<>(shards, shard);
            boolean ended =
                    sharding.run(progress(sharding.samples()), output, () -> interrupted(samples, place, shard));
            return ended ? sharding.outcome().report(flags, MATERIALIZED) : Interruption.STATUS;
        }
    }

    /** Lists the place again: a shard that was nearly written may have ended after the signal. */
    private void interrupted(Cacheable<?> samples, StorePlace place, Shard shard) {
        String there = "";
        try (OutputStore now = place.output()) {
            Sharding.Outcome found = new Sharding<>(job.shards(samples, now, failure -> {}), shard).outcome();
            there = "%d of %d shards are there; ".formatted(found.finished(), found.shards());
        } catch (DataException e) {
            LOG.debug("cannot list what is there", e);
        }
        flags.complain("interrupted: %srepeat the command to continue".formatted(there));
    }
}
