package io.penstock.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ShardTest {

    @Test
    void from_eachLauncher_readsItsVariables() {
        assertThat(Shard.from(Map.of("RANK", "3", "WORLD_SIZE", "8"))).isEqualTo(Shard.of(3, 8));
        assertThat(Shard.from(Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2"))).isEqualTo(Shard.of(1, 2));
        assertThat(Shard.from(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "4")))
                .isEqualTo(Shard.of(0, 4));
        assertThat(Shard.from(Map.of())).isEqualTo(Shard.WHOLE);
    }

    @Test
    void from_severalLaunchers_torchrunDecides() {
        assertThat(Shard.from(Map.of("RANK", "1", "WORLD_SIZE", "2", "SLURM_PROCID", "7", "SLURM_NTASKS", "9")))
                .isEqualTo(Shard.of(1, 2));
    }

    @Test
    void from_halfSetEnvironment_namesWhatIsMissing() {
        assertThatThrownBy(() -> Shard.from(Map.of("RANK", "1")))
                .hasMessage(
                        "the environment is half set for torchrun: WORLD_SIZE is missing; set both RANK and WORLD_SIZE");
    }

    @Test
    void from_garbage_namesTheVariable() {
        assertThatThrownBy(() -> Shard.from(Map.of("RANK", "one", "WORLD_SIZE", "2")))
                .hasMessage("RANK must be a whole number, was \"one\"");
    }

    @Test
    void of_rankOutsideWorld_isRefused() {
        assertThatThrownBy(() -> Shard.of(8, 8)).hasMessage("rank must be in [0, 8), was 8");
        assertThatThrownBy(() -> Shard.of(-1, 8)).hasMessage("rank must be in [0, 8), was -1");
        assertThatThrownBy(() -> Shard.of(0, 0)).hasMessage("world size must be at least 1, was 0");
    }
}
