package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.Lease;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.SharedTier;
import io.penstock.fault.SampleException;
import io.penstock.fault.StoreException;
import io.penstock.internal.Begun;
import io.penstock.order.Draw;
import io.penstock.order.Position;
import io.penstock.order.Sampler;
import io.penstock.order.ShardMode;
import io.penstock.stream.Execution;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Law 5: a hit calls nothing upstream; a broken tier changes no value. */
class CachedDatasetTest {

    private static final Schema<Tensor> VALUE = Schema.tensor("value");
    private static final Sampler THREE_EPOCHS = Sampler.shuffled(1).epochs(3);

    private static List<Long> values(Pipeline<Tensor> pipeline) {
        return pipeline.stream(THREE_EPOCHS)
                .map(sample -> sample.value().longAt(0))
                .collectList()
                .block();
    }

    private static List<Long> uncached(int size) {
        return values(FakeDataset.immediate(size));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void cache_secondEpoch_callsNothingUpstream(boolean lateTier) {
        FakeDataset source = FakeDataset.blocking(100);
        AtomicInteger mapped = new AtomicInteger();
        FakeTier tier = new FakeTier("ram");
        tier.late = lateTier;

        Dataset<Tensor> cached = source.map("count", value -> {
                    mapped.incrementAndGet();
                    return value;
                })
                .cache(tier, VALUE);

        assertThat(values(cached)).isEqualTo(uncached(100));
        assertThat(source.totalLoads()).isEqualTo(100);
        assertThat(mapped).hasValue(100);
        // a tier that answers late may let the next epoch's draw of a sample overtake this one's, and lead its load
        assertThat(cached.statistics(0).loads() + cached.statistics(1).loads()).isEqualTo(100);
        assertThat(cached.statistics(2).loads()).isZero();
        assertThat(cached.statistics(2).hits()).isEqualTo(Map.of("ram", 100L));
    }

    @Test
    void cache_closedAndReadOn_saysSoOnce() {
        FakeTier tier = new FakeTier("ram");
        PrintStream before = System.err;
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        Dataset<Tensor> cached;
        try (Cache cache = Cache.of(tier)) {
            cached = FakeDataset.immediate(5).cache(cache, VALUE);
        }
        tier.broken = true;
        try {
            values(cached);
            int atOnce = told.size(); // that the tier fails
            while (told.size() == atOnce) {
                values(cached);
            }
            values(cached);
        } finally {
            System.setErr(before);
        }

        assertThat(told.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("the cache [ram] was closed, and its data set is still read")
                .contains("close the cache behind the last stream");
    }

    @Test
    void cache_brokenTier_changesNoValue() {
        FakeTier broken = new FakeTier("broken");
        broken.broken = true;
        FakeTier sound = new FakeTier("sound");
        FakeDataset source = FakeDataset.blocking(50);

        assertThat(values(source.cache(Cache.of(broken, sound), VALUE))).isEqualTo(uncached(50));
        assertThat(source.totalLoads()).isEqualTo(50);
        assertThat(values(FakeDataset.blocking(50).cache(broken, VALUE))).isEqualTo(uncached(50));
    }

    @Test
    void cache_filledInOneOrder_isHitInAnyOther() {
        FakeDataset source = FakeDataset.immediate(50);
        Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);
        cached.stream(Sampler.shuffled(1)).blockLast();

        for (Sampler other : List.of(
                Sampler.sequential(),
                Sampler.shuffled(2),
                Sampler.windowed(3, 7, 3),
                Sampler.shuffled(4).mode(ShardMode.stable().partitions(5)))) {
            assertThat(cached.stream(other).count().block()).isEqualTo(50);
        }

        assertThat(source.totalLoads()).isEqualTo(50);
    }

    @Test
    void cache_garbageInTier_isAMiss() {
        FakeTier tier = new FakeTier("ram");
        FakeDataset source = FakeDataset.blocking(20);
        Dataset<Tensor> cached = source.cache(tier, VALUE);
        values(cached);
        tier.held.replaceAll((key, bytes) -> ByteBuffer.wrap(new byte[] {1, 2, 3}));

        assertThat(cached.stream(Sampler.sequential())
                        .map(sample -> sample.value().longAt(0))
                        .collectList()
                        .block())
                .isEqualTo(LongStream.range(0, 20).boxed().toList());
        assertThat(source.totalLoads()).isEqualTo(20 + 20);
    }

    @Test
    void cache_slowerTierHit_isServedWithoutLoading() {
        FakeTier fast = new FakeTier("fast");
        FakeTier slow = new FakeTier("slow");
        slow.late = true;
        FakeDataset source = FakeDataset.blocking(30);
        Dataset<Tensor> cached = source.cache(Cache.of(fast, slow), VALUE);
        values(cached);
        fast.held.clear();

        assertThat(values(cached)).isEqualTo(uncached(30));
        assertThat(source.totalLoads()).isEqualTo(30);
    }

    @Test
    void cache_manyWantOneSample_loadsItOnce() {
        FakeDataset source = FakeDataset.answering(
                1, index -> Mono.delay(Duration.ofMillis(30)).map(tick -> Tensor.scalar(index)));
        Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);

        List<Tensor> all = Flux.range(0, 64)
                .flatMap(i -> cached.get(0).subscribeOn(Schedulers.parallel()), 64)
                .collectList()
                .block();

        assertThat(all).hasSize(64).containsOnly(Tensor.scalar(0L));
        assertThat(source.totalLoads()).isEqualTo(1);
    }

    @Test
    void cache_racingWants_neverLoadTwice() {
        // a second look under the flight is what this needs: without it a load that ends in between is repeated
        for (int round = 0; round < 2_000; round++) {
            FakeDataset source = FakeDataset.immediate(1);
            Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);

            Flux.range(0, 8)
                    .flatMap(i -> cached.get(0).subscribeOn(Schedulers.parallel()), 8)
                    .blockLast();

            assertThat(source.totalLoads()).as("round %d", round).isEqualTo(1);
        }
    }

    @Test
    void cache_oneOfTwoWaitersCancels_theLoadGoesOn() {
        FakeDataset source = FakeDataset.answering(
                1, index -> Mono.delay(Duration.ofMillis(50)).map(tick -> Tensor.scalar(index)));
        Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);
        Mono<Tensor> wanted = cached.get(0);

        var first = wanted.subscribe();
        Mono<Tensor> second = wanted.doOnSubscribe(s -> first.dispose());

        assertThat(second.block()).isEqualTo(Tensor.scalar(0L));
        assertThat(source.totalLoads()).isBetween(1, 2);
    }

    @Test
    void cache_allWaitersCancel_theLoadIsCancelled() {
        FakeDataset source = FakeDataset.silent(1);
        Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);

        cached.get(0).subscribe().dispose();

        assertThat(source.cancelled.get()).isEqualTo(1);
    }

    @Test
    void cache_failedLoad_isNotKept() {
        AtomicInteger attempts = new AtomicInteger();
        FakeDataset source = FakeDataset.answering(
                1,
                index -> Mono.defer(() -> attempts.incrementAndGet() == 1
                        ? Mono.error(new StoreException("not now"))
                        : Mono.just(Tensor.scalar(index))));
        Dataset<Tensor> cached = source.cache(new FakeTier("ram"), VALUE);

        StepVerifier.create(cached.get(0)).expectError(SampleException.class).verify();
        StepVerifier.create(cached.get(0)).expectNextCount(1).expectComplete().verify();
    }

    @Test
    void cache_fullTier_loadsWhatIsNotHeld() {
        FakeTier small = new FakeTier("ram");
        small.capacity = 40;
        FakeDataset source = FakeDataset.blocking(100);
        Dataset<Tensor> cached = source.cache(small, VALUE);

        // one at a time: a load that two epochs wait for at their boundary is one load
        cached.stream(THREE_EPOCHS, Execution.standard().inFlight(1)).blockLast();

        assertThat(cached.statistics(1).hits()).isEqualTo(Map.of("ram", 40L));
        assertThat(cached.statistics(1).loads()).isEqualTo(60);
    }

    @Test
    void cache_budgetBelowOneSample_saysHowMuchItNeeds() {
        FakeTier tiny = new FakeTier("ram") {
            @Override
            public boolean accepts(SampleKey key, Entry about) {
                return true;
            }
        };
        tiny.capacity = 5;

        StepVerifier.create(FakeDataset.blocking(3).cache(tiny, VALUE).stream(Sampler.sequential()))
                .expectErrorMessage("cache tier \"ram\" of 5 bytes cannot hold one sample of 12 bytes; "
                        + "give it at least that or leave it out")
                .verify();
    }

    @Test
    void key_changedStageOrCodec_changes() {
        FakeDataset source = FakeDataset.immediate(3);
        FakeTier tier = new FakeTier("ram");
        Dataset<Tensor> cached = source.map("resize 224", value -> value).cache(tier, VALUE);

        assertThat(cached.id(0).key())
                .isEqualTo(source.map("resize 224", value -> value)
                        .cache(tier, VALUE)
                        .id(0)
                        .key());
        assertThat(cached.id(0).key()).isNotEqualTo(cached.id(1).key());
        assertThat(cached.id(0).key())
                .isNotEqualTo(source.map("resize 256", value -> value)
                        .cache(tier, VALUE)
                        .id(0)
                        .key());
        assertThat(cached.id(0).key())
                .isNotEqualTo(source.map("resize 224", value -> value)
                        .cache(tier, Schema.tensor("other"))
                        .id(0)
                        .key());
    }

    @Test
    void cache_slowerTierHit_isCopiedUpAsASpare() {
        FakeTier fast = new FakeTier("fast");
        FakeTier slow = new FakeTier("slow");
        Dataset<Tensor> cached = FakeDataset.blocking(30).cache(Cache.of(fast, slow), VALUE);
        values(cached);
        assertThat(fast.spares).as("held below since the load").hasSize(30);
        fast.held.clear();
        fast.spares.clear();

        values(cached);

        assertThat(fast.held).hasSize(30);
        assertThat(fast.spares).hasSize(30);
        // two runs of three epochs: the second found each in the slow tier first, in its second epoch where that
        // overtook
        assertThat(cached.statistics().hits().get("slow")).isGreaterThanOrEqualTo(30);
        assertThat(cached.statistics(2).hits()).isEqualTo(Map.of("fast", 60L, "slow", 0L));
    }

    @Test
    void cache_slowerTierFull_fasterOnesLearnThatTheyAreAlone() {
        FakeTier fast = new FakeTier("fast");
        FakeTier slow = new FakeTier("slow");
        slow.capacity = 12;

        values(FakeDataset.blocking(30).cache(Cache.of(fast, slow), VALUE));

        assertThat(fast.held).hasSize(30);
        assertThat(fast.spares).isEqualTo(slow.held.keySet());
    }

    private abstract static class LeasingTier extends FakeTier implements SharedTier {
        LeasingTier() {
            super("shared");
        }
    }

    @Test
    void cache_leasedTier_looksAgainUnderTheLeaseAndAlwaysReleases() {
        FakeTier other = new FakeTier("shared");
        AtomicInteger leased = new AtomicInteger();
        AtomicInteger released = new AtomicInteger();
        LeasingTier shared = new LeasingTier() {
            @Override
            public Mono<Lease> lease(SampleKey key) {
                return Mono.<Lease>fromCallable(() -> {
                            // as if another process had loaded it while this one waited
                            ByteBuffer theirs = other.held.get(key);
                            if (theirs != null) {
                                held.put(key, theirs);
                            }
                            leased.incrementAndGet();
                            return released::incrementAndGet;
                        })
                        .subscribeOn(Schedulers.parallel());
            }
        };
        values(FakeDataset.blocking(20).slice(0, 12).cache(other, VALUE));
        FakeDataset source = FakeDataset.blocking(20);

        Dataset<Tensor> cached = source.cache(shared, VALUE);
        assertThat(values(cached)).isEqualTo(uncached(20));

        assertThat(source.totalLoads()).isEqualTo(8);
        long hits = cached.statistics().hits().get("shared");
        assertThat(cached.statistics().misses() + hits).isEqualTo(uncached(20).size());
        assertThat(leased.get()).isGreaterThanOrEqualTo(20);
        assertThat(released).hasValue(leased.get());
    }

    @Test
    void cache_loadUnderALeaseFails_releasesIt() {
        AtomicInteger released = new AtomicInteger();
        LeasingTier shared = new LeasingTier() {
            @Override
            public Mono<Lease> lease(SampleKey key) {
                return Mono.fromCallable(() -> released::incrementAndGet);
            }
        };
        Dataset<Tensor> failing = FakeDataset.blocking(1)
                .<Tensor>map("break", value -> {
                    throw new IllegalStateException("broken");
                })
                .cache(shared, VALUE);

        StepVerifier.create(failing.get(0))
                .expectErrorMatches(e -> e.getMessage().contains("broken"))
                .verify();

        assertThat(released).hasValue(1);
    }

    /** Draws begun in one group, as a stream of cheap samples does. */
    private static List<Long> inOneGroup(Dataset<Tensor> cached, Draw... draws) {
        Object[] begun = new Object[draws.length];
        Stage.of(cached).beginAll(draws, begun);
        return Stream.of(begun)
                .map(one -> Begun.<Tensor>toMono(one).block().longAt(0))
                .toList();
    }

    private static Draw draw(long epoch, long index) {
        return new Draw(1, epoch, index, Position.START);
    }

    @Test
    void cache_tierAnswersInGroups_givesTheSameAndCountsByEpoch() {
        FakeTier tier = new FakeTier("ram");
        tier.answersGroups = true;
        FakeDataset source = FakeDataset.immediate(10);
        Dataset<Tensor> cached = source.cache(tier, VALUE);
        for (int index : List.of(0, 2, 3, 5)) {
            cached.get(index).block();
        }
        int gets = tier.gets.get();

        assertThat(inOneGroup(cached, draw(1, 0), draw(1, 1), draw(1, 2), draw(2, 3), draw(2, 4), draw(3, 5)))
                .isEqualTo(List.of(0L, 1L, 2L, 3L, 4L, 5L));

        assertThat(source.totalLoads()).isEqualTo(6);
        assertThat(tier.gets)
                .as("looks for a miss again, when another's load has ended")
                .hasValue(gets);
        assertThat(List.of(1, 2, 3).stream()
                        .map(epoch -> cached.statistics(epoch).hits().get("ram")))
                .containsExactly(2L, 1L, 1L);
        assertThat(cached.statistics(1).misses() + cached.statistics(2).misses())
                .isEqualTo(2);
    }

    @Test
    void cache_putAtHandThatBreaksWithAnError_changesNoValue() {
        FakeTier tier = new FakeTier("ram") {
            @Override
            public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
                return Mono.fromCallable(() -> {
                    throw new AssertionError("broken");
                });
            }
        };

        assertThat(values(FakeDataset.blocking(50).cache(tier, VALUE))).isEqualTo(uncached(50));
    }

    @Test
    void cache_tierThatAnswersInGroupsBreaks_loadsThemAll() {
        FakeTier tier = new FakeTier("ram");
        tier.answersGroups = true;
        tier.broken = true;
        FakeDataset source = FakeDataset.immediate(3);

        assertThat(inOneGroup(source.cache(tier, VALUE), draw(0, 2), draw(0, 0)))
                .isEqualTo(List.of(2L, 0L));

        assertThat(source.totalLoads()).isEqualTo(2);
    }

    @Test
    void cache_garbageInAGroup_isAMissOfThatSampleAlone() {
        FakeTier tier = new FakeTier("ram");
        tier.answersGroups = true;
        FakeDataset source = FakeDataset.immediate(3);
        Dataset<Tensor> cached = source.cache(tier, VALUE);
        cached.get(0).block();
        cached.get(1).block();
        tier.held.put(cached.id(1).key(), ByteBuffer.wrap(new byte[] {9}));

        assertThat(inOneGroup(cached, draw(1, 0), draw(1, 1))).isEqualTo(List.of(0L, 1L));

        assertThat(cached.statistics(1).hits()).isEqualTo(Map.of("ram", 1L));
        assertThat(cached.statistics(1).loads()).isEqualTo(1);
    }

    @Test
    void statistics_ofAnEpochThatSharesALoadOfTheOneBefore_haveNoMissWithoutALoad() {
        Sinks.One<Tensor> load = Sinks.one();
        CachedDataset<Tensor> cached = (CachedDataset<Tensor>)
                FakeDataset.answering(1, index -> load.asMono()).cache(new FakeTier("ram"), VALUE);

        Mono<Tensor> first = Begun.toMono(cached.begin(draw(0, 0)));
        Mono<Tensor> second = Begun.toMono(cached.begin(draw(1, 0)));
        StepVerifier.create(Mono.zip(first, second))
                .then(() -> load.tryEmitValue(Tensor.scalar(7L)))
                .expectNextCount(1)
                .verifyComplete();

        assertThat(cached.statistics(0).misses())
                .isEqualTo(cached.statistics(0).loads())
                .isEqualTo(1);
        assertThat(cached.statistics(1).misses())
                .isEqualTo(cached.statistics(1).loads())
                .isZero();
        assertThat(cached.statistics(1).hits()).isEqualTo(Map.of("ram", 1L));
    }

    /** More epochs than are kept one by one. */
    @Test
    void statistics_overManyEpochs_countAllOfThemAndNeverFall() {
        Dataset<Tensor> cached = FakeDataset.immediate(30).cache(new FakeTier("ram"), VALUE);
        Pipeline<Tensor> mapped = cached.map("same", value -> value);
        long last = 0;
        for (int epochs = 1; epochs <= 25; epochs++) {
            mapped.stream(Sampler.shuffled(1).epochs(epochs).resumeAt(new Position(epochs - 1, 0)))
                    .blockLast();
            RunStatistics total = mapped.statistics();

            assertThat(total.loads()).isEqualTo(30);
            assertThat(total.misses()).isEqualTo(30);
            assertThat(total.hits()).isEqualTo(Map.of("ram", 30L * (epochs - 1)));
            assertThat(total.stages().get(1).samples()).isEqualTo(30L * epochs).isGreaterThan(last);
            last = total.stages().get(1).samples();
        }
        assertThat(mapped.statistics(0).stages().get(1).samples())
                .as("long ago")
                .isZero();
    }
}
