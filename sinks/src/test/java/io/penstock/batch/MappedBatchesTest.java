package io.penstock.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.LendingTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.Tier;
import io.penstock.cache.TierStatistics;
import io.penstock.internal.Thrown;
import io.penstock.order.Sampler;
import io.penstock.pipeline.ErrorPolicy;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Sample;
import io.penstock.tensor.Encoded;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

class MappedBatchesTest {

    private static final int SIZE = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private enum Loss {
        /** Other bytes than what was put are read, as by compiled code. */
        BYTES,
        /** The access fails, as in the interpreter. */
        ERROR
    }

    /** Loses what it lends in one of its answers. */
    private static final class LosingTier implements LendingTier {
        private final Map<SampleKey, byte[]> values = new ConcurrentHashMap<>();
        private final Loss loss;
        private int answersBefore;
        private long lost;
        int lent;

        LosingTier(Loss loss, int answersBefore) {
            this.loss = loss;
            this.answersBefore = answersBefore;
        }

        @Override
        public String name() {
            return "losing";
        }

        @Override
        public Eviction eviction() {
            return Eviction.NONE;
        }

        @Override
        public Mono<ByteBuffer> get(SampleKey key) {
            byte[] value = values.get(key);
            return value == null ? Mono.empty() : Mono.just(view(value));
        }

        private static ByteBuffer view(byte[] value) {
            return ByteBuffer.allocateDirect(value.length).put(value).flip();
        }

        @Override
        public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
            for (int i = 0; i < keys.length; i++) {
                byte[] value = values.get(keys[i]);
                found[i] = value == null ? null : view(value);
            }
            return true;
        }

        @Override
        public synchronized boolean lendAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
            getAll(keys, found);
            lent++;
            boolean full = values.size() == SIZE;
            if (full && --answersBefore == 0) {
                lost++;
                values.clear();
                if (loss == Loss.ERROR) {
                    throw new InternalError("planted");
                }
                for (ByteBuffer value : found) {
                    if (value != null) {
                        value.put(value.limit() - 1, (byte) 99);
                    }
                }
            }
            return true;
        }

        @Override
        public long lost() {
            return lost;
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            byte[] bytes = new byte[value.length()];
            value.copyTo(ByteBuffer.wrap(bytes), 0);
            values.put(key, bytes);
            return Mono.just(Put.HELD);
        }

        @Override
        public boolean accepts(SampleKey key, Entry about) {
            return true;
        }

        @Override
        public TierStatistics statistics() {
            return new TierStatistics(values.size(), 0, 1 << 20, 0, 0, 0, 0, 0);
        }

        @Override
        public void close() {}
    }

    /** Holds nothing until it is opened; then it keeps the very bytes that it is given. */
    private static final class LateTier implements Tier {
        private final Map<SampleKey, ByteBuffer> values = new ConcurrentHashMap<>();
        private boolean open;

        @Override
        public String name() {
            return "late";
        }

        @Override
        public Eviction eviction() {
            return Eviction.NONE;
        }

        @Override
        public Mono<ByteBuffer> get(SampleKey key) {
            return Mono.justOrEmpty(values.get(key));
        }

        @Override
        public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
            return false;
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            values.put(key, value.joined());
            return Mono.just(Put.HELD);
        }

        @Override
        public boolean accepts(SampleKey key, Entry about) {
            return open;
        }

        @Override
        public TierStatistics statistics() {
            return new TierStatistics(values.size(), 0, 1 << 20, 0, 0, 0, 0, 0);
        }

        @Override
        public void close() {}
    }

    private static Flux<Sample<Points.Point>> cached(LosingTier tier, Sampler sampler) {
        return cached(Cache.of(tier), sampler);
    }

    private static Flux<Sample<Points.Point>> cached(Cache cache, Sampler sampler) {
        return Points.immediate(SIZE).cache(cache, Points.SCHEMA).stream(sampler);
    }

    private static List<Long> ids(Flux<Batch> batches) {
        List<Long> ids = new ArrayList<>();
        batches.doOnNext(batch -> {
                    for (int row = 0; row < batch.size(); row++) {
                        long id = batch.tensor("id").longAt(row);
                        ids.add(id);
                        assertThat(batch.tensor("xy").row(row))
                                .isEqualTo(Points.Point.of(id).xy());
                    }
                    batch.close();
                })
                .blockLast(TIMEOUT);
        return ids;
    }

    @ParameterizedTest
    @CsvSource({"BYTES, false", "BYTES, true", "ERROR, false", "ERROR, true"})
    void views_lostWhileTheyAreCopied_areLoadedAgain(Loss loss, boolean behindAnotherTier) {
        for (int answers = 1; answers < 12; answers++) {
            LosingTier tier = new LosingTier(loss, answers);
            Cache cache = behindAnotherTier ? Cache.of(new LateTier(), tier) : Cache.of(tier);
            Sampler sampler = Sampler.shuffled(3).epochs(3);

            List<Long> ids = ids(cached(cache, sampler).transform(Batches.of(8, Points.SCHEMA)));

            assertThat(ids)
                    .isEqualTo(Points.immediate(SIZE).stream(sampler)
                            .map(sample -> sample.draw().index())
                            .collectList()
                            .block(TIMEOUT));
            assertThat(tier.lost).isOne();
        }
    }

    @Test
    void view_thatAFasterTierKeeps_isCopied() {
        LosingTier slow = new LosingTier(Loss.BYTES, -1);
        LateTier fast = new LateTier();
        Cache cache = Cache.of(fast, slow);
        ids(cached(cache, Sampler.sequential()).transform(Batches.of(8, Points.SCHEMA)));

        fast.open = true;
        ids(cached(cache, Sampler.sequential()).transform(Batches.of(8, Points.SCHEMA)));

        assertThat(slow.lent).isEqualTo(2 * SIZE);
        assertThat(fast.values.values()).hasSize(SIZE).noneMatch(ByteBuffer::isDirect);
    }

    @Test
    void views_ofATolerantPipeline_areLent() {
        LosingTier tier = new LosingTier(Loss.BYTES, 1);
        Pipeline<Points.Point> tolerant =
                Points.immediate(SIZE).cache(Cache.of(tier), Points.SCHEMA).onError(ErrorPolicy.skip());

        List<Long> ids = ids(tolerant.stream(Sampler.sequential().epochs(2)).transform(Batches.of(8, Points.SCHEMA)));

        assertThat(tier.lost).isOne();
        assertThat(ids)
                .startsWith(LongStream.range(0, SIZE).boxed().toArray(Long[]::new))
                .hasSize(2 * SIZE);
    }

    @Test
    void views_behindAnOperator_areNotLent() {
        LosingTier tier = new LosingTier(Loss.BYTES, 1);

        List<Long> ids = ids(cached(tier, Sampler.sequential().epochs(2))
                .doOnNext(sample -> {})
                .transform(Batches.of(8, Points.SCHEMA)));

        assertThat(tier.lent).isZero();
        assertThat(ids)
                .startsWith(LongStream.range(0, SIZE).boxed().toArray(Long[]::new))
                .hasSize(2 * SIZE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void consumer_thatThrowsAFatalError_endsTheStream(boolean wrapped) {
        LosingTier tier = new LosingTier(Loss.BYTES, -1);
        InternalError thrown = new InternalError("of the consumer");
        int[] calls = {0};
        Flux<Batch> batches = cached(tier, Sampler.sequential()).transform(Batches.of(8, Points.SCHEMA));

        StepVerifier.create(batches.doOnNext(
                        wrapped ? Thrown.consumer(batch -> fail(calls, thrown)) : batch -> fail(calls, thrown)))
                .expectErrorSatisfies(e -> assertThat(Thrown.cause(e)).isSameAs(thrown))
                .verify(TIMEOUT);

        assertThat(calls[0]).isOne();
    }

    private static void fail(int[] calls, InternalError thrown) {
        calls[0]++;
        throw thrown;
    }
}
