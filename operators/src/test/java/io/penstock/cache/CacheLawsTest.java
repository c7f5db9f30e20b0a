package io.penstock.cache;

import static io.penstock.testkit.TierKit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.cache.chronicle.ChronicleTier;
import io.penstock.cache.lazy.NumberedDataset;
import io.penstock.cache.ram.CachePolicy;
import io.penstock.cache.ram.RamTier;
import io.penstock.cache.slot.SharedSlots;
import io.penstock.metrics.TierMetrics;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.stream.Execution;
import io.penstock.tensor.DType;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The laws of a cache, over one, two and three tiers of every kind, observed by metrics and not. */
@Tag("repeated")
class CacheLawsTest {

    private static final int SAMPLES = 160;
    private static final int LENGTH = 32 << 10;
    private static final Schema<Tensor> SCHEMA = Schema.tensor("value");
    private static final int ALL = SAMPLES + 20;

    @TempDir
    Path folder;

    private final AtomicInteger opened = new AtomicInteger();
    private final NumberedDataset source = new NumberedDataset(SAMPLES, index -> LENGTH);

    /** A kind of tier, with room for about the given number of samples. */
    private enum Kind {
        RAM,
        LRU,
        DISK,
        LRU_DISK,
        SLOTS,
        /** Answers on another thread and is shared, as Redis is. */
        DISTANT
    }

    private enum Tiers {
        RAM(Kind.RAM),
        LRU(Kind.LRU),
        DISK(Kind.DISK),
        SLOTS(Kind.SLOTS),
        DISTANT(Kind.DISTANT),
        RAM_DISK(Kind.RAM, Kind.DISK),
        RAM_LRU_DISK(Kind.RAM, Kind.LRU_DISK),
        LRU_DISK(Kind.LRU, Kind.DISK),
        LRU_LRU_DISK(Kind.LRU, Kind.LRU_DISK),
        RAM_DISTANT(Kind.RAM, Kind.DISTANT),
        RAM_SLOTS_DISK(Kind.RAM, Kind.SLOTS, Kind.DISK),
        RAM_DISK_DISTANT(Kind.RAM, Kind.DISK, Kind.DISTANT),
        LRU_RAM_DISTANT(Kind.LRU, Kind.RAM, Kind.DISTANT),
        RAM_LRU_DISTANT(Kind.RAM, Kind.LRU, Kind.DISTANT);

        @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
        final List<Kind> kinds;

        Tiers(Kind... kinds) {
            this.kinds = List.of(kinds);
        }

        /** Only RAM that holds gives spare copies up. */
        boolean giveSparesUp() {
            Kind slowest = kinds.get(kinds.size() - 1);
            return slowest != Kind.LRU
                    && slowest != Kind.LRU_DISK
                    && kinds.subList(0, kinds.size() - 1).stream().allMatch(Kind.RAM::equals);
        }
    }

    /** Half of them, every kind among them: with -Pendurance all. */
    static Stream<Tiers> tiers() {
        return Boolean.getBoolean("penstock.endurance")
                ? Stream.of(Tiers.values())
                : Stream.of(
                        Tiers.RAM,
                        Tiers.DISK,
                        Tiers.SLOTS,
                        Tiers.LRU_LRU_DISK,
                        Tiers.RAM_SLOTS_DISK,
                        Tiers.RAM_DISK_DISTANT,
                        Tiers.LRU_RAM_DISTANT);
    }

    /** Shared by processes. Counts the leases that are out. */
    private static final class Distant extends LaterTier implements SharedTier {

        final AtomicInteger leased = new AtomicInteger();
        final AtomicInteger out = new AtomicInteger();

        Distant(Tier tier) {
            super(tier);
        }

        @Override
        public Mono<Lease> lease(SampleKey key) {
            return Mono.fromCallable(() -> {
                leased.incrementAndGet();
                out.incrementAndGet();
                return out::decrementAndGet;
            });
        }
    }

    /** Fails at every call. */
    private static final class Broken extends TierAround implements SharedTier, ProvenanceTier {

        Broken(Tier tier) {
            super(tier);
        }

        @Override
        public Mono<ByteBuffer> get(SampleKey key) {
            throw new IllegalStateException("broken");
        }

        @Override
        public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
            throw new IllegalStateException("broken");
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            return Mono.error(new IllegalStateException("broken"));
        }

        @Override
        public Mono<Lease> lease(SampleKey key) {
            return Mono.error(new IllegalStateException("broken"));
        }

        @Override
        public void producedBy(Producer producer) {
            throw new IllegalStateException("broken");
        }
    }

    private Tier tier(Kind kind, int samples) {
        long bytes = samples * (LENGTH + 64L);
        Path own = folder.resolve(Integer.toString(opened.incrementAndGet()));
        return switch (kind) {
            case RAM -> RamTier.ofBytes(bytes + (16 << 10));
            case LRU ->
                RamTier.of(CachePolicy.LRU)
                        .maxBytes(samples * (LENGTH + 1_000L))
                        .open();
            case DISK ->
                ChronicleTier.at(own)
                        .maxBytes(bytes + (2 << 20))
                        .segmentBytes(1 << 20)
                        .open();
            case LRU_DISK ->
                ChronicleTier.at(own)
                        .maxBytes(3 * bytes) // it keeps room for files that are still read
                        .segmentBytes(1 << 20)
                        .pendingBytes(64 << 10)
                        .leastRecentlyUsed()
                        .open();
            case SLOTS -> {
                int slot = SCHEMA.encode(source.get(0).block()).length();
                long room = Math.min(samples, SAMPLES) * (slot + 32L) + (64 << 10);
                yield SharedSlots.at(own)
                        .maxBytes(room)
                        .open(SAMPLES, DType.U8, slot)
                        .tier(source, SCHEMA);
            }
            case DISTANT -> new Distant(MapTier.holding(samples));
        };
    }

    /** With room for the given numbers of samples, the slowest tier last. */
    private Cache open(Tiers tiers, int... samples) {
        Tier[] opened = new Tier[tiers.kinds.size()];
        for (int i = 0; i < opened.length; i++) {
            opened[i] = tier(tiers.kinds.get(i), samples[samples.length - opened.length + i]);
        }
        return Cache.of(opened);
    }

    private static Cache observed(Cache cache, boolean observed) {
        return observed ? TierMetrics.timed(cache, new SimpleMeterRegistry()) : cache;
    }

    /** Every value of every epoch must be right. */
    private static void run(Dataset<Tensor> cached, int epochs, int inFlight) {
        cached.stream(Sampler.shuffled(3).epochs(epochs), Execution.standard().inFlight(inFlight))
                .doOnNext(sample -> assertThat(sample.value().toByteArray())
                        .isEqualTo(TierKit.valueOf(sample.draw().index(), LENGTH)))
                .blockLast(TIMEOUT);
    }

    /** By the tiers, for each index whether it is held there. */
    private static boolean[][] held(Cache cache, Dataset<Tensor> cached) {
        boolean[][] held = new boolean[cache.tiers().size()][SAMPLES];
        for (int tier = 0; tier < held.length; tier++) {
            for (int i = 0; i < SAMPLES; i++) {
                held[tier][i] =
                        TierKit.get(cache.tiers().get(tier), cached.id(i).key()) != null;
            }
        }
        return held;
    }

    private static int copies(boolean[][] held, int index) {
        return (int) Arrays.stream(held).filter(tier -> tier[index]).count();
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void cache_withRoomForAll_holdsAllAndLoadsOnce(Tiers tiers) {
        for (boolean observed : new boolean[] {false, true}) {
            try (Cache cache = observed(open(tiers, SAMPLES / 4, SAMPLES / 4, ALL), observed)) {
                Dataset<Tensor> cached = source.cache(cache, SCHEMA);
                source.loads.set(0);

                run(cached, 1, 8);
                boolean[][] held = held(cache, cached);
                run(cached, 2, 8);

                assertThat(IntStream.range(0, SAMPLES)).allMatch(i -> copies(held, i) > 0);
                assertThat(source.loads).hasValue(SAMPLES);
            }
        }
    }

    /** What no tier has found no room, not even that of a spare copy. */
    @ParameterizedTest
    @MethodSource("tiers")
    void cache_withRoomForAPart_holdsNothingTwiceWhileSomethingIsHeldNowhere(Tiers tiers) {
        try (Cache cache = open(tiers, SAMPLES / 5, SAMPLES / 5, SAMPLES / 5)) {
            Dataset<Tensor> cached = source.cache(cache, SCHEMA);

            run(cached, 4, 1);
            boolean[][] held = held(cache, cached);

            long nowhere = IntStream.range(0, SAMPLES)
                    .filter(i -> copies(held, i) == 0)
                    .count();
            long twice =
                    IntStream.range(0, SAMPLES).filter(i -> copies(held, i) > 1).count();
            assertThat(nowhere).isPositive();
            if (tiers.giveSparesUp()) {
                assertThat(twice).isZero();
                long hits = cached.statistics(3).hits().values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                // a disk writes on a thread of its own, and may refuse a load that it takes in a later epoch
                boolean filled = !tiers.kinds.contains(Kind.DISK);
                assertThat(hits).isBetween(filled ? SAMPLES - nowhere : 1, SAMPLES - nowhere);
            }
        }
    }

    /** A second run over warm slow tiers and an empty fast one. */
    @ParameterizedTest
    @MethodSource("tiers")
    void hit_ofASlowTier_isCopiedUpWhereTheTierHolds(Tiers tiers) {
        if (tiers.kinds.size() == 1) {
            return;
        }
        List<Kind> kinds = tiers.kinds;
        Tier slow = tier(kinds.get(kinds.size() - 1), ALL);
        run(source.cache(Cache.of(slow), SCHEMA), 1, 4);
        Tier[] all = new Tier[kinds.size()];
        for (int i = 0; i < all.length - 1; i++) {
            all[i] = tier(kinds.get(i), ALL);
        }
        all[all.length - 1] = slow;
        source.loads.set(0);
        try (Cache cache = Cache.of(all)) {
            Dataset<Tensor> cached = source.cache(cache, SCHEMA);

            run(cached, 3, 1);

            Map<String, Long> warm = cached.statistics(2).hits();
            boolean copied = slow.eviction() != Tier.Eviction.DROPPED;
            assertThat(warm.get(all[0].name())).isEqualTo(copied ? SAMPLES : 0L);
            assertThat(source.loads).hasValue(0);
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void tier_thatBreaks_changesNoValue(Tiers tiers) {
        for (int broken = 0; broken < tiers.kinds.size(); broken++) {
            try (Cache sound = open(tiers, SAMPLES / 4, SAMPLES / 4, ALL)) {
                Tier[] all = sound.tiers().toArray(Tier[]::new);
                all[broken] = new Broken(all[broken]);

                run(source.cache(Cache.of(all), SCHEMA), 3, 8);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void sample_wantedByManyAtOnce_isLoadedOnce(Tiers tiers) {
        try (Cache cache = open(tiers, ALL, ALL, ALL)) {
            Dataset<Tensor> cached = source.cache(cache, SCHEMA);
            source.loads.set(0);

            Flux.range(0, 64)
                    .flatMap(i -> cached.get(i % 4).subscribeOn(Schedulers.parallel()), 64)
                    .blockLast(TIMEOUT);

            assertThat(source.loads).hasValue(4);
        }
    }

    @ParameterizedTest
    @MethodSource("tiers")
    void lease_ofALoad_isTakenOnceAndReleased(Tiers tiers) {
        try (Cache cache = open(tiers, ALL, ALL, ALL)) {
            run(source.cache(cache, SCHEMA), 2, 8);

            for (Tier tier : cache.tiers()) {
                if (tier instanceof Distant distant) {
                    assertThat(distant.leased).hasValue(SAMPLES);
                    assertThat(distant.out).hasValue(0);
                }
            }
        }
    }

    /** One draw at a time, so that both runs do the same. A disk writes on a thread of its own, so what it refuses varies. */
    @ParameterizedTest
    @MethodSource("tiers")
    void cache_observed_doesTheSame(Tiers tiers) {
        if (tiers.kinds.contains(Kind.DISK) || tiers.kinds.contains(Kind.LRU_DISK)) {
            return;
        }
        List<Object> runs = new ArrayList<>();
        for (boolean observed : new boolean[] {false, true}) {
            try (Cache cache = observed(open(tiers, SAMPLES / 5, SAMPLES / 5, SAMPLES / 5), observed)) {
                Dataset<Tensor> cached = source.cache(cache, SCHEMA);
                run(cached, 3, 1);
                runs.add(List.of(
                        cached.statistics(0).hits(),
                        cached.statistics(1).hits(),
                        cached.statistics(2).hits(),
                        Arrays.deepToString(held(cache, cached))));
            }
        }

        assertThat(runs.get(1)).isEqualTo(runs.get(0));
    }
}
