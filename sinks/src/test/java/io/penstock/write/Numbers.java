package io.penstock.write;

import io.penstock.cache.Fingerprint;
import io.penstock.pipeline.Dataset;
import io.penstock.tensor.Tensor;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.publisher.Mono;

/** A dataset of numbers that counts its loads. */
final class Numbers implements Dataset<Tensor> {

    final AtomicLong loads = new AtomicLong();
    private final long size;
    private final long broken;

    Numbers(long size) {
        this(size, -1);
    }

    /** @param broken a sample that cannot be loaded */
    Numbers(long size, long broken) {
        this.size = size;
        this.broken = broken;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Fingerprint fingerprint() {
        return Fingerprint.of("numbers", Long.toString(size));
    }

    @Override
    public Mono<Tensor> get(long index) {
        return Mono.fromCallable(() -> {
            loads.incrementAndGet();
            if (index == broken) {
                throw new IllegalStateException("broken");
            }
            return Tensor.ofLongs(new long[] {index, -index});
        });
    }
}
