package io.penstock.order;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a launcher of distributed jobs sets in the environment of each process. */
sealed interface Launcher {

    /** In the order in which they are asked. */
    List<Launcher> ALL = List.of(new Torchrun(), new Slurm(), new OpenMpi());

    String name();

    /** The variable of the rank. */
    String rank();

    /** The variable of the world size. */
    String worldSize();

    /** Where the process is, null where these variables do not say it. */
    Topology.@Nullable Place place(Variables variables, Shard shard);

    record Torchrun() implements Launcher {
        @Override
        public String name() {
            return "torchrun";
        }

        @Override
        public String rank() {
            return "RANK";
        }

        @Override
        public String worldSize() {
            return "WORLD_SIZE";
        }

        @Override
        public Topology.@Nullable Place place(Variables variables, Shard shard) {
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
    }

    record Slurm() implements Launcher {
        @Override
        public String name() {
            return "Slurm";
        }

        @Override
        public String rank() {
            return "SLURM_PROCID";
        }

        @Override
        public String worldSize() {
            return "SLURM_NTASKS";
        }

        @Override
        public Topology.@Nullable Place place(Variables variables, Shard shard) {
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
    }

    record OpenMpi() implements Launcher {
        @Override
        public String name() {
            return "Open MPI";
        }

        @Override
        public String rank() {
            return "OMPI_COMM_WORLD_RANK";
        }

        @Override
        public String worldSize() {
            return "OMPI_COMM_WORLD_SIZE";
        }

        @Override
        public Topology.@Nullable Place place(Variables variables, Shard shard) {
            String localRank = "OMPI_COMM_WORLD_LOCAL_RANK";
            String local = "OMPI_COMM_WORLD_LOCAL_SIZE";
            return variables.has(localRank, local)
                    ? byArithmetic(shard, variables.number(localRank), variables.number(local))
                    : null;
        }
    }

    /** The node where all have as many ranks, numbered node by node or in turns; null where neither fits. */
    static Topology.@Nullable Place byArithmetic(Shard shard, int localRank, int localWorldSize) {
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
