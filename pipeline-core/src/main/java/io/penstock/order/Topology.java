package io.penstock.order;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a process stands among those of a data-parallel run: its rank, and on which node, as far as its launcher says.
 *
 * <p>Immutable. A program reads it once, at its start. {@link Sampler#shard} takes {@link #shard}.
 */
public final class Topology {

    /** A run with one rank, on one node. */
    public static final Topology ALONE = new Topology(Shard.WHOLE, new Place(0, 1, 0, 1));

    private final Shard shard;
    private final @Nullable Place place;

    /**
     * A process's place on its node, and that of its node.
     *
     * @param node           in {@code [0, nodes)}
     * @param nodes          the number of nodes
     * @param localRank      among the ranks of this node, in {@code [0, localWorldSize)}
     * @param localWorldSize the number of ranks on this node
     */
    public record Place(int node, int nodes, int localRank, int localWorldSize) {
        public Place {
            requireBelow("node", node, nodes);
            requireBelow("local rank", localRank, localWorldSize);
        }

        private static void requireBelow(String what, int value, int bound) {
            if (bound < 1 || value < 0 || value >= bound) {
                throw new IllegalArgumentException("%s must be in [0, %d), was %d".formatted(what, bound, value));
            }
        }
    }

    private Topology(Shard shard, @Nullable Place place) {
        if (place != null && (long) place.localWorldSize + place.nodes - 1 > shard.worldSize()) {
            throw new IllegalArgumentException("%d ranks on one of %d nodes do not fit into a world size of %d"
                    .formatted(place.localWorldSize, place.nodes, shard.worldSize()));
        }
        this.shard = shard;
        this.place = place;
    }

    /** A rank of which no more is known. */
    public static Topology of(Shard shard) {
        return shard.worldSize() == 1 ? ALONE : new Topology(shard, null);
    }

    /**
     * A rank on a node.
     * @throws IllegalArgumentException if there are more local ranks than there can be
     */
    public static Topology of(Shard shard, Place place) {
        return new Topology(shard, place);
    }

    /** What the process's launcher says, as {@link #from} reads it. */
    public static Topology fromEnvironment() {
        return from(System.getenv());
    }

    /**
     * What these variables say: torchrun's, then Slurm's, then Open MPI's; the first launcher that set its rank or
     * world size decides. {@link #ALONE} if none did.
     *
     * <table>
     * <caption>What is read</caption>
     * <tr><td>torchrun</td><td>{@code RANK WORLD_SIZE LOCAL_RANK LOCAL_WORLD_SIZE GROUP_RANK GROUP_WORLD_SIZE}</td></tr>
     * <tr><td>Slurm</td><td>{@code SLURM_PROCID SLURM_NTASKS SLURM_LOCALID SLURM_NODEID}, and
     *     {@code SLURM_STEP_NUM_NODES SLURM_STEP_TASKS_PER_NODE} or else {@code SLURM_NNODES SLURM_TASKS_PER_NODE}</td></tr>
     * <tr><td>Open MPI</td><td>{@code OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK
     *     OMPI_COMM_WORLD_LOCAL_SIZE}; the node follows where all have as many ranks and they are numbered node by node or
     *     in turns</td></tr>
     * </table>
     * Only rank and world size have to be there; where others are missing, the {@link #place} is not known.
     * @throws IllegalArgumentException if only one of rank and world size is set, or one of all is not a number in range
     */
    public static Topology from(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        for (Launcher launcher : Launcher.ALL) {
            if (variables.has(launcher.rank()) || variables.has(launcher.worldSize())) {
                variables.requireBoth(launcher.name(), launcher.rank(), launcher.worldSize());
                Shard shard = Shard.of(variables.number(launcher.rank()), variables.number(launcher.worldSize()));
                return new Topology(shard, launcher.places().of(variables, shard));
            }
        }
        return ALONE;
    }

    public Shard shard() {
        return shard;
    }

    /** Where this process is; empty if it is not known. */
    public Optional<Place> place() {
        return Optional.ofNullable(place);
    }

    /**
     * The shard of this rank where all ranks of a node draw from one partition, {@link ShardMode#partitions} being the
     * number of nodes: ranks take turns node by node.
     * @throws IllegalStateException if the place is not known, or nodes have different numbers of ranks
     */
    public Shard shardByNode() {
        if (place == null) {
            throw new IllegalStateException("which ranks share a node is not known: say local rank, local world size, "
                    + "node and number of nodes, or start with torchrun or srun");
        }
        if ((long) place.nodes * place.localWorldSize != shard.worldSize()) {
            throw new IllegalStateException(
                    "ranks can only share a node's partition where every node has as many: %d here, %d nodes, world size %d"
                            .formatted(place.localWorldSize, place.nodes, shard.worldSize()));
        }
        return Shard.of(place.localRank * place.nodes + place.node, shard.worldSize());
    }

    @Override
    public String toString() {
        String rank = "rank %d of %d".formatted(shard.rank(), shard.worldSize());
        return place == null
                ? rank
                : rank
                        + ", local rank %d of %d on node %d of %d"
                                .formatted(place.localRank, place.localWorldSize, place.node, place.nodes);
    }
}
