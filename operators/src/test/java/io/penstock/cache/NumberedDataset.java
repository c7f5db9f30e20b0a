package io.penstock.cache;

import io.penstock.pipeline.Dataset;
import io.penstock.pipeline.Fingerprint;
import io.penstock.tensor.Tensor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongToIntFunction;
import reactor.core.publisher.Mono;

/** Values that tell their index, of any lengths, and how often they were loaded. */
final class NumberedDataset implements Dataset<Tensor> {

    final AtomicLong loads = new AtomicLong();
    private final int size;
    private final LongToIntFunction length;

    NumberedDataset(int size, LongToIntFunction length) {
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
