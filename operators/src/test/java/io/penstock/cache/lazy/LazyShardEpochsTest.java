package io.penstock.cache.lazy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.MapTier;
import io.penstock.cache.Tier;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.ram.RamTier;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.Topology;
import io.penstock.order.Topology.Place;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/** What ranks with lazy shards load: each of their samples once, in every mode. */
@Tag("repeated")
class LazyShardEpochsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int SIZE = 10_000;
    private static final int LENGTH = 4_000;
    private static final int BESIDE = 64; // what a schema puts beside the bytes, and RAM beside a value
    private static final int IN_FLIGHT = 16;
    private static final int EPOCHS = 3;
    private static final long MEMORY = 100L * (4_000 + 64);
    private static final long DISK = 12L << 20;
    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");

    private static final List<Integer> RANKS =
            Boolean.getBoolean("penstock.endurance") ? List.of(1, 2, 3, 4, 5, 6, 7, 8) : List.of(1, 3, 8);

    @TempDir
    private Path directory;

    enum Mode {
        RANK,
        NODE,
        DISK;

        LazyShard of(Topology topology) {
            return switch (this) {
                case RANK -> LazyShard.ofRanks(topology);
                case NODE -> LazyShard.ofNodes(topology);
                case DISK -> LazyShard.ofDisks(topology);
            };
        }
    }

    private static LazyShard shard(Mode mode, int rank, int ranks) {
        return mode.of(Topology.of(Shard.of(rank, ranks), new Place(0, 1, rank, ranks)))
                .memoryBytes(MEMORY)
                .diskBytes(DISK);
    }

    /** A rank's draws, epoch by epoch. */
    private static List<List<Draw>> draws(LazyShard shard) {
        Sampler sampler = Sampler.shuffled(13).epochs(EPOCHS).remainder(Remainder.KEEP);
        Draws draws = shard.apply(sampler, shard.samples(SIZE, LENGTH + BESIDE)).draws(SIZE);
        List<List<Draw>> epochs = new ArrayList<>();
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            int number = epoch;
            epochs.add(LongStream.range(0, draws.count())
                    .mapToObj(draws::at)
                    .filter(draw -> draw.epoch() == number)
                    .toList());
        }
        return epochs;
    }

    private static List<RamTier> memories(int ranks) {
        return Stream.generate(() -> RamTier.ofBytes(MEMORY)).limit(ranks).toList();
    }

    /** All of one rank's draws of an epoch before the next one's. */
    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void ranks_strictlyInTurnOverADisk_loadNothingFromTheSecondEpochOn(Mode mode, int ranks) {
        NumberedDataset source = new NumberedDataset(SIZE, index -> LENGTH);
        List<RamTier> memories = memories(ranks);
        List<Long> loads = new ArrayList<>();
        List<List<List<Draw>>> draws = IntStream.range(0, ranks)
                .mapToObj(rank -> draws(shard(mode, rank, ranks)))
                .toList();

        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            source.loads.set(0);
            for (int rank = 0; rank < ranks; rank++) {
                try (Tier disk = ChronicleTier.at(directory).maxBytes(DISK).open()) {
                    Cache cache = Cache.of(memories.get(rank), disk);
                    Flux.fromIterable(draws.get(rank).get(epoch))
                            .flatMap(source.cache(cache, SCHEMA)::load, IN_FLIGHT)
                            .blockLast(TIMEOUT);
                }
            }
            loads.add(source.loads.get());
        }

        memories.forEach(RamTier::close);
        assertThat(loads.get(0)).isPositive().isLessThan(SIZE);
        assertThat(loads.subList(1, EPOCHS)).containsOnly(0L);
    }

    @ParameterizedTest
    @MethodSource("modesAndRanks")
    void ranks_drawingByTurns_loadNothingFromTheSecondEpochOn(Mode mode, int ranks) {
        NumberedDataset source = new NumberedDataset(SIZE, index -> LENGTH);
        List<RamTier> memories = memories(ranks);
        MapTier disk = MapTier.holding((int) ChronicleTier.fits(DISK, ranks, LENGTH + BESIDE));
        List<Dataset<Tensor>> caches = memories.stream()
                .map(memory -> source.cache(Cache.of(memory, disk), SCHEMA))
                .toList();
        List<Long> loads = new ArrayList<>();
        List<List<List<Draw>>> draws = IntStream.range(0, ranks)
                .mapToObj(rank -> draws(shard(mode, rank, ranks)))
                .toList();

        for (int epoch = 0; epoch < EPOCHS; epoch++) {
            source.loads.set(0);
            for (int turn = 0; turn < draws.get(0).get(epoch).size(); turn++) {
                for (int rank = 0; rank < ranks; rank++) {
                    List<Draw> own = draws.get(rank).get(epoch);
                    if (turn < own.size()) {
                        caches.get(rank).load(own.get(turn)).block(TIMEOUT);
                    }
                }
            }
            loads.add(source.loads.get());
        }

        memories.forEach(RamTier::close);
        assertThat(loads.get(0)).isPositive().isLessThan(SIZE);
        assertThat(loads.subList(1, EPOCHS)).containsOnly(0L);
    }

    static Stream<Arguments> modesAndRanks() {
        return Stream.of(Mode.values()).flatMap(mode -> RANKS.stream().map(ranks -> Arguments.of(mode, ranks)));
    }
}
