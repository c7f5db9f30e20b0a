package io.penstock.store.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

class ChunkCacheTest {

    private final List<Long> loaded = new ArrayList<>();

    private Mono<String> load(ChunkCache<String> loads, long key, String value) {
        return loads.get(key, () -> {
            loaded.add(key);
            return Mono.just(value);
        });
    }

    @Test
    void get_beyondTheBudget_forgetsWhatWasUsedLeastRecently() {
        ChunkCache<String> loads = new ChunkCache<>(6, String::length);
        load(loads, 1, "aaa").block();
        load(loads, 2, "bbb").block();
        load(loads, 1, "aaa").block();

        load(loads, 3, "ccc").block();

        assertThat(loads.held(2)).isNull();
        assertThat(loads.held(1)).isEqualTo("aaa");
        assertThat(loads.bytes()).isEqualTo(6);
        assertThat(loaded).containsExactly(1L, 2L, 3L);
    }

    @Test
    void get_largerThanTheBudget_keepsTheNewestAlone() {
        ChunkCache<String> loads = new ChunkCache<>(2, String::length);
        load(loads, 1, "aaa").block();
        load(loads, 2, "bbbb").block();

        assertThat(loads.held(1)).isNull();
        assertThat(loads.held(2)).isEqualTo("bbbb");
        assertThat(loads.bytes()).isEqualTo(4);
    }

    @Test
    void get_fromManyThreads_loadsEachOnce() {
        ChunkCache<Long> loads = new ChunkCache<>(1 << 20, value -> 1);
        AtomicInteger count = new AtomicInteger();

        List<Long> values = Flux.range(0, 20_000)
                .flatMap(
                        i -> Mono.defer(() -> loads.get(
                                        i % 100,
                                        () -> Mono.fromCallable(() -> {
                                            count.incrementAndGet();
                                            return i % 100L;
                                        })))
                                .subscribeOn(Schedulers.parallel()),
                        64)
                .collectList()
                .block();

        assertThat(values).hasSize(20_000);
        assertThat(count).hasValue(100);
    }

    @Test
    void get_withoutDemand_loadsNothing() {
        ChunkCache<String> loads = new ChunkCache<>(6, String::length);

        StepVerifier.create(load(loads, 1, "a"), 0)
                .expectSubscription()
                .thenRequest(1)
                .expectNext("a")
                .verifyComplete();
    }
}
