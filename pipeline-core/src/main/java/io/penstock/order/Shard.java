package io.penstock.order;

import java.util.Map;

/**
 * One rank's part of a data-parallel run.
 *
 * @param rank      in {@code [0, worldSize)}
 * @param worldSize the number of ranks, at least 1
 */
public record Shard(int rank, int worldSize) {

    /** All of it: a run with one rank. */
    public static final Shard WHOLE = new Shard(0, 1);

    public Shard {
        if (worldSize < 1) {
            throw new IllegalArgumentException("world size must be at least 1, was " + worldSize);
        }
        if (rank < 0 || rank >= worldSize) {
            throw new IllegalArgumentException("rank must be in [0, %d), was %d".formatted(worldSize, rank));
        }
    }

    public static Shard of(int rank, int worldSize) {
        return new Shard(rank, worldSize);
    }

    /** The shard that the process's launcher says, as {@link #from} reads it. */
    public static Shard fromEnvironment() {
        return from(System.getenv());
    }

    /**
     * The shard that these variables say: torchrun's, then Slurm's, then Open MPI's; the first launcher that set any of
     * its two decides. {@link #WHOLE} if none did.
     * @throws IllegalArgumentException if only one of a launcher's two is set, or one is not a number in range
     * @see Topology#from
     */
    public static Shard from(Map<String, String> environment) {
        return Topology.from(environment).shard();
    }
}
