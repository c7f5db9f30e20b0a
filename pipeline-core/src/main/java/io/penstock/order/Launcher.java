package io.penstock.order;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a launcher of distributed jobs sets in the environment of each process.
 *
 * @param name      of the launcher
 * @param rank      the variable of the rank
 * @param worldSize the variable of the world size
 * @param places    where the process is
 */
record Launcher(String name, String rank, String worldSize, Places places) {

    /** In the order in which they are asked. */
    static final List<Launcher> ALL = List.of(
            new Launcher("torchrun", "RANK", "WORLD_SIZE", Launcher::torchrun),
            new Launcher("Slurm", "SLURM_PROCID", "SLURM_NTASKS", Launcher::slurm),
            new Launcher("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", Launcher::openMpi));

    @FunctionalInterface
    interface Places {

        /** The place, null where these variables do not say it. */
        Topology.@Nullable Place of(Variables variables, Shard shard);
    }

    private static Topology.@Nullable Place torchrun(Variables variables, Shard shard) {
        if (!variables.has("LOCAL_RANK", "LOCAL_WORLD_SIZE")) {
            return null; // other launchers set torchrun's rank and world size, and of these one or none
        }
        int localRank = variables.number("LOCAL_RANK");
        int local = variables.number("LOCAL_WORLD_SIZE");
        if (variables.has("GROUP_RANK", "GROUP_WORLD_SIZE")) {
            return new Topology.Place(
                    variables.number("GROUP_RANK"), variables.number("GROUP_WORLD_SIZE"), localRank, local);
        }
        return byArithmetic(shard, localRank, local);
    }

    private static Topology.@Nullable Place slurm(Variables variables, Shard shard) {
        String tasks =
                variables.has("SLURM_STEP_TASKS_PER_NODE") ? "SLURM_STEP_TASKS_PER_NODE" : "SLURM_TASKS_PER_NODE";
        // those of the step: a job may have more nodes than the step that this process is of
        String count = variables.has("SLURM_STEP_NUM_NODES") ? "SLURM_STEP_NUM_NODES" : "SLURM_NNODES";
        if (!variables.has(tasks, "SLURM_LOCALID", "SLURM_NODEID", count)) {
            return null;
        }
        int node = variables.number("SLURM_NODEID");
        int nodes = variables.number(count);
        return new Topology.Place(node, nodes, variables.number("SLURM_LOCALID"), variables.listed(tasks, node));
    }

    private static Topology.@Nullable Place openMpi(Variables variables, Shard shard) {
        String localRank = "OMPI_COMM_WORLD_LOCAL_RANK";
        String local = "OMPI_COMM_WORLD_LOCAL_SIZE";
        return variables.has(localRank, local)
                ? byArithmetic(shard, variables.number(localRank), variables.number(local))
                : null;
    }

    /** The node where all have as many ranks, numbered node by node or in turns; null where neither fits. */
    private static Topology.@Nullable Place byArithmetic(Shard shard, int localRank, int localWorldSize) {
        Topology.Place alone = new Topology.Place(0, 1, localRank, localWorldSize); // refuses what is out of range
        if (shard.worldSize() % localWorldSize != 0) {
            return null;
        }
        int nodes = shard.worldSize() / localWorldSize;
        if (nodes == 1) {
            return alone;
        }
        if (shard.rank() % localWorldSize == localRank) {
            return new Topology.Place(shard.rank() / localWorldSize, nodes, localRank, localWorldSize);
        }
        return shard.rank() / nodes == localRank
                ? new Topology.Place(shard.rank() % nodes, nodes, localRank, localWorldSize)
                : null;
    }
}
