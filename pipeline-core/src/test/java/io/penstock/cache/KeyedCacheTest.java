package io.penstock.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.FakeTier;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

class KeyedCacheTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** A tier that can forget, but not list its keys. */
    private static class Forgetting extends FakeTier implements RemovableTier {

        Forgetting(String name) {
            super(name);
        }

        @Override
        public void remove(SampleKey key) {
            held.remove(key);
        }
    }

    /** One that lists its keys too. */
    private static class Listing extends Forgetting implements ListedTier {

        Listing(String name) {
            super(name);
        }

        @Override
        public Flux<SampleKey> keys() {
            return Flux.defer(() -> Flux.fromIterable(held.keySet()));
        }
    }

    private record Text(String id) implements Codec<String> {
        @Override
        public Encoded encode(String value) {
            return Encoded.of(ByteBuffer.wrap(value.getBytes(StandardCharsets.UTF_8)));
        }

        @Override
        public String decode(ByteBuffer bytes) {
            return StandardCharsets.UTF_8.decode(bytes).toString();
        }
    }

    private static final Codec<String> TEXT = new Text("text");

    private final Listing tier = new Listing("ram");
    private final AtomicInteger loads = new AtomicInteger();
    private final KeyedCache<String> cache = KeyedCache.of(Cache.of(tier), TEXT, "features");

    private Callable<String> loading(String value) {
        return () -> {
            loads.incrementAndGet();
            return value;
        };
    }

    private String get(KeyedCache<String> from, String key, String value) {
        return from.get(key, loading(value)).block(TIMEOUT);
    }

    @Test
    void get_aKeyForTheFirstTime_loadsIt() {
        Mono<String> got = cache.get("a", loading("1"));
        assertThat(loads).hasValue(0);

        StepVerifier.create(got, 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext("1")
                .expectComplete()
                .verify(TIMEOUT);
        StepVerifier.create(got, 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext("1")
                .expectComplete()
                .verify(TIMEOUT);

        assertThat(loads).hasValue(1);
    }

    @Test
    void get_fromATierThatAnswersLate_isAHitToo() {
        get(cache, "a", "1");
        tier.late = true;

        assertThat(get(cache, "a", "2")).isEqualTo("1");
    }

    @Test
    void get_fromASlowLevel_copiesItUp() {
        Listing slow = new Listing("disk");
        get(KeyedCache.of(Cache.of(slow), TEXT, "features"), "a", "1");

        assertThat(get(KeyedCache.of(Cache.of(tier, slow), TEXT, "features"), "a", "2"))
                .isEqualTo("1");

        assertThat(tier.spares).isEqualTo(slow.held.keySet());
        assertThat(get(cache, "a", "3")).isEqualTo("1");
    }

    /** Whatever parts of names and keys are moved to and fro. */
    @Test
    void get_differentNameSpacesKindsAndCodecs_neverMeet() {
        KeyedCache<String> a = KeyedCache.of(Cache.of(tier), TEXT, "a");
        KeyedCache<String> a1 = KeyedCache.of(Cache.of(tier), TEXT, "a_1");
        KeyedCache<String> other = KeyedCache.of(Cache.of(tier), new Text("text 2"), "a");

        assertThat(get(a, "1_2", "first")).isEqualTo("first");
        assertThat(get(a1, "2", "second")).isEqualTo("second");
        assertThat(get(other, "1_2", "third")).isEqualTo("third");
        assertThat(get(a, "12", "fourth")).isEqualTo("fourth");
        assertThat(a.get(12, loading("fifth")).block(TIMEOUT)).isEqualTo("fifth");
        assertThat(a.get(-12, loading("sixth")).block(TIMEOUT)).isEqualTo("sixth");
        assertThat(get(a, "", "seventh")).isEqualTo("seventh");
        assertThat(tier.held).hasSize(7);
        assertThat(a.size().block(TIMEOUT)).isEqualTo(6);
        assertThat(a1.size().block(TIMEOUT)).isEqualTo(1);
    }

    @Test
    void get_loaderThatFails_failsAlikeAndKeepsNothing() {
        StepVerifier.create(
                        cache.get("a", (Callable<String>) () -> {
                            throw new IOException("no such file");
                        }),
                        0)
                .expectSubscription()
                .thenRequest(1)
                .expectErrorMessage("no such file")
                .verify(TIMEOUT);

        assertThat(tier.held).isEmpty();
        assertThat(get(cache, "a", "1")).isEqualTo("1");
    }

    @Test
    @SuppressWarnings("NullAway") // what a caller without a checker may do
    void get_loaderThatGivesNull_saysWhose() {
        StepVerifier.create(cache.get(7, (Callable<String>) () -> null))
                .expectErrorMessage("loader of key \"7\" in name space \"features\" gave null: wanted a value")
                .verify(TIMEOUT);
    }

    @Test
    void get_loaderThatIsEmpty_isEmptyAndKeepsNothing() {
        StepVerifier.create(cache.get("a", Mono.<String>empty()), 0)
                .expectComplete()
                .verify(TIMEOUT);

        assertThat(tier.held).isEmpty();
        assertThat(get(cache, "a", "1")).isEqualTo("1");
    }

    @Test
    void get_fromABrokenTier_loads() {
        get(cache, "a", "1");
        tier.broken = true;

        assertThat(get(cache, "a", "2")).isEqualTo("2");
        assertThat(get(cache, "a", "3")).isEqualTo("3");
    }

    @Test
    void get_bytesThatAreNoValue_loads() {
        Codec<String> picky = new Codec<>() {
            @Override
            public String id() {
                return TEXT.id();
            }

            @Override
            public Encoded encode(String value) {
                return TEXT.encode(value);
            }

            @Override
            public String decode(ByteBuffer bytes) {
                throw new IllegalArgumentException("not a value");
            }
        };
        get(cache, "a", "1");

        assertThat(get(KeyedCache.of(Cache.of(tier), picky, "features"), "a", "2"))
                .isEqualTo("2");
    }

    @Test
    void get_byManyAtOnce_loadsOnceForAll() {
        Sinks.One<String> value = Sinks.one();
        Mono<String> loader = Mono.defer(() -> {
            loads.incrementAndGet();
            return value.asMono();
        });
        List<Mono<String>> waiting = IntStream.range(0, 8)
                .mapToObj(i -> cache.get("a", loader).cache())
                .toList();
        waiting.forEach(Mono::subscribe);

        value.tryEmitValue("1");

        waiting.forEach(one -> assertThat(one.block(TIMEOUT)).isEqualTo("1"));
        assertThat(loads).hasValue(1);
    }

    @Test
    void get_whenTheLastOneCancels_cancelsTheLoadAndLoadsAnewLater() {
        AtomicBoolean cancelled = new AtomicBoolean();
        Mono<String> loader = Mono.<String>never().doOnCancel(() -> cancelled.set(true));

        Disposable waiting = cache.get("a", loader).subscribe();
        assertThat(cancelled).isFalse();
        waiting.dispose();

        assertThat(cancelled).isTrue();
        assertThat(get(cache, "a", "1")).isEqualTo("1");
    }

    @Test
    void get_whileAnotherProcessLoads_takesWhatThatOneStored() {
        AtomicInteger released = new AtomicInteger();
        class Leasing extends FakeTier implements SharedTier {
            Leasing() {
                super("disk");
            }

            @Override
            public Mono<Lease> lease(SampleKey key) {
                return Mono.fromCallable(() -> {
                    held.put(key, TEXT.encode("theirs").joined());
                    return released::incrementAndGet;
                });
            }
        }

        assertThat(get(KeyedCache.of(Cache.of(new Leasing()), TEXT, "x"), "a", "ours"))
                .isEqualTo("theirs");

        assertThat(loads).hasValue(0);
        assertThat(released).hasValue(1);
    }

    @Test
    void clear_ofOneNameSpace_leavesAllOthers() {
        for (Forgetting shared : List.of(new Forgetting("ram"), new Listing("ram"))) {
            KeyedCache<String> one = KeyedCache.of(Cache.of(shared), TEXT, "one");
            KeyedCache<String> two = KeyedCache.of(Cache.of(shared), TEXT, "two");
            SampleKey dataset = SampleKey.of("a sample of a dataset");
            shared.put(dataset, TEXT.encode("x"), Entry.UNKNOWN).block(TIMEOUT);
            for (int i = 0; i < 10; i++) {
                get(one, "k" + i, "one");
                two.get(i, loading("two")).block(TIMEOUT);
            }

            StepVerifier.create(one.size(), 0)
                    .expectSubscription()
                    .thenRequest(1)
                    .expectNext(10L)
                    .expectComplete()
                    .verify(TIMEOUT);
            StepVerifier.create(one.clear(), 0).expectComplete().verify(TIMEOUT);

            assertThat(one.size().block(TIMEOUT)).isZero();
            assertThat(two.size().block(TIMEOUT)).isEqualTo(10);
            assertThat(shared.held).hasSize(11).containsKey(dataset);
            assertThat(get(one, "k1", "anew")).isEqualTo("anew");
            assertThat(two.get(1, loading("anew")).block(TIMEOUT)).isEqualTo("two");
        }
    }

    @Test
    void size_overATierThatTellsKeys_countsWhatOthersPut() {
        get(cache, "a", "1");

        assertThat(KeyedCache.of(Cache.of(tier), TEXT, "features").size().block(TIMEOUT))
                .isEqualTo(1);
        assertThat(KeyedCache.of(Cache.of(tier, new Forgetting("disk")), TEXT, "features")
                        .size()
                        .block(TIMEOUT))
                .isEqualTo(1);
    }

    @Test
    void clear_overATierThatCannotRemove_fails() {
        KeyedCache<String> stuck = KeyedCache.of(Cache.of(new FakeTier("stuck")), TEXT, "features");
        get(stuck, "a", "1");

        StepVerifier.create(stuck.clear())
                .expectErrorMessage("cache tier \"stuck\" cannot remove single keys")
                .verify(TIMEOUT);
    }

    @Test
    void clear_duringALoad_deliversItsValueButDoesNotKeepIt() {
        Sinks.One<String> before = Sinks.one();
        Mono<String> old = cache.get("a", before.asMono()).cache();
        old.subscribe();

        cache.clear().block(TIMEOUT);
        Sinks.One<String> after = Sinks.one();
        Mono<String> anew = cache.get("a", after.asMono()).cache();
        anew.subscribe();
        before.tryEmitValue("old");
        assertThat(old.block(TIMEOUT)).isEqualTo("old");
        assertThat(tier.held).isEmpty();
        after.tryEmitValue("new");

        assertThat(anew.block(TIMEOUT)).isEqualTo("new");
        assertThat(get(cache, "a", "third")).isEqualTo("new");
    }

    @Test
    void clear_duringAPut_forgetsWhatComesTooLate() {
        Sinks.Empty<Void> written = Sinks.empty();
        Listing slow = new Listing("disk") {
            @Override
            public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
                return super.put(key, value, about).delayUntil(put -> written.asMono());
            }
        };
        KeyedCache<String> cleared = KeyedCache.of(Cache.of(slow), TEXT, "features");
        Mono<String> got = cleared.get("a", loading("1")).cache();
        got.subscribe();

        cleared.clear().block(TIMEOUT);
        written.tryEmitEmpty();

        assertThat(got.block(TIMEOUT)).isEqualTo("1");
        assertThat(slow.held).isEmpty();
    }

    /** What is put while a clear runs is either forgotten by it or counted, so that the next one forgets it. */
    @Test
    void cache_getsAndClearsAtOnce_neverMixesKeysNorLosesOne() throws Exception {
        Forgetting shared = new Forgetting("ram");
        KeyedCache<String> busy = KeyedCache.of(Cache.of(shared), TEXT, "busy");
        KeyedCache<String> calm = KeyedCache.of(Cache.of(shared), TEXT, "calm");
        AtomicInteger[] loading = new AtomicInteger[100];
        Arrays.setAll(loading, i -> new AtomicInteger());
        for (int i = 0; i < 100; i++) {
            get(calm, "k" + i, "calm" + i);
        }

        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            CountDownLatch ready = new CountDownLatch(4);
            List<Future<?>> all = IntStream.range(0, 4)
                    .<Future<?>>mapToObj(thread -> pool.submit(() -> {
                        SplittableRandom random = new SplittableRandom(thread);
                        ready.countDown();
                        ready.await();
                        for (int i = 0; i < 5_000; i++) {
                            int number = random.nextInt(100);
                            assertThat(get(calm, "k" + number, "?")).isEqualTo("calm" + number);
                            assertThat(busy.get(number, loadingAlone(loading[number], "busy" + number))
                                            .block(TIMEOUT))
                                    .isEqualTo("busy" + number);
                            if (i % 200 == 0) {
                                busy.clear().block(TIMEOUT);
                            }
                        }
                        return thread;
                    }))
                    .toList();
            for (Future<?> one : all) {
                one.get(300, TimeUnit.SECONDS);
            }
        } finally {
            pool.shutdownNow();
        }

        assertThat((long) shared.held.size())
                .isLessThanOrEqualTo(100 + busy.size().block(TIMEOUT));
        busy.clear().block(TIMEOUT);
        assertThat(busy.size().block(TIMEOUT)).isZero();
        assertThat(shared.held).hasSize(100);
        assertThat(calm.size().block(TIMEOUT)).isEqualTo(100);
    }

    private static Callable<String> loadingAlone(AtomicInteger loading, String value) {
        return () -> {
            loading.incrementAndGet();
            return value;
        };
    }

    /** Two threads that miss one key at the same moment, again and again. */
    @Test
    void get_ofOneKeyByRacingThreads_loadsOnce() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < 2_000; round++) {
                int number = round;
                AtomicInteger loaded = new AtomicInteger();
                List<Callable<String>> racing = IntStream.range(0, 3)
                        .<Callable<String>>mapToObj(i -> () ->
                                cache.get(number, loadingAlone(loaded, "v")).block(TIMEOUT))
                        .toList();
                for (Future<String> one : pool.invokeAll(racing)) {
                    assertThat(one.get()).isEqualTo("v");
                }
                assertThat(loaded).hasValue(1);
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
