package io.penstock.batch;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import reactor.core.publisher.Mono;

/** A dataset of samples that a function makes. It counts its loads. */
public final class MadeDataset<T> implements Dataset<T> {

    public final AtomicLong loads = new AtomicLong();
    private final String name;
    private final long size;
    private final LongFunction<Mono<T>> sample;

    /** @param name tells it from other datasets of this size */
    public MadeDataset(String name, long size, LongFunction<Mono<T>> sample) {
        this.name = name;
        this.size = size;
        this.sample = sample;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of(name, Long.toString(size));
    }

    @Override
    public Mono<T> get(long index) {
        loads.incrementAndGet();
        return sample.apply(index);
    }
}
