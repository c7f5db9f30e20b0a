package io.penstock.cli.report;

import io.penstock.order.Sampler;
import io.penstock.order.ShardMode;
import java.util.Optional;

/**
 * What the shard mode means for the hits of a cache that one rank has for itself.
 *
 * @param mode    how ranks share the data
 * @param rank    of this process
 * @param world   size
 * @param samples of an epoch, over all ranks
 * @param held    by this rank's cache now
 */
public record ShardEffect(ShardMode mode, int rank, int world, long samples, long held) {

    /** That of several ranks over a cache; none where there is one rank, or nothing is cached. */
    public static Optional<ShardEffect> of(Sampler sampler, Surroundings around) {
        Surroundings.Held held = around.cache();
        int world = sampler.shard().worldSize();
        long samples = sampler.samples(around.samples());
        return held == null || world == 1 || samples == 0
                ? Optional.empty()
                : Optional.of(new ShardEffect(sampler.mode(), sampler.shard().rank(), world, samples, held.samples()));
    }

    /**
     * The share of a later epoch's samples that the held ones are, if this rank filled the cache and no other rank uses
     * it.
     */
    double hitRatio() {
        return mode.keepsParts(world) ? kept(mode) : global();
    }

    /** The same if every epoch dealt the samples again: that of R ranks with a share f each is f/R. */
    double global() {
        return Math.min(1, (double) held / samples);
    }

    /** The same if ranks kept their parts. */
    double stable() {
        return kept(ShardMode.stable());
    }

    private double kept(ShardMode by) {
        return Math.min(1, held / (samples * by.keptShare(world)));
    }

    public String words() {
        if (mode.isGlobal()) {
            return ("the samples held are %s of those of all %d ranks, which is what a cache of one rank's own hits;"
                            + " --shard stable would hit %s")
                    .formatted(percent(global()), world, percent(stable()));
        }
        if (!mode.keepsParts(world)) {
            return ("--shard %s keeps no parts over %d ranks, and a cache of one rank's own hits %s; use partitions"
                            + " that divide evenly, which hit %s")
                    .formatted(mode, world, percent(global()), percent(stable()));
        }
        return "--shard %s hits %s with a cache of one rank's own, where global would hit %s"
                .formatted(mode, percent(hitRatio()), percent(global()));
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }
}
