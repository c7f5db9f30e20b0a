package io.penstock.cli.flag;

import io.penstock.internal.Arguments;
import io.penstock.order.Shard;
import io.penstock.order.Topology;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which part of the work is this process's. */
public final class RankFlags {

    @Option(names = "--rank", paramLabel = "R", converter = NumberFlag.Rank.class)
    private @Nullable Integer rank;

    @Option(names = "--world", paramLabel = "W", converter = NumberFlag.Members.class)
    private @Nullable Integer world;

    /** The shard that the flags or the environment name. */
    public Shard shard() {
        if (rank == null && world == null) {
            return Shard.fromEnvironment();
        }
        if (rank == null || world == null) {
            throw new IllegalArgumentException(
                    "--rank and --world go together: " + (rank == null ? "--rank" : "--world") + " is missing");
        }
        return Shard.of(rank, world);
    }

    /**
     * The same, and on which nodes the ranks are.
     * @param local ranks on each node; null where no flag says it
     * @throws IllegalArgumentException as {@link #shard}, or if nodes differ
     */
    public Topology topology(@Nullable Integer local) {
        if (rank == null && world == null) {
            Arguments.refuse(local != null, "--local-world needs --rank and --world");
            return Topology.fromEnvironment();
        }
        Shard shard = shard();
        if (local == null) {
            return Topology.of(shard);
        }
        int ranks = shard.worldSize();
        if (ranks % local != 0) {
            throw new IllegalArgumentException(
                    "--local-world must divide --world %d, was %d; start uneven nodes with torchrun or srun"
                            .formatted(ranks, local));
        }
        return Topology.of(shard, new Topology.Place(shard.rank() / local, ranks / local, shard.rank() % local, local));
    }
}
