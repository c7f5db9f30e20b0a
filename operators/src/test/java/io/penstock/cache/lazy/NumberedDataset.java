package io.penstock.cache.lazy;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import io.penstock.testkit.TierKit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToIntFunction;
import reactor.core.publisher.Mono;

/** Values that tell their index, of any lengths, and how often they were loaded. */
public final class NumberedDataset implements Dataset<Tensor> {

    public final AtomicLong loads = new AtomicLong();
    private final int size;
    private final LongToIntFunction length;

    public NumberedDataset(int size, LongToIntFunction length) {
        this.size = size;
        this.length = length;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("numbered");
    }

    @Override
    public Mono<Tensor> get(long index) {
        return Mono.fromCallable(() -> {
            loads.incrementAndGet();
            return Tensor.ofBytes(TierKit.valueOf(index, length.applyAsInt(index)));
        });
    }
}
