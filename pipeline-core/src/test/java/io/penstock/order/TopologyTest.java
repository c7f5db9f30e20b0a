package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.order.Topology.Place;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {

    private static Map<String, String> torchrun(int rank, int world, int localRank, int local) {
        Map<String, String> variables = new HashMap<>();
        variables.put("RANK", Integer.toString(rank));
        variables.put("WORLD_SIZE", Integer.toString(world));
        variables.put("LOCAL_RANK", Integer.toString(localRank));
        variables.put("LOCAL_WORLD_SIZE", Integer.toString(local));
        return variables;
    }

    private static Map<String, String> slurm(int rank, int localRank, int node, String tasks) {
        return Map.of(
                "SLURM_PROCID",
                Integer.toString(rank),
                "SLURM_NTASKS",
                "7",
                "SLURM_LOCALID",
                Integer.toString(localRank),
                "SLURM_NODEID",
                Integer.toString(node),
                "SLURM_NNODES",
                "4",
                "SLURM_TASKS_PER_NODE",
                tasks);
    }

    @Test
    void from_torchrun_readsRankNodeAndLocalRank() {
        Map<String, String> variables = torchrun(5, 8, 1, 4);
        variables.put("GROUP_RANK", "1");
        variables.put("GROUP_WORLD_SIZE", "2");

        Topology topology = Topology.from(variables);

        assertThat(topology.shard()).isEqualTo(Shard.of(5, 8));
        assertThat(topology.place()).contains(new Place(1, 2, 1, 4));
        assertThat(topology).hasToString("rank 5 of 8, local rank 1 of 4 on node 1 of 2");
    }

    @Test
    void from_torchrunWithoutGroups_findsTheNodeByArithmetic() {
        assertThat(Topology.from(torchrun(5, 8, 1, 4)).place()).contains(new Place(1, 2, 1, 4));
        assertThat(Topology.from(torchrun(5, 8, 2, 4)).place()).contains(new Place(1, 2, 2, 4));
        assertThat(Topology.from(torchrun(5, 8, 0, 4)).place()).isEmpty();
        assertThat(Topology.from(torchrun(5, 9, 1, 4)).place()).isEmpty();
    }

    @Test
    void from_otherLaunchersOfTorch_knowsNoPlace() {
        Topology topology = Topology.from(Map.of("RANK", "1", "WORLD_SIZE", "2", "LOCAL_RANK", "1"));

        assertThat(topology.shard()).isEqualTo(Shard.of(1, 2));
        assertThat(topology.place()).isEmpty();
    }

    @Test
    void from_slurmStepOfALargerJob_countsTheNodesOfTheStep() {
        Map<String, String> variables = new HashMap<>(slurm(6, 2, 1, "8(x4)"));
        variables.put("SLURM_STEP_NUM_NODES", "2");
        variables.put("SLURM_STEP_TASKS_PER_NODE", "4,3");

        assertThat(Topology.from(variables).place()).contains(new Place(1, 2, 2, 3));
    }

    @Test
    void from_bareRank_knowsNoPlace() {
        assertThat(Topology.from(Map.of("RANK", "1", "WORLD_SIZE", "2")).place())
                .isEmpty();
        assertThat(Topology.from(Map.of()).place()).contains(new Place(0, 1, 0, 1));
    }

    @ParameterizedTest
    @CsvSource({"0,0,0,2", "3,1,1,2", "6,0,3,1"})
    void from_slurm_readsUnevenNodes(int rank, int localRank, int node, int local) {
        Topology topology = Topology.from(slurm(rank, localRank, node, "2(x3),1"));

        assertThat(topology.shard()).isEqualTo(Shard.of(rank, 7));
        assertThat(topology.place()).contains(new Place(node, 4, localRank, local));
    }

    @Test
    void from_openMpi_findsTheNodeByArithmetic() {
        Topology topology = Topology.from(Map.of(
                "OMPI_COMM_WORLD_RANK", "3",
                "OMPI_COMM_WORLD_SIZE", "4",
                "OMPI_COMM_WORLD_LOCAL_RANK", "1",
                "OMPI_COMM_WORLD_LOCAL_SIZE", "2"));

        assertThat(topology.place()).contains(new Place(1, 2, 1, 2));
    }

    @Test
    void from_halfSetPairs_namesWhatIsMissing() {
        assertThatThrownBy(() -> Topology.from(Map.of("SLURM_NTASKS", "2")))
                .hasMessage(
                        "the environment is half set for Slurm: SLURM_PROCID is missing; set both SLURM_PROCID and SLURM_NTASKS");
        assertThatThrownBy(() -> Topology.from(Map.of("WORLD_SIZE", "2", "LOCAL_RANK", "0")))
                .hasMessageContaining("half set for torchrun: RANK is missing");
    }

    @Test
    void from_garbage_isNamed() {
        assertThatThrownBy(() -> Topology.from(slurm(0, 0, 0, "two")))
                .hasMessage("SLURM_TASKS_PER_NODE must be a list such as 2(x3),1, was \"two\"");
        assertThatThrownBy(() -> Topology.from(slurm(0, 0, 3, "2(x3)")))
                .hasMessage("SLURM_TASKS_PER_NODE must name node 3, was \"2(x3)\"");
        assertThatThrownBy(() -> Topology.from(torchrun(0, 2, 2, 2))).hasMessage("local rank must be in [0, 2), was 2");
        assertThatThrownBy(() -> Topology.of(Shard.of(0, 2), new Place(0, 2, 0, 2)))
                .hasMessage("2 ranks on one of 2 nodes do not fit into a world size of 2");
        assertThatThrownBy(() -> new Place(2, 2, 0, 1)).hasMessage("node must be in [0, 2), was 2");
    }

    @Test
    void shardByNode_ofAllRanks_takesEachTurnOnce() {
        int nodes = 3;
        int local = 4;
        Set<Shard> shards = new HashSet<>();

        for (int node = 0; node < nodes; node++) {
            for (int each = 0; each < local; each++) {
                Shard shard = Topology.of(
                                Shard.of(node * local + each, nodes * local), new Place(node, nodes, each, local))
                        .shardByNode();
                assertThat(shard.rank() % nodes).isEqualTo(node);
                shards.add(shard);
            }
        }

        assertThat(shards).hasSize(nodes * local);
    }

    @Test
    void shardByNode_withoutEvenNodes_isRefused() {
        assertThatThrownBy(() -> Topology.of(Shard.of(0, 2)).shardByNode())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("which ranks share a node is not known");
        assertThatThrownBy(() -> Topology.from(slurm(0, 0, 0, "2(x3),1")).shardByNode())
                .hasMessageContaining("every node has as many: 2 here, 4 nodes, world size 7");
    }
}
