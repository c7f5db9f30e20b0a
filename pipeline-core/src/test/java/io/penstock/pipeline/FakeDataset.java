package io.penstock.pipeline;

import io.penstock.cache.Fingerprint;
import io.penstock.order.internal.Mixing;
import io.penstock.tensor.Tensor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Sample i is the number i; counts what is asked of it, and how it answers can be chosen. */
public class FakeDataset implements Dataset<Tensor> {

    final AtomicIntegerArray loads;
    final AtomicInteger inFlight = new AtomicInteger();
    final AtomicInteger mostInFlight = new AtomicInteger();
    final AtomicInteger cancelled = new AtomicInteger();
    private final int size;
    private final LongFunction<Mono<Tensor>> answer;

    private FakeDataset(int size, LongFunction<Mono<Tensor>> answer) {
        this.size = size;
        this.loads = new AtomicIntegerArray(size);
        this.answer = answer;
    }

    /** Answers on the spot. */
    public static FakeDataset immediate(int size) {
        return new FakeDataset(size, index -> Mono.just(Tensor.scalar(index)));
    }

    /** Answers on other threads, after up to a millisecond, in no particular order. */
    static FakeDataset jittery(int size) {
        return new FakeDataset(
                size,
                index -> Mono.delay(Duration.ofNanos(Mixing.mix(index) >>> 44)).map(tick -> Tensor.scalar(index)));
    }

    /** Answers on an I/O thread. */
    static FakeDataset blocking(int size) {
        return new FakeDataset(
                size, index -> Mono.fromCallable(() -> Tensor.scalar(index)).subscribeOn(Schedulers.boundedElastic()));
    }

    /** Never answers. */
    static FakeDataset silent(int size) {
        return new FakeDataset(size, index -> Mono.never());
    }

    /** Answers as told. */
    public static FakeDataset answering(int size, LongFunction<Mono<Tensor>> answer) {
        return new FakeDataset(size, answer);
    }

    int totalLoads() {
        int total = 0;
        for (int i = 0; i < size; i++) {
            total += loads.get(i);
        }
        return total;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("fake", Integer.toString(size));
    }

    @Override
    public Mono<Tensor> get(long index) {
        Mono<Tensor> mono = answer.apply(index);
        if (mono instanceof java.util.concurrent.Callable<?>) {
            loads.incrementAndGet((int) index);
            return mono;
        }
        return mono.doOnSubscribe(s -> {
                    loads.incrementAndGet((int) index);
                    mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
                })
                .doOnCancel(() -> {
                    cancelled.incrementAndGet();
                    inFlight.decrementAndGet();
                })
                .doOnTerminate(inFlight::decrementAndGet); // before anyone downstream is told, and asks for more
    }
}
