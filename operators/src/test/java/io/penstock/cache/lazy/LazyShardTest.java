package io.penstock.cache.lazy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.fault.StoreException;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.Topology;
import io.penstock.order.Topology.Place;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class LazyShardTest {

    private static final int SIZE = 1_000;
    private static final long HUGE = 1L << 40;
    private static final long DISK = 64L << 20;
    private static final Sampler SAMPLER = Sampler.shuffled(13).epochs(3).remainder(Remainder.KEEP);

    @TempDir
    private Path folder;

    /** Two nodes with two ranks each, numbered node by node. */
    private static Topology rank(int rank) {
        return Topology.of(Shard.of(rank, 4), new Place(rank / 2, 2, rank % 2, 2));
    }

    private static Set<Long> drawn(Sampler sampler, long epoch) {
        Draws draws = sampler.draws(SIZE);
        return new HashSet<>(LongStream.range(0, draws.count())
                .mapToObj(draws::at)
                .filter(draw -> draw.epoch() == epoch)
                .map(draw -> draw.index())
                .toList());
    }

    @Test
    void elements_ofEachOwner_countWhatEveryRankReaches() {
        long disk = ChronicleTier.fits(DISK, 2, 100);
        LazyShard ranks = LazyShard.ofRanks(rank(0)).memoryBytes(3_000).diskBytes(DISK);
        LazyShard nodes = LazyShard.ofNodes(rank(0)).memoryBytes(3_000).diskBytes(DISK);
        LazyShard disks = LazyShard.ofDisks(rank(0)).memoryBytes(3_000).diskBytes(DISK);
        LazyShard alone = LazyShard.ofNodes(Topology.of(Shard.of(0, 2), new Place(0, 2, 0, 1)))
                .memoryBytes(3_000)
                .diskBytes(DISK);

        assertThat(ranks.elements(HUGE, 100)).isEqualTo((30 + disk) / 2);
        assertThat(nodes.elements(HUGE, 100)).isEqualTo(disk);
        assertThat(disks.elements(HUGE, 100)).isEqualTo(disk);
        assertThat(alone.elements(HUGE, 100)).isEqualTo(30 + ChronicleTier.fits(DISK, 1, 100));
        assertThat(ranks.samples(HUGE, 100)).isEqualTo(4 * ((30 + disk) / 2));
        assertThat(nodes.samples(HUGE, 100)).isEqualTo(2 * disk);
    }

    @Test
    void elements_ofMemoryAlone_countItForEachRank() {
        LazyShard ranks = LazyShard.ofRanks(rank(0)).memoryBytes(7_000);

        assertThat(ranks.elements(SIZE, 100)).isEqualTo(70);
        assertThat(ranks.overflow(0.5).elements(SIZE, 100)).isEqualTo(105);
        assertThat(ranks.elements(120, 100)).isEqualTo(30);
        assertThat(ranks.samples(121, 100)).isEqualTo(121);
    }

    @Test
    void shards_ofRanks_areDisjointAndStayThroughTheEpochs() {
        List<Set<Long>> parts = new ArrayList<>();
        for (int rank = 0; rank < 4; rank++) {
            LazyShard shard = LazyShard.ofRanks(rank(rank)).memoryBytes(10_000);
            Sampler sampler = shard.apply(SAMPLER, shard.samples(SIZE, 100));
            parts.add(drawn(sampler, 0));
            assertThat(drawn(sampler, 1)).isEqualTo(drawn(sampler, 0)).hasSize(100);
        }

        assertThat(parts.stream().flatMap(Set::stream)).hasSize(400).doesNotHaveDuplicates();
    }

    @Test
    void shards_ofNodes_areDealtAnewToTheirRanks() {
        List<Set<Long>> nodes = List.of(new HashSet<>(), new HashSet<>());
        for (int rank = 0; rank < 4; rank++) {
            LazyShard shard = LazyShard.ofDisks(rank(rank)).diskBytes(DISK);
            Sampler sampler = shard.apply(SAMPLER, 400);
            nodes.get(rank / 2).addAll(drawn(sampler, 0));
            assertThat(drawn(sampler, 0)).hasSize(100);
            assertThat(drawn(sampler, 1)).hasSize(100).isNotEqualTo(drawn(sampler, 0));
        }
        for (int rank = 0; rank < 4; rank++) {
            Sampler sampler = LazyShard.ofDisks(rank(rank)).diskBytes(DISK).apply(SAMPLER, 400);
            assertThat(nodes.get(rank / 2)).hasSize(200).containsAll(drawn(sampler, 1));
        }

        assertThat(nodes.get(0)).doesNotContainAnyElementsOf(nodes.get(1));
    }

    @Test
    void shares_ofWhatIsFree_areDividedByTheRanksOfANode() {
        LazyShard alone = LazyShard.ofRanks(Topology.ALONE).memoryShare(0.5);
        LazyShard one = LazyShard.ofRanks(rank(0)).memoryShare(0.5);
        LazyShard disk =
                LazyShard.ofDisks(Topology.ALONE).diskShare(folder.resolve("to").resolve("come"), 0.5);

        long huge = 1L << 50;
        assertThat(alone.elements(huge, 1)).isBetween(1L << 20, huge);
        assertThat((double) one.elements(huge, 1) / alone.elements(huge, 1)).isBetween(0.3, 0.7);
        assertThat(disk.elements(huge, 1)).isBetween(1L, huge);
        assertThatThrownBy(() -> one.samples(SIZE, 1)).hasMessageContaining("agree on its size");
    }

    @Test
    void elements_ofANodeWithMemoryAlone_areRefusedSinceRanksDoNotShareIt() {
        LazyShard nodes = LazyShard.ofNodes(rank(0)).memoryBytes(7_000);
        LazyShard disks = LazyShard.ofDisks(rank(0)).memoryBytes(7_000);

        assertThatThrownBy(() -> nodes.elements(SIZE, 100))
                .hasMessage(
                        "a lazy shard of 0 bytes of disk (memory does not count: the 2 ranks of a node do not share it)"
                                + " with overflow 0.0 holds 0 samples of 100 bytes, must hold at least 1; give it more");
        assertThatThrownBy(() -> disks.elements(SIZE, 100))
                .hasMessageStartingWith("a lazy shard of 0 bytes of disk with");
    }

    @Test
    void minElements_thatDoNotFit_areRefusedWithWhatItTakes() {
        LazyShard shard = LazyShard.ofRanks(rank(0)).memoryBytes(1_000);

        assertThat(shard.minElements(10).elements(SIZE, 100)).isEqualTo(10);
        assertThatThrownBy(() -> shard.minElements(11).elements(SIZE, 100))
                .hasMessage(
                        "a lazy shard of 1000 bytes of memory and 0 of disk with overflow 0.0 holds 10 samples of 100"
                                + " bytes, must hold at least 11; give it more");
        assertThatThrownBy(() -> shard.elements(SIZE, 1_001)).hasMessageContaining("holds 0 samples");
        // all there are is enough
        assertThat(shard.minElements(11).elements(40, 100)).isEqualTo(10);
    }

    @Test
    void arguments_outOfRange_areNamed() {
        LazyShard shard = LazyShard.ofRanks(rank(0));

        assertThatThrownBy(() -> shard.memoryBytes(-1)).hasMessage("memory must not be negative: -1 bytes");
        assertThatThrownBy(() -> shard.diskShare(folder, 1.5))
                .hasMessage("the share of free disk must be in [0, 1], was 1.5");
        assertThatThrownBy(() -> shard.overflow(-0.1)).hasMessage("overflow must be a share from 0 on, was -0.1");
        assertThatThrownBy(() -> shard.minElements(-1)).hasMessage("min elements must not be negative: -1");
        assertThatThrownBy(() -> LazyShard.ofNodes(Topology.of(Shard.of(0, 4))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("which ranks share a node is not known");
    }

    @Test
    void elements_ofBytesAtTheEndsOfTheRange_areAllThereAreOrRefused() {
        LazyShard all = LazyShard.ofRanks(rank(0)).memoryBytes(Long.MAX_VALUE).diskBytes(Long.MAX_VALUE);

        assertThat(all.elements(SIZE, 1)).isEqualTo(SIZE / 4);
        assertThat(all.overflow(1e300).minElements(Long.MAX_VALUE).elements(SIZE, 1))
                .isEqualTo(SIZE / 4);
        assertThatThrownBy(() -> all.elements(SIZE, 0)).hasMessage("a sample must take at least 1 byte, was 0");
        assertThatThrownBy(() -> LazyShard.ofDisks(rank(0)).diskBytes(DISK).elements(SIZE, Long.MAX_VALUE))
                .hasMessageContaining("holds 0 samples of 9223372036854775807 bytes");
        assertThatThrownBy(() -> ChronicleTier.fits(-1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ChronicleTier.fits(1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ChronicleTier.fits(1, 1, -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ranks_withDifferentCaches_agreeOnTheSmallest() {
        long[] bytes = {50_000, 12_345, 9_000_000, 40_000};

        List<Long> agreed = Flux.fromStream(IntStream.range(0, 4).boxed())
                .flatMap(rank ->
                        LazyShard.ofRanks(rank(rank)).memoryBytes(bytes[rank]).agree(folder, SIZE, 100))
                .collectList()
                .block();
        Long later = LazyShard.ofRanks(rank(2))
                .memoryBytes(100)
                .agree(folder, SIZE, 100)
                .block();

        assertThat(agreed).containsOnly(4 * 123L);
        assertThat(later).isEqualTo(4 * 123L);
    }

    @Test
    void ranks_thatDoNotCome_areMissedInTheEnd() {
        Mono<Long> alone =
                LazyShard.ofRanks(rank(0)).memoryBytes(1_000).agree(folder, SIZE, 100, Duration.ofMillis(300));

        StepVerifier.create(alone)
                .verifyErrorSatisfies(e -> assertThat(e)
                        .isInstanceOf(StoreException.class)
                        .hasMessageContaining("1 of 4 have come within PT0.3S"));
    }

    @Test
    void agreement_thatIsDamaged_isRefused() throws IOException {
        Files.writeString(folder.resolve("lazy-shard.agreed"), "many");

        StepVerifier.create(LazyShard.ofRanks(rank(1)).memoryBytes(1_000).agree(folder, SIZE, 100))
                .verifyErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(StoreException.class).hasStackTraceContaining("holds no number"));
    }
}
