package io.penstock.store.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cache.Fingerprint;
import io.penstock.order.Draw;
import io.penstock.order.Sampler;
import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Pipeline;
import io.penstock.stream.Execution;
import io.penstock.stream.LoadsInFlight;
import io.penstock.stream.ReadAhead;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerResponse;

/** Streams from servers that answer late, with loads in flight that tune themselves. */
class TunedLoadsTest {

    private static final long BUDGET = 8 << 20;

    /** How a server answers. */
    private enum Kind {
        NEAR(0, 1_000, 100, 500, 1, LoadsInFlight.Bound.PACE),
        FAR(50, 1_000, 100, 300, 64, LoadsInFlight.Bound.PACE),
        SIXTEEN_SLOTS(20, 16, 100, 200, 12, LoadsInFlight.Bound.SOURCE),
        LATER_FAR(2, 1_000, 100, 300, 16, LoadsInFlight.Bound.PACE),
        HUGE_ANSWERS(20, 1_000, 1 << 20, 30, 4, LoadsInFlight.Bound.BYTES);

        final int millis;
        final int slots;
        final int bytes;
        final int draws;
        final int least;
        final LoadsInFlight.Bound by;

        Kind(int millis, int slots, int bytes, int draws, int least, LoadsInFlight.Bound by) {
            this.millis = millis;
            this.slots = slots;
            this.bytes = bytes;
            this.draws = draws;
            this.least = least;
            this.by = by;
        }
    }

    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger peak = new AtomicInteger();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.removeLast().close();
        }
    }

    private Pipeline<ByteBuffer> serve(Kind kind) {
        long[] free = new long[kind.slots];
        byte[] body = new byte[kind.bytes];
        DisposableServer server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle((request, response) -> answer(kind, free, body, response))
                .bindNow();
        opened.add(server::disposeNow);
        HttpStore store = HttpStore.at(URI.create("http://127.0.0.1:" + server.port() + "/"));
        opened.add(store);
        return new Dataset<ByteBuffer>() {
            @Override
            public long size() {
                return 100_000;
            }

            @Override
            public Fingerprint fingerprint() {
                return Fingerprint.of("served");
            }

            @Override
            public Mono<ByteBuffer> get(long index) {
                return store.find("x" + index, 2 << 20);
            }
        }.map("as it is", bytes -> bytes);
    }

    private Publisher<Void> answer(Kind kind, long[] free, byte[] body, HttpServerResponse response) {
        peak.accumulateAndGet(inside.incrementAndGet(), Math::max);
        int times = kind == Kind.LATER_FAR && asked.incrementAndGet() > kind.draws / 2 ? 20 : 1;
        long wait;
        synchronized (free) {
            Arrays.sort(free); // the first is free first
            free[0] = Math.max(System.nanoTime(), free[0]) + times * kind.millis * 1_000_000L;
            wait = free[0] - System.nanoTime();
        }
        return Mono.delay(Duration.ofNanos(Math.max(0, wait))).then(Mono.defer(() -> {
            inside.decrementAndGet(); // before the client can know
            return response.sendByteArray(Mono.just(body)).then();
        }));
    }

    private Flux<Long> indices(Pipeline<ByteBuffer> served) {
        ReadAhead<ByteBuffer> bound = new ReadAhead<>(BUDGET, ByteBuffer::remaining);
        return served.stream(Sampler.shuffled(1), Execution.standard(), bound)
                .map(sample -> sample.draw().index());
    }

    @ParameterizedTest
    @EnumSource
    void stream_fromAServer_deliversTheSamplersOrderWithinTheBudget(Kind kind) {
        Pipeline<ByteBuffer> served = serve(kind);

        List<Long> delivered = indices(served).take(kind.draws).collectList().block();

        Draw[] drawn = new Draw[kind.draws];
        Sampler.shuffled(1).draws(served.size()).at(0, drawn);
        assertThat(delivered).isEqualTo(Arrays.stream(drawn).map(Draw::index).toList());
        assertThat((long) peak.get() * kind.bytes).isLessThanOrEqualTo(BUDGET);
    }

    /** More than the 64 that a client once had at most. */
    @Test
    void loads_ofAFarServer_reachItWithoutASetting() {
        indices(serve(Kind.FAR)).takeUntil(index -> peak.get() > 64).blockLast();

        assertThat(peak.get()).isGreaterThan(64);
    }

    /** Waits for it: the window still moves, so a later look may tell another reason. */
    @Tag("endurance")
    @ParameterizedTest
    @EnumSource
    void loads_ofAServer_comeToWhatItNeeds(Kind kind) {
        Pipeline<ByteBuffer> served = serve(kind);

        indices(served)
                .delayUntil(index -> kind == Kind.NEAR ? Mono.delay(Duration.ofMillis(2)) : Mono.empty())
                .takeUntil(index -> {
                    LoadsInFlight now = served.loadsInFlight();
                    return now.by() == kind.by && now.max() >= kind.least && (kind.slots > 16 || now.max() <= 24);
                })
                .blockLast();

        assertThat((long) peak.get() * kind.bytes).isLessThanOrEqualTo(BUDGET);
    }
}
