package io.penstock.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Cache;
import io.penstock.cache.Entry;
import io.penstock.cache.Fingerprint;
import io.penstock.cache.KeyedCache;
import io.penstock.cache.Lease;
import io.penstock.cache.Producer;
import io.penstock.cache.ProvenanceTier;
import io.penstock.cache.Put;
import io.penstock.cache.SampleKey;
import io.penstock.cache.SharedTier;
import io.penstock.cache.TierStatistics;
import io.penstock.internal.Planted;
import io.penstock.internal.Thrown;
import io.penstock.order.Sampler;
import io.penstock.stream.Execution;
import io.penstock.stream.ReadAhead;
import io.penstock.stream.Sample;
import io.penstock.tensor.Codec;
import io.penstock.tensor.Encoded;
import io.penstock.tensor.Schema;
import io.penstock.tensor.Tensor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Each place that calls a user's code, a codec or a tier, on each thread that calls it, with each kind of throwable. */
class ThrownTest {

    private static final Duration HANG = Duration.ofSeconds(5);
    private static final int SIZE = 40;
    private static final int BAD = 20;
    private static final Schema<Tensor> VALUE = Schema.tensor("value");

    /** Throws once a sample comes by, while it is armed. */
    private static final class Trap {

        private final Throwable thrown;
        private volatile boolean armed = true;

        Trap(Throwable thrown) {
            this.thrown = thrown;
        }

        Tensor at(Tensor value) {
            at(value.longAt(0));
            return value;
        }

        void at(long index) {
            if (armed && index == BAD) {
                Trap.<RuntimeException>sneak(thrown);
            }
        }

        @SuppressWarnings("unchecked")
        private static <X extends Throwable> void sneak(Throwable thrown) throws X {
            throw (X) thrown;
        }
    }

    private enum Source {
        /** Loads are begun on the thread that asks. */
        AT_HAND {
            @Override
            FakeDataset dataset(Trap trap) {
                return FakeDataset.answering(SIZE, index -> {
                    trap.at(index);
                    return Mono.just(Tensor.scalar(index));
                });
            }
        },
        /** Loads take so long that workers begin them. */
        ON_WORKERS {
            @Override
            FakeDataset dataset(Trap trap) {
                return FakeDataset.answering(SIZE, index -> {
                    long end = System.nanoTime() + 100_000;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                    trap.at(index);
                    return Mono.just(Tensor.scalar(index));
                });
            }
        },
        /** What comes is handled on the threads of the source. */
        ELSEWHERE {
            @Override
            FakeDataset dataset(Trap trap) {
                return FakeDataset.answering(
                        SIZE,
                        index -> Mono.fromCallable(() -> index)
                                .subscribeOn(Schedulers.boundedElastic())
                                .map(Thrown.function(number -> {
                                    trap.at(number);
                                    return Tensor.scalar(number);
                                })));
            }
        };

        abstract FakeDataset dataset(Trap trap);

        FakeDataset sound() {
            Trap none = new Trap(new AssertionError());
            none.armed = false;
            return dataset(none);
        }
    }

    private enum Place {
        LOAD {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.dataset(trap);
            }
        },
        MAP {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound().map("trap", trap::at);
            }
        },
        MAP_BEHIND_A_POLICY {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound()
                        .map("trap", trap::at)
                        .onError(ErrorPolicy.fail().retry(2, Duration.ofMillis(1)));
            }
        },
        AUGMENT {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound().augment("trap", (value, random) -> trap.at(value));
            }
        },
        ZIP {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound().zip("trap", source.sound(), (left, right) -> trap.at(left));
            }
        },
        KEY {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                FakeDataset sound = source.sound();
                return new Dataset<Tensor>() {
                    @Override
                    public long size() {
                        return SIZE;
                    }

                    @Override
                    public Fingerprint fingerprint() {
                        return sound.fingerprint();
                    }

                    @Override
                    public Mono<Tensor> get(long index) {
                        return sound.get(index);
                    }

                    @Override
                    public SampleId id(long index) {
                        trap.at(index);
                        return Dataset.super.id(index);
                    }
                }.cache(new FakeTier("ram"), VALUE);
            }
        },
        ENCODE {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound().cache(new FakeTier("ram"), new TrappedCodec(trap, new Trap(trap.thrown)));
            }
        },
        QUARANTINE {
            @Override
            Pipeline<Tensor> pipeline(Source source, Trap trap) {
                return source.sound()
                        .map("fails", value -> {
                            if (trap.armed && value.longAt(0) == BAD) {
                                throw new IllegalStateException("bad");
                            }
                            return value;
                        })
                        .onError(ErrorPolicy.skip().quarantine(failure -> trap.at(failure.index())));
            }
        };

        abstract Pipeline<Tensor> pipeline(Source source, Trap trap);
    }

    /** A codec that throws where it encodes or decodes one sample. */
    private record TrappedCodec(Trap encoding, Trap decoding) implements Codec<Tensor> {
        @Override
        public String id() {
            return VALUE.id();
        }

        @Override
        public Encoded encode(Tensor value) {
            return VALUE.encode(encoding.at(value));
        }

        @Override
        public Tensor decode(ByteBuffer bytes) {
            Tensor value = VALUE.decode(bytes);
            return decoding.armed ? decoding.at(value) : value;
        }
    }

    /** A tier of which one method throws. */
    private static final class TrappedTier extends FakeTier implements SharedTier, ProvenanceTier {
        private final Supplier<RuntimeException> trap;
        private final String method;

        TrappedTier(String method, boolean late, Trap trap) {
            super("ram");
            this.method = method;
            this.late = late;
            this.trap = () -> {
                trap.at(BAD);
                return new IllegalStateException();
            };
        }

        private void at(String called) {
            if (called.equals(method)) {
                throw trap.get();
            }
        }

        @Override
        public Mono<ByteBuffer> get(SampleKey key) {
            at("get");
            return super.get(key);
        }

        @Override
        public boolean getAll(SampleKey[] keys, @Nullable ByteBuffer[] found) {
            at("getAll");
            return super.getAll(keys, found);
        }

        @Override
        public Mono<Put> put(SampleKey key, Encoded value, Entry about) {
            return Mono.fromCallable(() -> {
                        at("put");
                        return true;
                    })
                    .flatMap(reached -> super.put(key, value, about));
        }

        @Override
        public boolean accepts(SampleKey key, Entry about) {
            at("accepts");
            return super.accepts(key, about);
        }

        @Override
        public void producedBy(Producer producer) {
            at("producedBy");
        }

        @Override
        public Mono<Lease> lease(SampleKey key) {
            at("lease");
            return Mono.just(() -> at("release"));
        }

        @Override
        public TierStatistics statistics() {
            at("statistics");
            return super.statistics();
        }
    }

    static Stream<Arguments> places() {
        return Stream.of(Source.values())
                .flatMap(source -> Stream.of(Place.values())
                        .flatMap(place ->
                                Planted.ALL.stream().map(thrown -> Arguments.of(place, source, thrown.get()))));
    }

    static Stream<Arguments> tiers() {
        return Stream.of(Source.values())
                .flatMap(source -> Stream.of(
                                "get", "getAll", "put", "accepts", "producedBy", "lease", "release", "statistics")
                        .flatMap(method -> ofTiers().map(thrown -> Arguments.of(method, source, thrown.get()))));
    }

    /** An exception and an error stand for the others: with -Pendurance all do. */
    private static Stream<Supplier<Throwable>> ofTiers() {
        return Boolean.getBoolean("penstock.endurance")
                ? Planted.ALL.stream()
                : Stream.of(Planted.ALL.get(0), Planted.ALL.get(4));
    }

    static Stream<Arguments> sources() {
        return Stream.of(Source.values())
                .flatMap(source -> Planted.ALL.stream().map(thrown -> Arguments.of(source, thrown.get())));
    }

    private static Flux<Long> stream(Pipeline<Tensor> pipeline) {
        return pipeline.stream(Sampler.sequential())
                .map(sample -> sample.value().longAt(0));
    }

    private static boolean tells(Throwable signalled, Throwable thrown) {
        assertThat(Exceptions.isFatal(signalled))
                .as("Reactor would rethrow " + signalled)
                .isFalse();
        for (Throwable cause = signalled; cause != null; cause = cause.getCause()) {
            if (cause == thrown) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @MethodSource("places")
    void stream_anythingThrown_endsWithAnErrorInItsPlace(Place place, Source source, Throwable thrown) {
        Trap trap = new Trap(thrown);
        Pipeline<Tensor> pipeline = place.pipeline(source, trap);

        StepVerifier.create(stream(pipeline), 5)
                .expectNextCount(5)
                .thenRequest(BAD - 5)
                .expectNextCount(BAD - 5)
                .thenRequest(1)
                .expectErrorMatches(signalled -> tells(signalled, thrown))
                .verify(HANG);
        trap.armed = false;
        StepVerifier.create(stream(pipeline))
                .expectNextCount(SIZE)
                .expectComplete()
                .verify(HANG);
        StepVerifier.create(stream(pipeline), 3).expectNextCount(3).thenCancel().verify(HANG);
    }

    @Tag("repeated")
    @ParameterizedTest
    @MethodSource("tiers")
    void cache_anythingThrownByItsTier_isAMiss(String method, Source source, Throwable thrown) {
        for (boolean late : new boolean[] {false, true}) {
            FakeTier tier = new TrappedTier(method, late, new Trap(thrown));

            Dataset<Tensor> alone = source.sound().cache(tier, VALUE);
            Dataset<Tensor> chained = source.sound().cache(Cache.of(new FakeTier("faster"), tier), VALUE);

            for (Dataset<Tensor> cached : List.of(alone, alone, chained, chained)) {
                StepVerifier.create(stream(cached))
                        .expectNextCount(SIZE)
                        .expectComplete()
                        .verify(HANG);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void cache_anythingThrownByItsCodecOnAHit_isAMiss(Source source, Throwable thrown) {
        for (boolean late : new boolean[] {false, true}) {
            FakeTier tier = new FakeTier("ram");
            tier.late = late;
            Trap disarmed = new Trap(thrown);
            disarmed.armed = false;
            Dataset<Tensor> cached = source.sound().cache(tier, new TrappedCodec(disarmed, new Trap(thrown)));

            for (int epoch = 0; epoch < 2; epoch++) {
                StepVerifier.create(stream(cached))
                        .expectNextCount(SIZE)
                        .expectComplete()
                        .verify(HANG);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void stream_subscriberThrows_ends(Source source, Throwable thrown) {
        Trap trap = new Trap(thrown);
        Flux<Long> stream = stream(source.sound()).doOnNext(trap::at);

        StepVerifier.create(stream)
                .expectNextCount(BAD)
                .expectErrorMatches(signalled -> tells(signalled, thrown))
                .verify(HANG);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void stream_sizeOfASampleThrows_ends(Source source, Throwable thrown) {
        Trap trap = new Trap(thrown);
        ReadAhead<Tensor> prefetch =
                new ReadAhead<>(1 << 20, value -> trap.at(value).byteSize());

        StepVerifier.create(source.sound().stream(Sampler.sequential(), Execution.standard(), prefetch))
                .thenConsumeWhile(sample -> true)
                .expectErrorMatches(signalled -> tells(signalled, thrown))
                .verify(HANG);
    }

    @ParameterizedTest
    @MethodSource("sources")
    void keyedCache_anythingThrown_reachesAllWhoWait(Source source, Throwable thrown) {
        Trap trap = new Trap(thrown);
        KeyedCache<Tensor> cache =
                KeyedCache.of(Cache.of(new FakeTier("ram")), new TrappedCodec(trap, new Trap(thrown)), "trap");
        Mono<Tensor> load = source.sound().get(BAD);

        for (Mono<Tensor> asked : List.of(
                cache.get(1, load), cache.get(2, () -> trap.at(Tensor.scalar((long) BAD))), cache.get(1, load))) {
            StepVerifier.create(asked)
                    .expectErrorMatches(signalled -> tells(signalled, thrown))
                    .verify(HANG);
        }
        trap.armed = false;
        for (int epoch = 0; epoch < 2; epoch++) {
            StepVerifier.create(cache.get(1, load))
                    .expectNextCount(1)
                    .expectComplete()
                    .verify(HANG);
        }
    }

    @Test
    void skip_errorOfTheProgramOrTheMachine_endsTheStreamAndNamesTheSample() {
        for (Supplier<Throwable> each : Planted.ALL) {
            Throwable thrown = each.get();
            boolean ofTheSample = !(thrown instanceof Error) || thrown instanceof StackOverflowError;
            Pipeline<Tensor> pipeline =
                    Place.MAP.pipeline(Source.ELSEWHERE, new Trap(thrown)).onError(ErrorPolicy.skip());

            StepVerifier.FirstStep<Sample<Tensor>> verifier =
                    StepVerifier.create(pipeline.stream(Sampler.sequential()));

            if (ofTheSample) {
                verifier.expectNextCount(SIZE).expectComplete().verify(HANG);
            } else {
                verifier.expectNextCount(BAD)
                        .expectErrorMatches(
                                signalled -> signalled.getMessage().startsWith("stage \"trap\" failed on sample 20: "))
                        .verify(HANG);
            }
        }
    }

    /** Loads that are under way when one fails are cancelled before the stream is told. */
    @ParameterizedTest
    @MethodSource("throwables")
    void stream_cancellingALoadThrows_endsWithTheFirstFailure(Supplier<Throwable> throwable) {
        Trap trap = new Trap(throwable.get());
        IllegalStateException first = new IllegalStateException("first");
        Sinks.One<Tensor> failing = Sinks.one();
        AtomicInteger cancelled = new AtomicInteger();
        FakeDataset dataset = FakeDataset.answering(SIZE, index -> switch ((int) index - BAD) {
            case 0 -> failing.asMono();
            case 1 -> Mono.create(load -> load.onCancel(() -> trap.at(BAD)));
            case 2 ->
                Mono.create(load -> {
                    load.onCancel(cancelled::incrementAndGet);
                    failing.tryEmitError(first);
                });
            default -> Mono.just(Tensor.scalar(index));
        });

        StepVerifier.create(stream(dataset))
                .expectNextCount(BAD)
                .expectErrorMatches(signalled -> tells(signalled, first))
                .verify(HANG);
        assertThat(cancelled).hasValue(1);
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void consumer_behindASerialisedOperator_endsTheStream(Supplier<Throwable> throwable) {
        Trap trap = new Trap(throwable.get());
        Flux<Sample<Tensor>> consumed = FakeDataset.answering(SIZE, index -> Mono.just(Tensor.scalar(index))).stream(
                        Sampler.sequential())
                .publishOn(Schedulers.parallel())
                .takeUntilOther(Mono.never())
                .doOnNext(Thrown.consumer(sample -> trap.at(sample.value().longAt(0))));

        StepVerifier.create(consumed)
                .expectNextCount(BAD)
                .expectErrorSatisfies(e -> assertThat(Thrown.cause(e)).isSameAs(trap.thrown))
                .verify(HANG);
    }

    static Stream<Supplier<Throwable>> throwables() {
        return Planted.ALL.stream();
    }
}
