package io.penstock.cli.flag;

import io.penstock.order.Shard;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which part of the work is this process's. */
public final class RankFlags {

    @Option(
            order = 50,
            names = "--rank",
            paramLabel = "R",
            converter = NumberFlag.Rank.class,
            description =
                    "This process's rank; needs --world. By default from the environment (torchrun, Slurm, Open MPI).")
    private @Nullable Integer rank;

    @Option(
            order = 51,
            names = "--world",
            paramLabel = "W",
            converter = NumberFlag.Members.class,
            description = "The number of ranks; needs --rank.")
    private @Nullable Integer world;

    /**
     * The shard that the flags or the environment name.
     * @throws IllegalArgumentException if one flag is missing, or there is no such rank
     */
    public Shard shard() {
        return of(rank, world);
    }

    public static Shard of(@Nullable Integer rank, @Nullable Integer world) {
        if (rank == null && world == null) {
            return Shard.fromEnvironment();
        }
        if (rank == null || world == null) {
            throw new IllegalArgumentException(
                    "--rank and --world go together: " + (rank == null ? "--rank" : "--world") + " is missing");
        }
        return Shard.of(rank, world);
    }
}
