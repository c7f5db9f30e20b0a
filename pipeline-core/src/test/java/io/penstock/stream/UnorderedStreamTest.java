package io.penstock.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import io.penstock.order.Draws;
import io.penstock.order.Position;
import io.penstock.order.Remainder;
import io.penstock.order.Sampler;
import io.penstock.order.Shard;
import io.penstock.order.ShardMode;
import io.penstock.pipeline.Dataset;
import io.penstock.resume.ResumeToken;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/** Streams that deliver samples as they are loaded, of loads that the test ends one by one. */
class UnorderedStreamTest {

    private static final List<Remainder> REMAINDERS = List.of(Remainder.KEEP, Remainder.PAD, Remainder.DROP);
    private static final int RUNS = 3_000;

    /** Samples that are loaded when the test says so; some are at hand. */
    private static final class HeldLoads implements Dataset<Long> {

        private final int size;
        private final int atHand;
        private final List<Runnable> pending = new ArrayList<>();

        HeldLoads(int size, int atHand) {
            this.size = size;
            this.atHand = atHand;
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("held loads", Integer.toString(size));
        }

        @Override
        public Mono<Long> get(long index) {
            return atHand > 0 && index % atHand == 0 ? Mono.just(index) : Mono.create(sink -> hold(sink, index));
        }

        private void hold(MonoSink<Long> sink, long index) {
            pending.add(() -> sink.success(index));
        }

        void endOne(RandomGenerator dice) {
            pending.remove(dice.nextInt(pending.size())).run();
        }
    }

    /** Cancels after so many samples. */
    private static final class Taker extends BaseSubscriber<Sample<Long>> {

        private final List<Draw> draws = new ArrayList<>();
        private final long max;

        Taker(long max) {
            this.max = max;
        }

        @Override
        protected void hookOnNext(Sample<Long> sample) {
            assertThat(sample.isPresent()).isEqualTo(!sample.draw().isPadding());
            draws.add(sample.draw());
            if (draws.size() == max) {
                cancel();
            }
        }
    }

    /** The draws of a stream up to a number, loaded in random order. */
    private static List<Draw> taken(
            HeldLoads data, Sampler sampler, Execution execution, long max, RandomGenerator dice) {
        Taker taker = new Taker(max);
        data.pending.clear();
        data.stream(sampler, execution).subscribe(taker);
        while (!taker.isDisposed()) {
            data.endOne(dice);
        }
        return taker.draws;
    }

    private static Execution execution(int inFlight, int window) {
        return new Execution(inFlight, Schedulers.immediate(), 1, window);
    }

    static LongStream seeds() {
        return LongStream.range(0, 8);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void stream_stoppedAnywhereAndResumed_deliversEachDrawOnce(long seed) {
        RandomGenerator dice = new SplittableRandom(seed);
        for (int run = 0; run < RUNS / 8; run++) {
            HeldLoads data = new HeldLoads(1 + dice.nextInt(60), dice.nextInt(4));
            int world = 1 + dice.nextInt(4);
            Sampler sampler = Sampler.shuffled(run)
                    .epochs(1 + dice.nextInt(3))
                    .shard(Shard.of(dice.nextInt(world), world))
                    .mode(dice.nextBoolean() ? ShardMode.global() : ShardMode.stable())
                    .remainder(REMAINDERS.get(dice.nextInt(REMAINDERS.size())));
            int window = dice.nextInt(20);
            Execution execution = execution(1 + dice.nextInt(12), window);
            Draws draws = sampler.draws(data.size());
            Map<Draw, Long> numbers = new HashMap<>();
            LongStream.range(0, draws.count()).forEach(n -> numbers.put(use(draws.at(n), n), n));

            List<Draw> delivered = new ArrayList<>();
            Sampler going = sampler;
            while (delivered.size() < draws.count()) {
                List<Draw> part = taken(data, going, execution, 1 + dice.nextInt(30), dice);
                if (part.isEmpty()) {
                    break;
                }
                delivered.addAll(part);
                Draw last = part.get(part.size() - 1);
                String token = ResumeToken.of(data, going).at(last.next()).toString();
                going = ResumeToken.parse(token).resume(sampler, data);
                execution = execution(1 + dice.nextInt(12), dice.nextBoolean() ? window : 0);
            }

            assertThat(delivered).as("run %d", run).hasSize((int) draws.count());
            assertThat(delivered.stream().filter(draw -> !draw.isPadding()).map(draw -> use(draw, 0)))
                    .doesNotHaveDuplicates()
                    .allMatch(numbers::containsKey);
            for (int i = 1; i < delivered.size(); i++) {
                assertThat(delivered.get(i).next())
                        .isGreaterThan(delivered.get(i - 1).next());
                assertThat(delivered.get(i).left())
                        .isEqualTo(
                                delivered.get(i - 1).endsEpoch()
                                        ? draws.count(delivered.get(i).epoch()) - 1
                                        : delivered.get(i - 1).left() - 1);
            }
        }
    }

    /** What tells a draw from others; those of padding by their number. */
    private static Draw use(Draw draw, long number) {
        return new Draw(draw.seed(), draw.epoch(), draw.index(), draw.isPadding() ? number : 0, Position.START, 0);
    }

    @Test
    void slowSample_holdsUpNoMoreThanTheWindowAllows() {
        HeldLoads data = new HeldLoads(100, 0);
        Taker taker = new Taker(Long.MAX_VALUE);
        data.stream(Sampler.sequential(), execution(4, 10)).subscribe(taker);

        Runnable slow = data.pending.remove(0);
        while (!data.pending.isEmpty()) {
            data.pending.remove(0).run();
        }

        assertThat(taker.draws).extracting(Draw::index).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(taker.draws.get(8).next().ahead()).isEqualTo(BigInteger.valueOf(0b11_1111_1110));
        slow.run();
        assertThat(taker.draws.get(9).next()).isEqualTo(new Position(0, 10));
    }

    /** Samples that are at hand, that a worker loads, and that come late. */
    private record MixedLoads(long size) implements Dataset<Long> {

        @Override
        public Fingerprint fingerprint() {
            return Fingerprint.of("mixed loads");
        }

        @Override
        public Mono<Long> get(long index) {
            Mono<Long> value = Mono.just(index);
            return index % 41 == 0
                    ? Mono.delay(Duration.ofMillis(3)).then(value)
                    : index % 3 == 0 ? value.subscribeOn(Schedulers.parallel()) : value;
        }
    }

    @Test
    void stream_onManyThreads_deliversEachSampleOnce() {
        Sampler sampler = Sampler.shuffled(5).epochs(2);
        MixedLoads data = new MixedLoads(4_000);

        List<Sample<Long>> samples = data.stream(
                        sampler, Execution.standard().inFlight(8).window(64))
                .collectList()
                .block();

        assertThat(samples).hasSize(8_000);
        assertThat(samples.subList(0, 4_000)).extracting(Sample::value).doesNotHaveDuplicates();
        assertThat(samples.subList(4_000, 8_000)).extracting(Sample::value).doesNotHaveDuplicates();
        assertThat(samples.get(3_999).draw().endsEpoch()).isTrue();
    }

    @Test
    void token_withinAnEpoch_isThatOfItsRank() {
        HeldLoads data = new HeldLoads(20, 0);
        Sampler sampler = Sampler.sequential().shard(Shard.of(1, 2));
        Draw first = taken(data, sampler, execution(8, 8), 1, new SplittableRandom(3))
                .get(0);
        ResumeToken token = ResumeToken.of(data, sampler).at(first.next());

        assertThat(token.toString()).contains("\"ahead\":\"1/2:");
        assertThat(ResumeToken.parse(token.toString())).isEqualTo(token);
        assertThatThrownBy(() -> token.resume(sampler.shard(Shard.of(0, 2)), data))
                .hasMessageContaining("rank 1 of 2 there, rank 0 of 2 here; end the epoch first");
        ResumeToken inOrder = ResumeToken.parse(ResumeToken.of(data, sampler).toString());
        assertThatThrownBy(() -> inOrder.at(first.next()))
                .hasMessageContaining("is that of one rank, and a token that was read in order names none");
        assertThat(ResumeToken.parse(token.toString()).at(first.next())).hasToString(token.toString());
        String behind = token.toString()
                .replaceFirst(",\"check\":\"[0-9a-f]{8}\"", "")
                .replaceAll("1/2:[0-9a-f]+", "1/2:40000000");
        assertThatThrownBy(() -> ResumeToken.parse(behind).resume(sampler, data).draws(20))
                .hasMessageContaining("position lies outside the epoch: 10 draws are left of it");
        assertThatThrownBy(() -> ResumeToken.parse(token.toString().replaceAll("1/2:[0-9a-f]+", "1/2:3")))
                .hasMessageContaining("draws delivered ahead must lie behind the offset");
    }
}
