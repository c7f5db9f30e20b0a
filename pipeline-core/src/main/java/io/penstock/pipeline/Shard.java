package io.penstock.pipeline;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One rank's part of a data-parallel run.
 *
 * @param rank      in {@code [0, worldSize)}
 * @param worldSize the number of ranks, at least 1
 */
public record Shard(int rank, int worldSize) {

    /** All of it: a run with one rank. */
    public static final Shard WHOLE = new Shard(0, 1);

    private static final List<Launcher> LAUNCHERS = List.of(
            new Launcher("torchrun", "RANK", "WORLD_SIZE"),
            new Launcher("Slurm", "SLURM_PROCID", "SLURM_NTASKS"),
            new Launcher("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"));

    private record Launcher(String name, String rank, String worldSize) {}

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
     */
    public static Shard from(Map<String, String> environment) {
        for (Launcher launcher : LAUNCHERS) {
            String rank = environment.get(launcher.rank);
            String worldSize = environment.get(launcher.worldSize);
            if (rank != null || worldSize != null) {
                return new Shard(
                        number(launcher, launcher.rank, rank), number(launcher, launcher.worldSize, worldSize));
            }
        }
        return WHOLE;
    }

    private static int number(Launcher launcher, String name, @Nullable String text) {
        if (text == null) {
            throw new IllegalArgumentException("the environment is half set for %s: %s is missing; set both %s and %s"
                    .formatted(launcher.name, name, launcher.rank, launcher.worldSize));
        }
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("%s must be a whole number, was \"%s\"".formatted(name, text), e);
        }
    }
}
